import { apiName, type FieldType, storedDate } from '@posthorn/core/ports/storage'
import { csvRows } from './csv-rows.js'
import { CommandFailure } from './output.js'

/** Ignores case, accents, spaces and punctuation: `Shoe size` matches `shoeSize`. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

export type ColumnWishes = {
  readonly map?: ReadonlyMap<string, string>
  readonly ignore?: readonly string[]
}

export type ColumnPlan = {
  /** Undefined for ignored columns. */
  readonly columns: readonly (string | undefined)[]
  /** Columns without a matching field; `field` is the name for a new one. */
  readonly unknown: readonly { readonly index: number; readonly heading: string; readonly field: string }[]
}

const quoted = (heading: string) => JSON.stringify(heading.slice(0, 50))

const mostShown = 20

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
 * Maps by the options, else by heading in any spelling. Ignores columns without a heading. @throws CommandFailure for a
 * missing column, two columns for one field, or no address
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

/** Leading zero or plus (house, telephone, article numbers), or more digits than a number holds. */
const isName = (text: string) => /^[+-]?0\d|^\+/.test(text) || text.replace(/\D/g, '').length > 15

const isNumber = (text: string) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) && !isName(text)
const isBoolean = (text: string) => /^(?:true|false|yes|no)$/i.test(text)
const isDate = (text: string) => storedDate(text) !== undefined

/** The narrowest type first. */
const fits: readonly (readonly [FieldType, (text: string) => boolean])[] = [
  ['boolean', isBoolean],
  ['number', isNumber],
  ['date', isDate],
]

/** Text if nothing else fits all values. */
const guess = () => {
  let left = fits
  let seen = false
  return {
    see: (value: string): void => {
      const text = value.trim()
      if (text === '') return
      seen = true
      if (!left.every(([, fit]) => fit(text))) left = left.filter(([, fit]) => fit(text))
    },
    type: (): FieldType => (seen ? (left[0]?.[0] ?? 'string') : 'string'),
  }
}

/** @throws Error if the file cannot be read */
export const headingsOf = async (
  path: string,
  encoding: string,
): Promise<{ readonly headings: readonly string[]; readonly delimiter: string }> => {
  let [headings, delimiter]: [readonly string[], string] = [[], ',']
  const columns = (found: readonly string[], sign: string) => {
    headings = found
    delimiter = sign
    return []
  }
  for await (const _first of csvRows(path, { encoding, columns, broken: () => {} })) break
  return { headings, delimiter }
}

/** Reads all valid rows in constant memory. */
export const columnTypes = async (
  path: string,
  encoding: string,
  places: readonly number[],
): Promise<readonly FieldType[]> => {
  const guesses = places.map(() => guess())
  const columns = (headings: readonly string[]) => headings.map(() => undefined)
  for await (const rows of csvRows(path, { encoding, columns, broken: () => {} }))
    for (const [index, place] of places.entries()) for (const row of rows) guesses[index]?.see(row.cells[place] ?? '')
  return guesses.map(({ type }) => type())
}
