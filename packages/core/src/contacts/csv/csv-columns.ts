import { customFieldDateText, type FieldType, fieldApiName } from '../custom-field.js'
import type { ReadFileFromStart } from './csv-encoding.js'
import { csvRows } from './csv-rows.js'

/** Ignores case, accents, spaces and punctuation: `Shoe size` matches `shoeSize`. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

/** What programs in the eight languages of the console call a column of addresses, as `plain` spells it. */
const addressHeadings = new Set([
  ...['mail', 'emailaddress', 'mailaddress', 'electronicmail', 'emailadresse', 'mailadresse', 'emailadressen'],
  ...['correo', 'correoelectronico', 'direcciondecorreo', 'direcciondecorreoelectronico', 'direcciondeemail'],
  ...['direccionemail', 'courriel', 'adressecourriel', 'adresseemail', 'adressemail', 'adressedecourriel'],
  ...['adresseelectronique', 'courrierelectronique', 'indirizzoemail', 'indirizzomail', 'indirizzodipostaelettronica'],
  ...[
    'postaelettronica',
    'indirizzodiposta',
    'emailadres',
    'mailadres',
    'elektronischepost',
    'adresemail',
    'adresmail',
  ],
  ...['adrespocztyelektronicznej', 'pocztaelektroniczna', 'correioeletronico', 'correioelectronico'],
  ...['enderecodeemail', 'enderecoemail', 'enderecodecorreio', 'enderecodecorreioeletronico'],
  ...['enderecodecorreioelectronico', 'enderecoeletronico', 'enderecoelectronico'],
])

/**
 * The field that a heading names. Another word for the address names it only if no heading of the file is `email` itself.
 * @param headings all of the file
 */
export const csvFieldFinder = (customFields: readonly string[], headings: readonly string[] = []) => {
  const fields = ['email', 'name', 'tags', ...customFields]
  const hasAddress = headings.some((heading) => plain(heading) === 'email')
  const known = (heading: string): string | undefined =>
    fields.find((field) => field === heading) ??
    fields.find((field) => plain(field) === plain(heading)) ??
    fields.find((field) => field.toLowerCase() === fieldApiName(heading).toLowerCase())
  return (heading: string): string | undefined =>
    known(heading) ?? (!hasAddress && addressHeadings.has(plain(heading)) ? 'email' : undefined)
}

/** Leading zero or plus (telephone numbers), or more digits than a number holds. */
const isName = (text: string) => /^[+-]?0\d|^\+/.test(text) || text.replace(/\D/g, '').length > 15

const isNumber = (text: string) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) && !isName(text)
const isBoolean = (text: string) => /^(?:true|false|yes|no)$/i.test(text)
const isDate = (text: string) => customFieldDateText(text) !== undefined

/** The narrowest type first. */
const fits: readonly (readonly [FieldType, (text: string) => boolean])[] = [
  ['boolean', isBoolean],
  ['number', isNumber],
  ['date', isDate],
]

export const columnTypeGuesser = () => {
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
export const readCsvHeadings = async (
  read: ReadFileFromStart,
  encoding: string,
): Promise<{ readonly headings: readonly string[]; readonly delimiter: string }> => {
  let [headings, delimiter]: [readonly string[], string] = [[], ',']
  const columns = (found: readonly string[], sign: string) => {
    headings = found
    delimiter = sign
    return []
  }
  for await (const _first of csvRows(read(), { encoding, columns, broken: () => {} })) break
  return { headings, delimiter }
}

/** In constant memory. */
export const detectCsvColumnTypes = async (
  read: ReadFileFromStart,
  encoding: string,
  places: readonly number[],
): Promise<readonly FieldType[]> => {
  const guesses = places.map(() => columnTypeGuesser())
  const columns = (headings: readonly string[]) => headings.map(() => undefined)
  for await (const rows of csvRows(read(), { encoding, columns, broken: () => {} }))
    for (const [index, place] of places.entries()) for (const row of rows) guesses[index]?.see(row.cells[place] ?? '')
  return guesses.map(({ type }) => type())
}
