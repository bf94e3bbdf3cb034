import type { FieldValue } from '../contacts/contact.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import { conditionTags, type engagementDateFields, instantOfSegmentValue } from './matches.js'
import { engagementOperators, type ResolvedCondition, type ResolvedGroups, type SegmentCondition } from './segment.js'

export type ComparisonOperator = '>' | '>=' | '<' | '<='

export type SegmentQueryBuilder<E> = {
  readonly always: E
  readonly never: E
  /** "Unknown" counts as "no". */
  readonly not: (one: E) => E
  readonly all: (several: readonly E[]) => E
  readonly any: (several: readonly E[]) => E
  /** From here on, texts are in lower case. */
  readonly equal: (property: string, given: FieldValue) => E
  readonly containing: (property: string, text: string) => E
  /** Only numbers have an order. */
  readonly compared: (property: string, comparison: ComparisonOperator, given: number) => E
  readonly empty: (property: string) => E
  readonly isTrue: (property: string) => E
  readonly tagged: (tag: string) => E
  /** Without an instant: ever. */
  readonly engaged: (how: keyof typeof engagementDateFields, since: string | undefined) => E
  readonly dated: (property: string, comparison: ComparisonOperator, instant: string) => E
  /** `2026-01-06`, in UTC. */
  readonly onDay: (property: string, day: string) => E
}

const isEngagement = ({ operator }: SegmentCondition) => (engagementOperators as readonly string[]).includes(operator)

/** Engagement conditions first: stores find their dates fastest. */
const byCost = (a: SegmentCondition, b: SegmentCondition) => Number(isEngagement(b)) - Number(isEngagement(a))

/** Compiles `matchesSegment`, with which it shares no code: a contract compares every store with that. */
export const compileSegment = <E>(words: SegmentQueryBuilder<E>) => {
  const { always, never, not, all, any } = words

  const equal = (property: string, given: SegmentCondition['value']): E =>
    given === undefined ? never : words.equal(property, typeof given === 'string' ? given.toLowerCase() : given)

  const containing = (property: string, given: SegmentCondition['value']): E =>
    typeof given === 'string' ? words.containing(property, given.toLowerCase()) : never

  const compared = (property: string, comparison: ComparisonOperator, given: SegmentCondition['value']): E =>
    typeof given === 'number' ? words.compared(property, comparison, given) : never

  const tagged = (condition: ResolvedCondition): E => any(conditionTags(condition).map(words.tagged))

  const dated = (property: string, comparison: ComparisonOperator, instant: string | undefined): E =>
    instant === undefined ? never : words.dated(property, comparison, instant)

  const onDay = (property: string, given: SegmentCondition['value']): E => {
    const instant = instantOfSegmentValue(given)
    return instant === undefined ? never : words.onDay(property, instant.slice(0, 10))
  }

  const said = (condition: ResolvedCondition, now: Date): E => {
    const { operator, property = '', value } = condition
    const ago = typeof value === 'number' ? instantDaysBefore(now, value) : undefined
    switch (operator) {
      case 'any':
        return always
      case 'equals':
        return equal(property, value)
      case 'does-not-equal':
        return not(equal(property, value))
      case 'contains':
        return containing(property, value)
      case 'does-not-contain':
        return not(containing(property, value))
      case 'is-empty':
        return words.empty(property)
      case 'is-not-empty':
        return not(words.empty(property))
      case 'is-true':
        return words.isTrue(property)
      case 'is-false':
        return not(words.isTrue(property))
      case 'greater-than':
        return compared(property, '>', value)
      case 'greater-than-or-equal':
        return compared(property, '>=', value)
      case 'less-than':
        return compared(property, '<', value)
      case 'less-than-or-equal':
        return compared(property, '<=', value)
      case 'has-tag':
        return tagged(condition)
      case 'does-not-have-tag':
        return not(tagged(condition))
      case 'opened':
      case 'clicked':
      case 'received':
        return words.engaged(operator, ago)
      case 'not-opened':
        return not(words.engaged('opened', ago))
      case 'not-clicked':
        return not(words.engaged('clicked', ago))
      case 'not-received':
        return not(words.engaged('received', ago))
      case 'date-equals':
        return onDay(property, value)
      case 'date-before':
        return dated(property, '<', instantOfSegmentValue(value))
      case 'date-after':
        return dated(property, '>', instantOfSegmentValue(value))
      case 'date-in-last':
        return all([dated(property, '>=', ago), dated(property, '<=', now.toISOString())])
      case 'date-more-than':
        return dated(property, '<', ago)
    }
  }

  return (groups: ResolvedGroups, now: Date): E =>
    any(groups.map(({ conditions }) => all(conditions.toSorted(byCost).map((condition) => said(condition, now)))))
}
