import { conditionViolations, type FieldType, type FieldValue, type SegmentGroups } from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import type { ConditionOperator, SegmentCondition } from '../../src/segments/segment.js'

const field = (name: string, type: FieldType) => ({
  _id: name,
  projectId: 'p',
  name,
  type,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})
const fields = [field('city', 'string'), field('age', 'number'), field('member', 'boolean'), field('since', 'date')]

const wrongs = (groups: SegmentGroups) => conditionViolations(groups, fields).map(({ sentence }) => sentence)

const check = (
  operator: ConditionOperator,
  property?: string,
  value?: FieldValue,
  category?: SegmentCondition['category'],
) => wrongs([{ conditions: [{ category: category ?? 'contact-property', operator, property, value }] }])

describe('a valid condition', () => {
  it.each<[ConditionOperator, string | undefined, FieldValue | undefined]>([
    ['any', undefined, undefined],
    ['equals', 'city', 'Wien'],
    ['equals', 'city', ''],
    ['does-not-equal', 'age', 3],
    ['equals', 'member', false],
    ['contains', 'email', '@example.com'],
    ['is-empty', 'since', undefined],
    ['is-not-empty', 'name', undefined],
    ['is-true', 'member', undefined],
    ['less-than', 'age', -1.5],
    ['has-tag', undefined, 'vip'],
    ['date-equals', 'createdAt', '2026-01-06'],
    ['date-before', 'since', '2026-01-06T10:00:00+02:00'],
    ['date-in-last', 'since', 0],
    ['date-more-than', 'createdAt', 365],
  ])('%s on %s with %s is accepted', (operator, property, value) => {
    expect(check(operator, property, value)).toEqual([])
  })

  it('may be on engagement, with or without a number of days', () => {
    expect(check('opened', undefined, undefined, 'engagement')).toEqual([])
    expect(check('not-received', undefined, 90, 'engagement')).toEqual([])
  })
})

describe('a meaningless condition', () => {
  it.each<[ConditionOperator, string | undefined, FieldValue | undefined, string]>([
    ['equals', undefined, 'x', 'equals needs a property'],
    ['equals', 'shoeSize', 'x', 'unknown property shoeSize'],
    ['equals', 'city', 3, 'equals needs a text'],
    ['equals', 'age', '3', 'equals needs a number'],
    ['does-not-equal', 'member', 'yes', 'does-not-equal needs a boolean'],
    ['equals', 'since', '2026-01-06', 'equals is not for dates: use date-equals, date-before or date-after'],
    ['contains', 'age', '3', 'contains needs a text property and a text'],
    ['contains', 'city', '', 'contains needs a text property and a text'],
    ['contains', 'city', undefined, 'contains needs a text property and a text'],
    ['is-true', 'city', undefined, 'is-true needs a boolean property'],
    ['greater-than', 'city', 'a', 'greater-than needs a number property and a number'],
    ['has-tag', undefined, '', 'has-tag needs a tag'],
    ['has-tag', undefined, 1, 'has-tag needs a tag'],
    ['date-equals', 'since', 'next week', 'date-equals needs a date property and an ISO date'],
    ['date-equals', 'since', '2026-02-30', 'date-equals needs a date property and an ISO date'],
    ['date-after', 'city', '2026-01-06', 'date-after needs a date property and an ISO date'],
    ['date-in-last', 'since', '30', 'date-in-last needs a date property and a whole number of days'],
    ['date-more-than', 'since', -1, 'date-more-than needs a date property and a whole number of days'],
    ['opened', undefined, 3, 'opened is an engagement operator'],
  ])('%s on %s with %s is rejected: %s', (operator, property, value, message) => {
    expect(check(operator, property, value)).toEqual([`groups[0].conditions[0]: ${message}`])
  })

  it('is rejected in the category engagement, too', () => {
    expect(check('equals', 'city', 'x', 'engagement')).toEqual([
      'groups[0].conditions[0]: equals is no engagement operator',
    ])
    expect(check('opened', undefined, 'x', 'engagement')).toEqual([
      'groups[0].conditions[0]: opened takes a number of days, or no value',
    ])
  })

  it.each(['opened', 'any'] as const)('is rejected if it is on engagement and has a property: %s', (operator) => {
    expect(check(operator, 'city', undefined, 'engagement')).toEqual([
      'Unexpected field: groups[0].conditions[0].property',
    ])
  })

  it('is reported with its position, together with all others', () => {
    const wrong = { category: 'contact-property', operator: 'equals' } as const
    expect(
      wrongs([{ conditions: [] }, { conditions: [{ category: 'contact-property', operator: 'any' }, wrong, wrong] }]),
    ).toEqual(['groups[1].conditions[1]: equals needs a property', 'groups[1].conditions[2]: equals needs a property'])
  })
})
