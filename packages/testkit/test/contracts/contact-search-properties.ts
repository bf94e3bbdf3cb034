import { type ContactQuery, subscriberStatuses } from '@posthorn/core/ports/storage'
import { aSubscriber, aTime, inMemoryStore, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fields, groups, members } from './random-contacts.js'
import { type ContractOptions, type MakeStore, onFreshStore } from './under-test/store.js'

const where = fc.record(
  {
    name: fc.constantFrom('', 'Wien', 'wien', 'Élan'),
    tags: fc.constantFrom('vip', 'élan', '7'),
    emailKey: fc.constantFrom('wien1@example.com', 'elan2@example.com'),
    _id: fc.integer({ min: 1, max: 8 }).map(numberedId),
    'customFields.city': fields.city,
    'customFields.age': fields.age,
    'customFields.vip': fields.vip,
    'customFields.born': fields.born,
  },
  { requiredKeys: [] },
)

/** Most queries have few conditions, because many conditions match no contact. */
const few = where.map((all) => Object.fromEntries(Object.entries(all).slice(0, 1)))

const list = fc.record(
  {
    subscriberListId: fc.constantFrom(numberedId(0xc), numberedId(0xc), numberedId(0xcc)),
    status: fc.constantFrom(...subscriberStatuses),
    where: fc.record({ status: fc.constantFrom(...subscriberStatuses) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['subscriberListId'] },
)

const by = fc.constantFrom<ContactQuery['sort']['by'][]>(
  ...(['_id', 'email', 'emailKey', 'name', 'createdAt', 'lastOpenDate', 'lastClickDate'] as const),
  ...(['customFields.city', 'customFields.age', 'customFields.vip', 'customFields.born', 'customFields.no'] as const),
)

const question = fc.record(
  {
    projectId: fc.constant(numberedId(0xb)),
    where: fc.oneof(fc.constant({}), few, where),
    list,
    onOneOf: fc.subarray([numberedId(0xc), numberedId(0xcc), numberedId(0xccc)]),
    segments: fc.oneof(fc.constant([]), fc.array(groups, { minLength: 1, maxLength: 2 })),
    emailPrefix: fc.constantFrom('', 'wien', 'elan2', 'x'),
    sort: fc.record({ by, order: fc.constantFrom('asc', 'desc') }),
    skip: fc.oneof(fc.constant(0), fc.nat(4)),
    limit: fc.integer({ min: 1, max: 9 }),
    now: fc.constant(aTime),
  },
  { requiredKeys: ['projectId', 'where', 'segments', 'sort', 'skip', 'limit', 'now'] },
) as fc.Arbitrary<ContactQuery>

/** Random queries on random contacts: the store must give the same results as the store in memory. */
export const contactSearchProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  it('returns the same as the in-memory search for any query', async () => {
    await fc.assert(
      fc.asyncProperty(members, fc.array(question, { minLength: 10, maxLength: 30 }), (everybody, questions) =>
        onFreshStore(make, async (store) => {
          const model = inMemoryStore()
          const added = [model, store].flatMap(({ repositories }) =>
            everybody.flatMap(({ contact, status, pausedUntil, suppressed }) => {
              // Suppressed members are put on another list, because these queries ignore suppressions.
              const subscriberListId = numberedId(suppressed ? 0xcc : 0xc)
              const until = pausedUntil && { pausedUntil }
              const { _id } = contact
              const subscriber = aSubscriber({ _id, contactId: _id, subscriberListId, status, ...until })
              return [repositories.contacts.add(contact), repositories.subscribers.add(subscriber)]
            }),
          )
          await Promise.all(added)
          for (const asked of questions)
            expect(await store.contactSearch.page(asked)).toStrictEqual(await model.contactSearch.page(asked))
        }),
      ),
      { numRuns: runs },
    )
  })
}
