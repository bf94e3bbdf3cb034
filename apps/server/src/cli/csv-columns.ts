import { fieldApiName } from '@posthorn/core/ports/storage'
import { csvFieldFinder } from '@posthorn/core/ports/transport'
import { CommandFailure } from './output.js'

export type CsvColumnOptions = {
  readonly map?: ReadonlyMap<string, string>
  readonly ignore?: readonly string[]
}

export type CsvColumnPlan = {
  /** Undefined for ignored columns. */
  readonly columns: readonly (string | undefined)[]
  /** Columns without a matching field; `field` is the name for a new one. */
  readonly unknown: readonly { readonly index: number; readonly heading: string; readonly field: string }[]
}

const quoted = (heading: string) => JSON.stringify(heading.slice(0, 50))

const mostShown = 20

export const shortenedList = (texts: readonly string[]): readonly string[] =>
  texts.length > mostShown ? [...texts.slice(0, mostShown), `… and ${texts.length - mostShown} more`] : texts

const assertHeadings = (headings: readonly string[], { map = new Map(), ignore = [] }: CsvColumnOptions) => {
  const strangers = [...map.keys(), ...ignore].filter((name) => !headings.includes(name))
  if (strangers.length > 0)
    throw new CommandFailure(
      `The file has no column ${strangers.map(quoted).join(', ')}; it has ${shortenedList(
        headings.filter((one) => one !== '').map(quoted),
      ).join(', ')}.`,
      2,
    )
}

/**
 * By the options, else by heading in any spelling; ignores columns without a heading.
 * @throws CommandFailure for a missing column, two columns for one field, or no address
 */
export const importColumnPlan = (
  headings: readonly string[],
  customFields: readonly string[],
  wishes: CsvColumnOptions = {},
): CsvColumnPlan => {
  assertHeadings(headings, wishes)
  const { map = new Map<string, string>(), ignore = [] } = wishes
  const fieldOf = csvFieldFinder(customFields, headings)
  const unknown: CsvColumnPlan['unknown'][number][] = []
  const columns = headings.map((heading, index) => {
    if (heading === '' || ignore.includes(heading)) return undefined
    const name = map.get(heading) ?? heading
    const known = fieldOf(name)
    if (known) return known
    const field = fieldApiName(name) || name
    unknown.push({ index, heading, field })
    return field
  })
  if (!columns.includes('email'))
    throw new CommandFailure('The first line names no column email. Say which it is: --map "<column>=email".')
  const twice = columns.flatMap((field, index) =>
    field !== undefined && columns.indexOf(field) < index ? [`a second column for ${field}`] : [],
  )
  if (twice.length > 0)
    throw new CommandFailure(
      `The first line cannot be understood: ${shortenedList(twice).join('; ')}. Pass the other over: --ignore "<column>".`,
    )
  return { columns, unknown }
}
