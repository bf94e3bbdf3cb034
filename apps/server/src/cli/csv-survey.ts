import { type FieldType, storedDate } from '@posthorn/core/ports/storage'
import { csvRows } from './csv-rows.js'

/**
 * Whether digits are a name: they begin with a zero or a plus, as house, telephone and article numbers do, or have more digits than a
 * number can hold.
 */
const isName = (text: string) => /^[+-]?0\d|^\+/.test(text) || text.replace(/\D/g, '').length > 15

const isNumber = (text: string) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) && !isName(text)
const isBoolean = (text: string) => /^(?:true|false|yes|no)$/i.test(text)
const isDate = (text: string) => storedDate(text) !== undefined

/** Types by a test that all values must pass, the narrowest first. */
const fits: readonly (readonly [FieldType, (text: string) => boolean])[] = [
  ['boolean', isBoolean],
  ['number', isNumber],
  ['date', isDate],
]

/** Guesses a column's type from its values; text if nothing else fits, or if there are none. */
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

/**
 * The headings of a file, and its delimiter.
 * @throws Error if the file cannot be read
 */
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

/** The types of the columns at these positions, by all valid rows. Memory does not grow with the file. */
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
