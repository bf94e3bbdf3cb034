import {
  conditionOperators,
  conditionViolations,
  customFieldTypes,
  engagementOperators,
  type ResolvedCondition,
  type ResolvedGroups,
  subscriberStatuses,
} from '@posthorn/core/ports/storage'
import { aContact, aTime, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'

/** The time at which conditions are evaluated. */
export const now = new Date(aTime)
const day = 24 * 60 * 60_000
const days = [0, 1, 90, 365] as const

const daysAgo = (n: number, milliseconds = 0) => new Date(now.getTime() - n * day + milliseconds).toISOString()

/** Instants at the boundaries of comparisons: a millisecond around each limit, and the ends of a day. */
const instant = fc.oneof(
  fc.tuple(fc.constantFrom(...days), fc.constantFrom(-1, 0, 1)).map(([n, ms]) => daysAgo(n, ms)),
  fc.constantFrom(daysAgo(-3), '2025-12-24T00:00:00.000Z', '2025-12-24T23:59:59.999Z', '0999-05-01T00:00:00.000Z'),
)
const text = fc.constantFrom(
  '',
  'Wien',
  'wien',
  'WIEN!',
  'Élan',
  'élan',
  '%',
  '_ien',
  'W.en',
  '.*',
  "O'Neil",
  '7',
  'true',
  // Letters with a longer lower case, or of another alphabet: only the language's own case folding finds the same contacts.
  'STRASSE',
  'Straße',
  'İSTANBUL',
  'istanbul',
  '273 \u212a',
  '273 k',
)
const number = fc.constantFrom(-1, 0, 0.5, 7, 90, 365)
const tag = fc.constantFrom('vip', 'élan', 'a.b', '7')

/** Custom fields and the values they store. Conditions may date from a time when the field had another type. */
export const fields = { city: text, age: number, vip: fc.boolean(), born: instant } as const

const contact = (n: number) =>
  fc
    .record(
      {
        name: text,
        createdAt: instant,
        tags: fc.uniqueArray(tag, { maxLength: 2 }),
        lastOpenDate: instant,
        lastClickDate: instant,
        lastReceiveDate: instant,
        customFields: fc.record(fields, { requiredKeys: [] }),
      },
      { requiredKeys: ['name', 'createdAt', 'tags', 'customFields'] },
    )
    .map((given) => aContact({ _id: numberedId(n), email: `${n % 2 ? 'Wien' : 'elan'}${n}@example.com`, ...given }))

/** Whether the condition could have been saved with some type of the property's field. */
const isSavable = (condition: ResolvedCondition) =>
  customFieldTypes.some((type) => {
    const field = { ...aContact(), name: condition.property ?? '', type }
    return conditionViolations([{ conditions: [condition] }], [field]).length === 0
  })

const condition: fc.Arbitrary<ResolvedCondition> = fc.constantFrom(...conditionOperators).chain((operator) =>
  fc
    .record(
      {
        operator: fc.constant(operator),
        property: fc.constantFrom('email', 'name', 'createdAt', 'city', 'age', 'vip', 'born', 'unknown'),
        value: fc.oneof(
          text,
          tag,
          fc.constantFrom(...days),
          number,
          fc.boolean(),
          instant,
          fc.constantFrom('2025-12-24', '2026-01-06', 'WIEN', 'ÉLAN', 'VIP', '@example.com'),
        ),
      },
      { requiredKeys: ['operator'] },
    )
    .map(
      (given): ResolvedCondition => ({
        ...given,
        category: (engagementOperators as readonly string[]).includes(operator) ? 'engagement' : 'contact-property',
      }),
    )
    .filter(isSavable)
    .chain((savable) =>
      operator === 'has-tag' || operator === 'does-not-have-tag'
        ? fc
            .option(fc.uniqueArray(tag, { maxLength: 3 }), { nil: undefined })
            .map((tags) => ({ ...savable, ...(tags && { tags }) }))
        : fc.constant(savable),
    ),
)

/** The conditions of a segment, as they could have been saved or with several tags, whether or not they match contacts. */
export const groups: fc.Arbitrary<ResolvedGroups> = fc.array(
  fc.record({ conditions: fc.array(condition, { maxLength: 3 }) }),
  {
    maxLength: 3,
  },
)

const member = (n: number) =>
  fc.record({
    contact: contact(n),
    status: fc.constantFrom(...subscriberStatuses, 'active', 'active', 'active'),
    pausedUntil: fc.option(instant, { nil: undefined }),
    suppressed: fc.boolean(),
  })
/** Contacts, each with its membership of a list. */
export const members = fc
  .integer({ min: 1, max: 8 })
  .chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => member(i + 1))))
