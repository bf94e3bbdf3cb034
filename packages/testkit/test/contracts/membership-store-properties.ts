import { collected, KeyTaken, subscriberStatuses } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSubscriberList, aTime, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ContractOptions, type ContractStore, type MakeStore, onFreshStore } from './under-test/store.js'

const projectId = numberedId(0xb)
const contactOf = (n: number) => numberedId(n + 1)
const listOf = (n: number) => numberedId(0x50 + n)

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('join' as const), contact: fc.nat(2), list: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant('upsertMembers' as const), contact: fc.nat(2), list: fc.nat(1) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('removeContact' as const), contact: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('removeList' as const), list: fc.nat(1) }) },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

const take = async ({ membershipStore }: ContractStore, one: Action, turn: number): Promise<void> => {
  if (one.verb === 'removeContact') await membershipStore.removeContact({ _id: contactOf(one.contact), projectId })
  else if (one.verb === 'removeList') await membershipStore.removeList({ _id: listOf(one.list), projectId })
  else if (one.verb === 'upsertMembers') {
    const { contact: n, list } = one
    const contact = aContact({ _id: contactOf(n), email: `contact${n}@example.com` })
    const memberships = [contactOf(n), contactOf((n + 1) % 3)].map((contactId, place) =>
      aSubscriber({ _id: numberedId(0x200 + 2 * turn + place), contactId, subscriberListId: listOf(list) }),
    )
    await membershipStore.upsertMembers(
      memberships.map((membership, place) => ({ ...(place === 0 && { contact }), membership })),
    )
  } else
    await membershipStore
      .join(
        aSubscriber({
          _id: numberedId(0x100 + turn),
          contactId: contactOf(one.contact),
          subscriberListId: listOf(one.list),
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof KeyTaken)) throw error
      })
}

/** Concurrent joins and removals, from two processes if the store supports them, leave no membership without its contact or list. */
export const membershipStoreProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  it('never leaves a membership without its contact or list, under any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 12 }), (actions) =>
        onFreshStore(make, async (store) => {
          const { contacts, subscriberLists, subscribers } = store.repositories
          const other = (await store.another?.()) ?? store
          for (const n of [0, 1, 2])
            await contacts.add(aContact({ _id: contactOf(n), email: `contact${n}@example.com` }))
          for (const n of [0, 1]) await subscriberLists.add(aSubscriberList({ _id: listOf(n) }))
          await Promise.all(actions.map((one, turn) => take(turn % 2 === 0 ? store : other, one, turn)))
          const left = await collected(subscribers.each({}))
          for (const { contactId, subscriberListId } of left) {
            expect(await contacts.get({ _id: contactId })).toBeDefined()
            expect(await subscriberLists.get({ _id: subscriberListId })).toBeDefined()
          }
          for (const n of [0, 1]) {
            const here = left.filter(({ subscriberListId }) => subscriberListId === listOf(n)).length
            const tally = await store.membershipStore.tally(listOf(n), aTime)
            expect(subscriberStatuses.reduce((sum, status) => sum + tally[status], 0)).toBe(here)
          }
          if (other !== store) await other.close()
        }),
      ),
      { numRuns: runs },
    )
  })
}
