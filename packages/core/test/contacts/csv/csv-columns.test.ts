import { describe, expect, it } from 'vitest'
import { csvFieldFinder, detectCsvColumnTypes, readCsvHeadings } from '../../../src/contacts/csv/csv-columns.js'

const fileOf = (content: string) =>
  async function* () {
    yield Buffer.from(content)
  }

const typeOf = async (...values: readonly string[]) => {
  const file = fileOf(['email,value', ...values.map((value) => `a@example.com,${value}`)].join('\n'))
  return (await detectCsvColumnTypes(file, 'utf-8', [1]))[0]
}

describe('the type guessed for a column', () => {
  it.each([
    ['number', ['1', '-2.5', '', ' 3 ']],
    ['boolean', ['yes', 'No', 'TRUE', '']],
    ['date', ['2026-01-06', '', '2026-01-06T10:00:00Z']],
    ['string', ['1', 'one']],
    ['string', ['', '']],
    ['string', []],
    ['string', ['yes', '1']],
    ['string', ['2026-02-30']],
    ['string', ['1e5']],
  ])('is %s for %j', async (type, values) => {
    expect(await typeOf(...values)).toBe(type)
  })

  it('is text for digits that are names: postal codes, phone numbers, article numbers', async () => {
    for (const value of ['01099', '+436601234567', '-007', '12345678901234567'])
      expect(await typeOf('12', value)).toBe('string')
    expect(await typeOf('0', '0.5')).toBe('number')
  })

  it('considers every valid row, however late the odd one comes', async () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => String(i + 1))
    expect(await typeOf(...numbers)).toBe('number')
    expect(await typeOf(...numbers, '"a quote that is never closed')).toBe('number')
    expect(await typeOf(...numbers, 'odd')).toBe('string')
  })
})

describe('the first line of a file', () => {
  it('provides the headings and the delimiter', async () => {
    expect(await readCsvHeadings(fileOf('email;"Shoe; size"\n'), 'utf-8')).toEqual({
      headings: ['email', 'Shoe; size'],
      delimiter: ';',
    })
    expect(await readCsvHeadings(fileOf(''), 'utf-8')).toEqual({ headings: [], delimiter: ',' })
  })
})

describe('the field of a heading', () => {
  it('is found in any spelling, and the exact one first', () => {
    const find = csvFieldFinder(['shoeSize', 'shoesize'])
    expect(['E-Mail', 'NAME', 'shoesize', 'Shoe size', 'hat'].map(find)).toEqual([
      'email',
      'name',
      'shoesize',
      'shoeSize',
      undefined,
    ])
  })

  it.each([
    ...[
      'Email address',
      'E-Mail',
      'e-mail address',
      'Mail',
      'EMAIL',
      'E-Mail-Adresse',
      'Mailadresse',
      'Correo electrónico',
    ],
    ...['Dirección de correo electrónico', 'Adresse e-mail', 'Courriel', 'Indirizzo e-mail', 'Posta elettronica'],
    ...['E-mailadres', 'Adres e-mail', 'Adres poczty elektronicznej', 'Endereço de e-mail', 'Correio eletrónico'],
  ])('is the address for %s', (heading) => {
    expect(csvFieldFinder([], [heading, 'name'])(heading)).toBe('email')
  })

  it('is the address for another word only if no column is called email, and no field has that name', () => {
    expect(['Email', 'Mail'].map(csvFieldFinder([], ['Mail', 'Email']))).toEqual(['email', undefined])
    expect(csvFieldFinder(['mail'], ['Mail'])('Mail')).toBe('mail')
  })
})
