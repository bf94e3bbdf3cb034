import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CustomField, FieldType } from '../../src/contacts/custom-field.js'
import { importRowReader } from '../../src/contacts/directory/import-rows.js'

const field = (name: string, type: FieldType): CustomField => ({
  ...{ _id: name, projectId: 'p', createdAt: '', updatedAt: '' },
  ...{ name, key: name.toLowerCase(), type },
})

const fields = [
  field('favoriteColor', 'string'),
  field('age', 'number'),
  field('member', 'boolean'),
  field('since', 'date'),
]
/** So many that every row is read by the schema. */
const bySchema = importRowReader([...fields, ...Array.from({ length: 1_000 }, (_, n) => field(`other${n}`, 'string'))])
const reader = importRowReader(fields)

const outcome = (read: typeof reader, row: Record<string, unknown>) => {
  try {
    const { email, emailKey, given } = read(row)
    return { email, emailKey, given: JSON.parse(JSON.stringify(given)), order: JSON.stringify(given.customFields) }
  } catch (error) {
    return String(error)
  }
}

const strange = fc.constantFrom(
  ...['', ' ', '\u0000', '\ud800', 'x'.repeat(301), 'x'.repeat(5_001), 'a,'.repeat(501), `${'t'.repeat(101)},b`],
  ...[
    'İ;i̇',
    ' Ada ',
    '-0',
    '1e3',
    'NaN',
    '0x10',
    ' 12 ',
    'yes',
    'NO',
    '1',
    '2026-02-30',
    '2026-01-06 12:00',
    '2026-1-6',
  ],
)
const address = fc.oneof(
  fc.emailAddress(),
  fc.constantFrom(
    ...['ada@example.com', ' Ada@EXAMPLE.com ', 'ada@xn--bcher-kva.example', 'ada@bücher.example', 'xn--a@example.com'],
    ...['ada@example.com.', 'ada@XN--BCHER-KVA.example', 'ä@example.com', 'a..b@example.com', 'ada@localhost', 'ada'],
    ...['ada@xn--zz--.example', `${'a'.repeat(65)}@example.com`, 'a@b@example.com', 'ada@example.com\u00a0'],
  ),
)
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), strange)
const cell = fc.oneof(text, fc.constantFrom(null, undefined, 5, true, ['a'], { a: 1 }))
const heading = fc.constantFrom(
  ...['name', 'Name', 'NAME', 'tags', 'Tags', 'Favorite Color', 'favoriteColor', 'AGE', 'age', 'member', 'since'],
  ...['data', 'shoe', '__proto__', 'constructor', '', '1', 'email', '_id'],
)
const row = fc
  .tuple(
    fc.constantFrom('email', 'Email', 'E-Mail'),
    fc.oneof({ weight: 9, arbitrary: address }, { weight: 1, arbitrary: cell }),
    fc.array(fc.tuple(heading, fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: cell })), {
      maxLength: 6,
    }),
  )
  .map(([name, email, others]) => Object.fromEntries([[name, email], ...others]) as Record<string, unknown>)

describe('an import row', () => {
  it('is read the same with and without the schema', () => {
    fc.assert(
      fc.property(row, (values) => {
        expect(outcome(reader, values)).toEqual(outcome(bySchema, values))
      }),
      { numRuns: 3_000 },
    )
  })

  it('is read into the contact’s fields', () => {
    const values = { Email: ' Ada@example.com ', name: 'Ada', tags: 'VIP; early,vip,', AGE: '36.5', member: 'Yes' }
    expect(reader(values)).toEqual({
      email: 'Ada@example.com',
      emailKey: 'ada@example.com',
      given: {
        email: 'Ada@example.com',
        name: 'Ada',
        tags: ['vip', 'early'],
        customFields: { age: 36.5, member: true },
      },
    })
  })
})
