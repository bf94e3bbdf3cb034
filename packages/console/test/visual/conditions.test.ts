import { describe, expect, it } from 'vitest'
import { compileTemplate } from '../../../core/src/mail/template/program.js'
import { type Condition, conditionOf, expressionOf } from '../../src/editor/visual/conditions.js'

const contact = { city: 'Hamburg', empty: '', spent: 30, member: true, tags: ['fiction', 'events'] }

const isMet = (expression: string): boolean =>
  compileTemplate(`{{#if ${expression}}}yes{{else}}no{{/if}}`, 'text')({ contact }) === 'yes'

const condition = (
  field: string,
  comparison: Condition['comparison'],
  value = '',
  kind: Condition['kind'] = 'text',
): Condition => ({ field: `contact.${field}`, comparison, value, kind })

describe('a condition of the visual editor', () => {
  it.each<readonly [Condition, boolean]>([
    [condition('city', 'filled'), true],
    [condition('empty', 'filled'), false],
    [condition('empty', 'empty'), true],
    [condition('unknown', 'empty'), true],
    [condition('city', 'equals', 'Hamburg'), true],
    [condition('city', 'equals', 'hamburg'), false],
    [condition('city', 'differs', 'Berlin'), true],
    [condition('city', 'contains', 'burg'), true],
    [condition('city', 'lacks', 'burg'), false],
    [condition('tags', 'contains', 'fiction'), true],
    [condition('tags', 'lacks', 'fiction'), false],
    [condition('unknown', 'lacks', 'anything'), true],
    [condition('spent', 'equals', '30', 'number'), true],
    [condition('spent', 'equals', '30'), false],
    [condition('member', 'differs', 'false', 'boolean'), true],
  ])('%j means in a mail what it says', (one, expected) => {
    expect(isMet(expressionOf(one))).toBe(expected)
    expect(conditionOf(expressionOf(one))).toEqual(one)
  })

  it('keeps quotation marks in a value, and what a template cannot contain out of it', () => {
    const quoted = expressionOf(condition('city', 'equals', 'The "Hague"'))
    expect(conditionOf(quoted)?.value).toBe('The "Hague"')
    expect(isMet(quoted)).toBe(false)
    expect(isMet(expressionOf(condition('city', 'equals', '}}"\'{{\\')))).toBe(false)
  })

  it.each(['(AND contact.city contact.name)', '(EQ contact.a contact.b)', '(OR contact.city)', 'contact.city 3', ''])(
    'is none where more is asked: %s',
    (expression) => expect(conditionOf(expression)).toBeUndefined(),
  )
})
