import type { AudienceQuery, Contact, Subscriber } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSuppression, aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { audienceProperties } from './audience-properties.js'
import { type ContractOptions, freshStore, type MakeStore } from './under-test/store.js'

const projectId = numberedId(0xb)
const question: AudienceQuery = { projectId, subscriberListId: numberedId(0xc), now: aTime }

const named = (name: string) => [
  { conditions: [{ category: 'contact-property', operator: 'equals', property: 'name', value: name } as const] },
]

/** Every method of `AudienceReader`; segments must mean what `matchesSegment` says. */
export const audienceContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: the audience`, () => {
    const store = freshStore(make)
    const audience = () => store().audience

    const addContact = (n: number, given: Partial<Contact> = {}) =>
      store().repositories.contacts.add(aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...given }))

    const addSubscriber = async (n: number, given: Partial<Subscriber> = {}, contact: Partial<Contact> = {}) => {
      await addContact(n, contact)
      await store().repositories.subscribers.add(
        aSubscriber({ _id: numberedId(0x100 + n), contactId: numberedId(n), ...given }),
      )
    }

    const members = async (given: Partial<AudienceQuery> = {}) =>
      (await audience().page({ ...question, ...given }, undefined, 100)).map(({ _id }) => Number.parseInt(_id, 16))

    it('is empty for an empty list', async () => {
      expect(await audience().count(question)).toEqual({ total: 0, reachable: 0 })
      expect(await audience().page(question, undefined, 10)).toEqual([])
    })

    it('contains the active subscribers of the project’s list', async () => {
      await addSubscriber(1)
      await addSubscriber(2, { status: 'unsubscribed' })
      await addSubscriber(3, { status: 'unverified' })
      await addSubscriber(4, { subscriberListId: numberedId(0xcc) })
      await addSubscriber(5, { projectId: numberedId(0xbb) }, { projectId: numberedId(0xbb) })
      await addContact(6)
      expect(await members()).toEqual([1])
      expect(await audience().count(question)).toEqual({ total: 1, reachable: 1 })
    })

    it('returns whole contacts', async () => {
      const contact = { tags: ['a'], customFields: { city: 'Zürich', age: 7, vip: true } }
      await addSubscriber(1, {}, contact)
      expect(await audience().page(question, undefined, 10)).toStrictEqual([
        aContact({ _id: numberedId(1), email: 'contact1@example.com', ...contact }),
      ])
    })

    it('counts an expired pause as active', async () => {
      await addSubscriber(1, { status: 'paused', pausedUntil: '2026-01-06T11:59:59.999Z' })
      await addSubscriber(2, { status: 'paused', pausedUntil: aTime })
      await addSubscriber(3, { status: 'paused', pausedUntil: '2026-01-06T12:00:00.001Z' })
      await addSubscriber(4, { status: 'paused' })
      expect(await members()).toEqual([1, 2])
      expect(await audience().count(question)).toEqual({ total: 2, reachable: 2 })
    })

    it('is narrowed by a segment: no groups match nobody, an empty group everybody', async () => {
      await addSubscriber(1, {}, { name: 'Bob' })
      await addSubscriber(2)
      expect(await members({ segment: named('BOB') })).toEqual([1])
      expect(await members({ segment: [...named('bob'), ...named('ada')] })).toEqual([1, 2])
      expect(await members({ segment: [] })).toEqual([])
      expect(await members({ segment: [{ conditions: [] }] })).toEqual([1, 2])
    })

    it('counts suppressed and unengaged contacts once, and not as reachable', async () => {
      const { suppressions } = store().repositories
      await addSubscriber(1)
      await addSubscriber(2, {}, { name: 'Gone' })
      await addSubscriber(3)
      await addSubscriber(4, {}, { name: 'Gone' })
      await suppressions.add(aSuppression({ _id: numberedId(1), email: 'CONTACT3@example.com' }))
      await suppressions.add(aSuppression({ _id: numberedId(2), email: 'contact4@example.com' }))
      await suppressions.add(
        aSuppression({ _id: numberedId(3), email: 'contact1@example.com', projectId: numberedId(0xbb) }),
      )
      await suppressions.add(aSuppression({ _id: numberedId(4), email: 'stranger@example.com' }))
      expect(await audience().count(question)).toEqual({ total: 4, reachable: 2 })
      expect(await audience().count({ ...question, unengaged: named('gone') })).toEqual({ total: 4, reachable: 1 })
      expect(await audience().count({ ...question, unengaged: [] })).toEqual({ total: 4, reachable: 2 })
      expect(await members({ unengaged: named('gone') })).toEqual([1, 2, 3, 4])
    })

    it('is paged by _id, each contact once', async () => {
      const numbers = [7, 3, 9, 1, 12, 5, 8]
      for (const n of numbers) await addSubscriber(n)
      for (const limit of [1, 2, 3, 7, 50]) {
        const seen: string[] = []
        for (let after: string | undefined; ; after = seen.at(-1)) {
          const page = await audience().page(question, after, limit)
          seen.push(...page.map(({ _id }) => _id))
          expect(page.length).toBeLessThanOrEqual(limit)
          if (page.length < limit) break
        }
        expect(seen).toEqual([1, 3, 5, 7, 8, 9, 12].map(numberedId))
      }
    })

    it('continues after a contact that was removed', async () => {
      for (const n of [1, 2, 3]) await addSubscriber(n)
      await store().repositories.contacts.remove({ _id: numberedId(2) })
      await store().repositories.subscribers.removeAll({ contactId: numberedId(2) })
      expect((await audience().page(question, numberedId(2), 10)).map(({ _id }) => _id)).toEqual([numberedId(3)])
    })

    it('reflects changes', async () => {
      const { contacts, subscribers } = store().repositories
      await addSubscriber(1)
      await addSubscriber(2)
      await contacts.change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Bob' }))
      expect(await members({ segment: named('bob') })).toEqual([1])
      await subscribers.change({ contactId: numberedId(1) }, (one) => ({ ...one, status: 'unsubscribed' }))
      expect(await members()).toEqual([2])
    })

    audienceProperties(make, options)
  })
}
