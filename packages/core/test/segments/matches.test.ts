import { type FieldValue, matchesSegment } from '@posthorn/core/ports/storage'
import { aContact } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConditionOperator, SegmentCondition } from '../../src/segments/segment.js'

const now = new Date('2026-01-06T12:00:00.000Z')

const contact = aContact({
  name: 'Ada Lovelace',
  tags: ['vip'],
  createdAt: '2025-01-05T10:00:00.000Z',
  lastOpenDate: '2025-12-31T12:00:00.000Z',
  lastReceiveDate: '2026-01-06T11:59:59.999Z',
  customFields: { city: 'ÖREBRO', age: 36, member: true, left: false, since: '2026-01-01T00:00:00.000Z', note: '' },
})

const holds = (operator: ConditionOperator, property?: string, value?: FieldValue) =>
  matchesSegment(
    [
      {
        conditions: [
          { category: 'contact-property', operator, ...(property && { property }), value } as SegmentCondition,
        ],
      },
    ],
    contact,
    now,
  )

describe('a segment’s groups', () => {
  const yes = { category: 'contact-property', operator: 'any' } as const
  const no = { category: 'contact-property', operator: 'is-true' } as const

  it('match nobody if there are none', () => {
    expect(matchesSegment([], contact, now)).toBe(false)
  })
  it('match everybody if one has no condition', () => {
    expect(matchesSegment([{ conditions: [no] }, { conditions: [] }], contact, now)).toBe(true)
  })
  it('are alternatives whose conditions are all required', () => {
    expect(matchesSegment([{ conditions: [yes, no] }], contact, now)).toBe(false)
    expect(matchesSegment([{ conditions: [yes, no] }, { conditions: [yes, yes] }], contact, now)).toBe(true)
  })
})

describe('a condition on a text', () => {
  it.each<[ConditionOperator, string, string, boolean]>([
    ['equals', 'city', 'örebro', true],
    ['equals', 'city', 'Örebr', false],
    ['equals', 'email', 'ADA@EXAMPLE.COM', true],
    ['does-not-equal', 'city', 'örebro', false],
    ['does-not-equal', 'city', 'Lund', true],
    ['contains', 'name', 'LOVE', true],
    ['contains', 'name', 'hate', false],
    ['contains', 'city', '%', false],
    ['does-not-contain', 'name', 'love', false],
    ['does-not-contain', 'name', '.*', true],
  ])('%s on %s with %s is %s in any case', (operator, property, value, expected) => {
    expect(holds(operator, property, value)).toBe(expected)
  })

  it('recognises empty texts', () => {
    expect(holds('is-empty', 'note')).toBe(true)
    expect(holds('is-not-empty', 'note')).toBe(false)
    expect(holds('is-not-empty', 'city')).toBe(true)
  })
})

describe('a condition on a number', () => {
  it.each<[ConditionOperator, number, boolean]>([
    ['equals', 36, true],
    ['does-not-equal', 36, false],
    ['greater-than', 36, false],
    ['greater-than', 35.5, true],
    ['greater-than-or-equal', 36, true],
    ['greater-than-or-equal', 37, false],
    ['less-than', 36, false],
    ['less-than', 100, true],
    ['less-than-or-equal', 36, true],
    ['less-than-or-equal', 35, false],
  ])('%s %s is %s', (operator, value, expected) => {
    expect(holds(operator, 'age', value)).toBe(expected)
  })

  it('does not match other types: 100 and "100" are not compared', () => {
    expect(holds('equals', 'age', '36')).toBe(false)
    expect(holds('greater-than', 'age', '1')).toBe(false)
    expect(holds('less-than', 'city', 'zzz')).toBe(false)
    expect(holds('less-than-or-equal', 'left', true)).toBe(false)
  })
})

describe('a condition on a boolean', () => {
  it('treats a missing value as false', () => {
    expect(holds('is-true', 'member')).toBe(true)
    expect(holds('is-true', 'left')).toBe(false)
    expect(holds('is-false', 'left')).toBe(true)
    expect(holds('is-false', 'absent')).toBe(true)
    expect(holds('is-true', 'city')).toBe(false)
  })
})

describe('a condition on a tag', () => {
  it('matches it in any spelling', () => {
    expect(holds('has-tag', undefined, 'VIP')).toBe(true)
    expect(holds('has-tag', undefined, 'vi')).toBe(false)
    expect(holds('does-not-have-tag', undefined, 'Vip')).toBe(false)
    expect(holds('does-not-have-tag', undefined, 'other')).toBe(true)
  })
})

describe('a condition on a date', () => {
  it.each<[ConditionOperator, string, FieldValue, boolean]>([
    ['date-equals', 'since', '2026-01-01', true],
    ['date-equals', 'since', '2026-01-01T23:59:59Z', true],
    ['date-equals', 'since', '2026-01-01T00:00:00+01:00', false],
    ['date-before', 'since', '2026-01-01', false],
    ['date-before', 'since', '2026-01-01T00:00:00.001Z', true],
    ['date-after', 'since', '2026-01-01', false],
    ['date-after', 'since', '2025-12-31T23:59', true],
    ['date-in-last', 'since', 6, true],
    ['date-in-last', 'since', 5, false],
    ['date-more-than', 'since', 5, true],
    ['date-more-than', 'since', 6, false],
    ['date-more-than', 'createdAt', 366, true],
    ['date-more-than', 'createdAt', 367, false],
    ['date-more-than', 'since', Number.MAX_SAFE_INTEGER, false],
    ['date-before', 'note', '2026-01-01', false],
    ['date-after', 'city', 'tomorrow', false],
  ])('%s on %s with %s is %s', (operator, property, value, expected) => {
    expect(holds(operator, property, value)).toBe(expected)
  })

  it('excludes future dates from the last days', () => {
    const later = aContact({ customFields: { since: '2026-01-06T12:00:00.001Z' } })
    const condition = { category: 'contact-property', operator: 'date-in-last', property: 'since', value: 1 } as const
    expect(matchesSegment([{ conditions: [condition] }], later, now)).toBe(false)
  })
})

describe('a condition on engagement', () => {
  const engaged = (operator: ConditionOperator, value?: number) =>
    matchesSegment([{ conditions: [{ category: 'engagement', operator, value } as SegmentCondition] }], contact, now)

  it.each<[ConditionOperator, number | undefined, boolean]>([
    ['opened', undefined, true],
    ['opened', 6, true],
    ['opened', 5, false],
    ['not-opened', 5, true],
    ['not-opened', undefined, false],
    ['clicked', undefined, false],
    ['not-clicked', undefined, true],
    ['not-clicked', 30, true],
    ['received', 0, false],
    ['received', 1, true],
    ['not-received', 0, true],
  ])('%s within %s days is %s', (operator, days, expected) => {
    expect(engaged(operator, days)).toBe(expected)
  })
})

describe('a missing value', () => {
  const satisfied = new Set<ConditionOperator>([
    'any',
    'is-empty',
    'does-not-equal',
    'does-not-contain',
    'is-false',
    'does-not-have-tag',
    'not-opened',
    'not-clicked',
    'not-received',
  ])
  const bare = aContact({ name: '' })

  it.each([
    'any',
    'equals',
    'does-not-equal',
    'contains',
    'does-not-contain',
    'is-empty',
    'is-not-empty',
    'is-true',
    'is-false',
    'greater-than',
    'greater-than-or-equal',
    'less-than',
    'less-than-or-equal',
    'has-tag',
    'does-not-have-tag',
    'opened',
    'not-opened',
    'clicked',
    'not-clicked',
    'received',
    'not-received',
    'date-equals',
    'date-before',
    'date-after',
    'date-in-last',
    'date-more-than',
  ] as const)('decides %s as specified', (operator) => {
    const value = fc.sample(fc.oneof(fc.string(), fc.integer({ min: 0 }), fc.boolean()), 20)
    for (const given of value) {
      const condition = { category: 'contact-property', operator, property: 'missing', value: given } as const
      expect(matchesSegment([{ conditions: [condition] }], bare, now)).toBe(satisfied.has(operator))
    }
  })

  it('is not inherited from a prototype', () => {
    expect(holds('is-empty', 'constructor')).toBe(true)
    expect(holds('is-empty', '__proto__')).toBe(true)
  })
})
