import {
  type AudienceQuery,
  type Contact,
  matchesSegment,
  type ResolvedGroups,
  subscriberStatusAt,
} from '@posthorn/core/ports/storage'
import { aSubscriber, aSuppression, aTime, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groups, members, now } from './random-contacts.js'
import { type ContractOptions, type MakeStore, onFreshStore } from './under-test/store.js'

/** Many queries run against one store, because filling the store is the slow part. */
const questions = fc.array(fc.record({ segment: groups, unengaged: groups }, { requiredKeys: [] }), {
  minLength: 5,
  maxLength: 15,
})

/** Random conditions on random contacts: the store must agree with `matchesSegment`. */
export const audienceProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  it('matches the definition of conditions for any input', async () => {
    await fc.assert(
      fc.asyncProperty(members, questions, (everybody, asked) =>
        onFreshStore(make, async ({ audience, repositories: { contacts, subscribers, suppressions } }) => {
          for (const { contact: one, status, pausedUntil, suppressed } of everybody) {
            await contacts.add(one)
            await subscribers.add(
              aSubscriber({ _id: one._id, contactId: one._id, status, ...(pausedUntil && { pausedUntil }) }),
            )
            if (suppressed) await suppressions.add(aSuppression({ _id: one._id, email: one.email }))
          }
          for (const { segment, unengaged } of asked) {
            const question: AudienceQuery = {
              ...{ projectId: numberedId(0xb), subscriberListId: numberedId(0xc), now: aTime },
              ...(segment && { segment }),
              ...(unengaged && { unengaged }),
            }
            const meets = (conditions: ResolvedGroups, one: Contact) => matchesSegment(conditions, one, now)
            const meant = everybody.filter(
              (one) =>
                subscriberStatusAt(
                  { status: one.status, ...(one.pausedUntil && { pausedUntil: one.pausedUntil }) },
                  aTime,
                ) === 'active' &&
                (!segment || meets(segment, one.contact)),
            )
            const reachable = meant.filter((one) => !one.suppressed && !(unengaged && meets(unengaged, one.contact)))
            const ids = (await audience.page(question, undefined, 100)).map(({ _id }) => _id)
            expect(ids).toEqual(meant.map((one) => one.contact._id))
            expect(await audience.count(question)).toEqual({ total: meant.length, reachable: reachable.length })
          }
        }),
      ),
      { numRuns: runs },
    )
  })
}
