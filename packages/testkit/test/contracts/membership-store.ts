import {
  collected,
  KeyTaken,
  type MembershipQuery,
  type Subscriber,
  subscriberStatuses,
} from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSubscriberList, aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { membershipStoreProperties } from './membership-store-properties.js'
import { type ContractOptions, freshStore, type MakeStore } from './under-test/store.js'

const projectId = numberedId(0xb)
const subscriberListId = numberedId(0xc)

/** Every method of `MembershipStore`; no membership outlives its contact or list. */
export const membershipStoreContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: the membership store`, () => {
    const store = freshStore(make)
    const membershipStore = () => store().membershipStore
    const addContact = (n: number) =>
      store().repositories.contacts.add(aContact({ _id: numberedId(n), email: `contact${n}@example.com` }))
    const addList = () => store().repositories.subscriberLists.add(aSubscriberList())
    const membership = (n: number, given: Partial<Subscriber> = {}) =>
      aSubscriber({ _id: numberedId(0x100 + n), contactId: numberedId(n), ...given })
    const stored = (n: number) => store().repositories.subscribers.get({ _id: numberedId(0x100 + n) })
    const question: MembershipQuery = {
      ...{ subscriberListId, where: {}, now: aTime },
      ...{ sort: { by: '_id', order: 'asc' }, skip: 0, limit: 10 },
    }
    const numbers = async (given: Partial<MembershipQuery> = {}) =>
      (await membershipStore().page({ ...question, ...given })).items.map(({ contactId }) =>
        Number.parseInt(contactId, 16),
      )

    it('adds a contact to a list once', async () => {
      await Promise.all([addList(), addContact(1)])
      expect(await membershipStore().join(membership(1))).toBeUndefined()
      expect(await stored(1)).toStrictEqual(membership(1))
      await expect(membershipStore().join(membership(1, { _id: numberedId(0x200) }))).rejects.toThrow(KeyTaken)
    })

    it('adds nobody without a contact or list of the same project', async () => {
      expect(await membershipStore().join(membership(1))).toBe('contact')
      await addContact(1)
      expect(await membershipStore().join(membership(1))).toBe('list')
      await addList()
      expect(await membershipStore().join(membership(1, { projectId: numberedId(0xbb) }))).toBe('contact')
      expect(await stored(1)).toBeUndefined()
    })

    it('counts a pending event of a membership once under concurrency', async () => {
      await Promise.all([addList(), addContact(1)])
      const event = (_id: string) => ({ _id, type: 'subscribe', at: aTime, status: 'active' }) as const
      await membershipStore().join(membership(1, { owed: [event('a'), event('b')], owes: 'events' }))
      const figures = [{ subject: 'list:a', metric: 'subscribe', slot: '2026-01-06T12:00', n: 1 }] as const
      const settle = (eventId: string) => membershipStore().settleOwed(membership(1), eventId, figures)
      expect(await settle('c')).toBe(false)
      const results = await Promise.all([settle('a'), settle('a'), settle('a')])
      expect(results.filter(Boolean)).toHaveLength(1)
      expect(await stored(1)).toStrictEqual(membership(1, { owed: [event('b')], owes: 'events' }))
      expect(await collected(store().repositories.subscribers.each({ owes: 'events' }))).toHaveLength(1)
      expect(await settle('b')).toBe(true)
      expect(await stored(1)).toStrictEqual(membership(1))
      expect(await collected(store().repositories.subscribers.each({ owes: 'events' }))).toEqual([])
      expect(await store().figures.totals('list:a', {})).toEqual({ subscribe: 2 })
      expect(await membershipStore().settleOwed(membership(2), 'a', figures)).toBe(false)
    })

    it('upserts contacts with and without a membership, and returns why each was not added', async () => {
      await Promise.all([addList(), addContact(1), addContact(2)])
      await membershipStore().join(membership(2))
      const fresh = (n: number, email = `contact${n}@example.com`) => ({
        contact: aContact({ _id: numberedId(n), email }),
      })
      const results = await membershipStore().upsertMembers([
        { ...fresh(3), membership: membership(3) },
        fresh(4),
        { membership: membership(1) },
        { membership: membership(2, { _id: numberedId(0x202), status: 'paused' }) },
        { ...fresh(5, 'contact1@example.com'), membership: membership(5) },
        { ...fresh(6), membership: membership(6, { subscriberListId: numberedId(0xcc) }) },
        { membership: membership(7) },
        { ...fresh(8), membership: membership(8) },
        {},
      ])
      const nothing = undefined
      expect(results).toEqual([nothing, nothing, nothing, nothing, 'taken', 'list', 'contact', nothing, nothing])
      expect(await numbers({ sort: { by: 'contactId', order: 'asc' } })).toEqual([1, 2, 3, 8])
      expect(await stored(3)).toStrictEqual(membership(3))
      expect(await stored(2)).toStrictEqual(membership(2))
      const { contacts } = store().repositories
      const all = (await collected(contacts.each({ projectId }))).map(({ _id }) => Number.parseInt(_id, 16))
      expect(all).toEqual([1, 2, 3, 4, 6, 8])
      expect(await contacts.get({ _id: numberedId(3) })).toStrictEqual(fresh(3).contact)
      expect(await membershipStore().upsertMembers([])).toEqual([])
    })

    it('upserts no member across projects', async () => {
      await Promise.all([addList(), addContact(1)])
      const elsewhere = { projectId: numberedId(0xbb) }
      const results = await membershipStore().upsertMembers([
        { membership: membership(1) },
        { membership: membership(1, { ...elsewhere, _id: numberedId(0x201) }) },
        { membership: membership(2, { ...elsewhere, _id: numberedId(0x202), contactId: numberedId(1) }) },
        { contact: aContact({ ...elsewhere, _id: numberedId(3) }), membership: membership(3, elsewhere) },
      ])
      expect(results).toEqual([undefined, 'contact', 'contact', 'list'])
      expect(await numbers()).toEqual([1])
    })

    it('removes a contact with its memberships only', async () => {
      await Promise.all([addList(), addContact(1), addContact(2)])
      await membershipStore().join(membership(1))
      await membershipStore().join(membership(2))
      expect(await membershipStore().removeContact({ _id: numberedId(1), projectId: numberedId(0xbb) })).toBeUndefined()
      expect(await membershipStore().removeContact({ _id: numberedId(1), projectId })).toMatchObject({
        _id: numberedId(1),
      })
      expect(await membershipStore().removeContact({ _id: numberedId(1), projectId })).toBeUndefined()
      expect(await numbers()).toEqual([2])
    })

    it('removes a list with its memberships, and keeps the contacts', async () => {
      await Promise.all([addList(), addContact(1)])
      await membershipStore().join(membership(1))
      expect(await membershipStore().removeList({ _id: subscriberListId, projectId: numberedId(0xbb) })).toBeUndefined()
      expect(await membershipStore().removeList({ _id: subscriberListId, projectId })).toMatchObject({
        _id: subscriberListId,
      })
      expect(await numbers()).toEqual([])
      expect(await store().repositories.contacts.get({ _id: numberedId(1) })).toMatchObject({ _id: numberedId(1) })
    })

    it('uses the current status', async () => {
      const { subscribers } = store().repositories
      await subscribers.add(membership(1))
      await subscribers.add(membership(2, { status: 'paused', pausedUntil: aTime }))
      await subscribers.add(membership(3, { status: 'paused', pausedUntil: '2026-01-06T12:00:00.001Z' }))
      await subscribers.add(membership(4, { status: 'paused' }))
      await subscribers.add(membership(5, { status: 'unsubscribed' }))
      await subscribers.add(membership(6, { subscriberListId: numberedId(0xcc) }))
      const found = await Promise.all(subscriberStatuses.map((status) => numbers({ status })))
      expect(found).toEqual([[], [1, 2], [3, 4], [5]])
      expect(await numbers()).toEqual([1, 2, 3, 4, 5])
      expect(await numbers({ status: 'active', where: { contactId: [numberedId(2), numberedId(3)] } })).toEqual([2])
      const counts = { unverified: 0, active: 2, paused: 2, unsubscribed: 1 }
      expect(await membershipStore().tally(subscriberListId, aTime)).toEqual(counts)
    })

    it('sorts, paginates, and counts all matches', async () => {
      const { subscribers } = store().repositories
      for (const n of [1, 2, 3, 4])
        await subscribers.add(membership(n, { createdAt: `2026-01-0${n % 2}T00:00:00.000Z` }))
      const sort = { by: 'createdAt', order: 'desc' } as const
      expect(await numbers({ sort })).toEqual([3, 1, 4, 2])
      expect(await numbers({ sort, skip: 1, limit: 2 })).toEqual([1, 4])
      expect((await membershipStore().page({ ...question, status: 'active', skip: 3, limit: 9 })).count).toBe(4)
    })

    membershipStoreProperties(make, options)
  })
}
