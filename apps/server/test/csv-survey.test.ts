import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { columnTypes, headingsOf } from '../src/cli/csv-columns.js'

const directory = temporaryDirectory()
afterAll(() => directory.remove())

const file = join(directory.path, 'people.csv')
const typeOf = async (...values: readonly string[]) => {
  writeFileSync(file, ['email,value', ...values.map((value) => `a@example.com,${value}`)].join('\n'))
  return (await columnTypes(file, 'utf-8', [1]))[0]
}

describe('the type of a column', () => {
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

  it('is a text where the digits are a name: postal codes, telephones, articles', async () => {
    for (const value of ['01099', '+436601234567', '-007', '12345678901234567'])
      expect(await typeOf('12', value)).toBe('string')
    expect(await typeOf('0', '0.5')).toBe('number')
  })

  it('is found out by every row, however late the odd one comes, and by none that is broken', async () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => String(i + 1))
    expect(await typeOf(...numbers)).toBe('number')
    expect(await typeOf(...numbers, '"a quote that is never closed')).toBe('number')
    expect(await typeOf(...numbers, 'odd')).toBe('string')
  })
})

describe('the first line of a file', () => {
  it('has the headings, and says what parts the cells', async () => {
    writeFileSync(file, 'email;"Shoe; size"\n')
    expect(await headingsOf(file, 'utf-8')).toEqual({ headings: ['email', 'Shoe; size'], delimiter: ';' })
    writeFileSync(file, '')
    expect(await headingsOf(file, 'utf-8')).toEqual({ headings: [], delimiter: ',' })
  })
})
