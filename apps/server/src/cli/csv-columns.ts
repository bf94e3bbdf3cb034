import { apiName } from '@posthorn/core/ports/storage'
import { CommandFailure } from './output.js'

/** A heading without case, accents, spaces and punctuation, so that `Shoe size` matches `shoeSize`, and `E-Mail` matches `email`. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

/** Column options of the command. */
export type ColumnWishes = {
  /** Fields by heading. */
  readonly map?: ReadonlyMap<string, string>
  /** Headings of columns to ignore. */
  readonly ignore?: readonly string[]
}

/** The meaning of each column of a file. */
export type ColumnPlan = {
  /** The contact field of each column, existing or new; undefined for an ignored column. */
  readonly columns: readonly (string | undefined)[]
  /** Columns without a matching field: their positions, headings, and the names of fields for them. */
  readonly unknown: readonly { readonly index: number; readonly heading: string; readonly field: string }[]
}

const quoted = (heading: string) => JSON.stringify(heading.slice(0, 50))

/** Maximum names in a message. */
const mostShown = 20

/** The first names, and the number of omitted ones. */
export const shortened = (texts: readonly string[]): readonly string[] =>
  texts.length > mostShown ? [...texts.slice(0, mostShown), `… and ${texts.length - mostShown} more`] : texts

const assertHeadings = (headings: readonly string[], { map = new Map(), ignore = [] }: ColumnWishes) => {
  const strangers = [...map.keys(), ...ignore].filter((name) => !headings.includes(name))
  if (strangers.length > 0)
    throw new CommandFailure(
      `The file has no column ${strangers.map(quoted).join(', ')}; it has ${shortened(
        headings.filter((one) => one !== '').map(quoted),
      ).join(', ')}.`,
      2,
    )
}

/**
 * Maps columns to fields: by the options, else by heading in any spelling. Ignores columns without a heading.
 * @throws CommandFailure for an option about a missing column, two columns for one field, or a missing address
 */
export const columnPlan = (
  headings: readonly string[],
  customFields: readonly string[],
  wishes: ColumnWishes = {},
): ColumnPlan => {
  assertHeadings(headings, wishes)
  const { map = new Map<string, string>(), ignore = [] } = wishes
  const fields = ['email', 'name', 'tags', ...customFields]
  const fieldOf = (name: string) =>
    fields.find((field) => field === name) ??
    fields.find((field) => plain(field) === plain(name)) ??
    fields.find((field) => field.toLowerCase() === apiName(name).toLowerCase())
  const unknown: ColumnPlan['unknown'][number][] = []
  const columns = headings.map((heading, index) => {
    if (heading === '' || ignore.includes(heading)) return undefined
    const name = map.get(heading) ?? heading
    const known = fieldOf(name)
    if (known) return known
    const field = apiName(name) || name
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
      `The first line cannot be understood: ${shortened(twice).join('; ')}. Pass the other over: --ignore "<column>".`,
    )
  return { columns, unknown }
}
