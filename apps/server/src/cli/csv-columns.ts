import { apiName } from '@posthorn/core/ports'
import { CommandFailure } from './output.js'

/** A heading without case, accents, spaces and signs: `Shoe size` is `shoeSize`, and `E-Mail` is `email`. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

/** What was asked for of the columns. */
export type ColumnWishes = {
  /** Fields by heading. */
  readonly map?: ReadonlyMap<string, string>
  /** Headings to pass over. */
  readonly ignore?: readonly string[]
}

/** What each column of a file is. */
export type ColumnPlan = {
  /** The contact's field that each holds, also one that is yet to be made; undefined for one that is passed over. */
  readonly columns: readonly (string | undefined)[]
  /** Columns that no field of the project fits: where they stand, their headings, and the field that each would be. */
  readonly unknown: readonly { readonly index: number; readonly heading: string; readonly field: string }[]
}

const quoted = (heading: string) => JSON.stringify(heading.slice(0, 50))

/** As many as a person reads in a message. */
const mostShown = 20

/** The first of many, and how many others there are. */
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
 * Which field each column of a file holds: by the wishes, else by its heading in any spelling. A column without a heading is passed
 * over.
 * @throws CommandFailure for a wish about a column that is not there, a second column for a field, and a missing address
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
    fields.find((field) => field === name) ?? fields.find((field) => plain(field) === plain(name))
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
