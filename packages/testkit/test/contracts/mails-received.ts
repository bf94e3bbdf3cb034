import { type Contact, type ContactQuery, collected } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSubscriberList, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptance, at, bulk, row, settlement } from './ledger/ledger-rows.js'
import {
  type ContractOptions,
  type ContractStore,
  freshStore,
  type MakeStore,
  onFreshStore,
} from './under-test/store.js'

const { projectId } = bulk
const subscriberListId = numberedId(0xc)
const contact = (n: number, given: Partial<Contact> = {}) =>
  aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...given })

/** The contact without the date of its last received mail. */
const undated = (one: Contact) =>
  Object.fromEntries(Object.entries(one).filter(([field]) => field !== 'lastReceiveDate')) as Contact

/** Sends and records several mails together: to which contacts, and after how many seconds. */
const receive = async (
  { deliveries, repositories }: ContractStore,
  first: number,
  ...mails: readonly (readonly [n: number, seconds: number])[]
) => {
  const numbers = mails.map((_, index) => 0x1000 + first + index)
  const leased = { status: 'sending', worker: 'worker-1', leaseUntil: at(60) } as const
  const dispatch = numberedId(0xd000 + first)
  const rows = numbers.map((n) => row(n, { ...leased, dispatchId: dispatch, _id: `${dispatch}:${n}` }))
  await deliveries.accept({ ...acceptance(rows), dispatch: { ...acceptance([]).dispatch, _id: dispatch } })
  const outcomes = mails.map(([n, seconds], index) => {
    const { _id = '' } = rows[index] ?? {}
    return { ...settlement(1), _id, receivedBy: numberedId(n), now: at(seconds) }
  })
  await deliveries.settle(outcomes)
  // A store may delay the changes that follow an outcome; reading a contact waits for them.
  await repositories.contacts.get({ _id: numberedId(1) })
}

/** The date of a contact's last received mail, set by the ledger and by writes of the contact, wherever a store keeps it. */
export const mailsReceivedContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: the date of the last mail received`, () => {
    const store = freshStore(make)
    const contacts = () => store().repositories.contacts
    const dateOf = async (n: number) => (await contacts().get({ _id: numberedId(n) }))?.lastReceiveDate
    const numbersOf = (found: readonly Contact[]) => found.map(({ _id }) => Number.parseInt(_id, 16))

    it('is visible in every query', async () => {
      await store().repositories.subscriberLists.add(aSubscriberList({ _id: subscriberListId, projectId }))
      await store().membershipStore.upsertMembers(
        [1, 2, 3].map((n) => ({
          contact: contact(n),
          membership: aSubscriber({ _id: numberedId(0x100 + n), contactId: numberedId(n), subscriberListId }),
        })),
      )
      await receive(store(), 1, [1, 9], [3, 5])
      const all = [contact(1, { lastReceiveDate: at(9) }), contact(2), contact(3, { lastReceiveDate: at(5) })] as const
      const [one, , three] = all
      expect(await contacts().get({ _id: one._id })).toStrictEqual(one)
      expect(await contacts().get({ projectId, emailKey: three.emailKey })).toStrictEqual(three)
      expect(await contacts().get({ projectId, lastReceiveDate: at(5) })).toStrictEqual(three)
      expect(await contacts().get({ projectId, lastReceiveDate: at(4) })).toBeUndefined()
      expect(await collected(contacts().each({ projectId }))).toStrictEqual(all)
      expect(numbersOf(await collected(contacts().each({ projectId, lastReceiveDate: undefined })))).toEqual([2])
      expect(numbersOf(await collected(contacts().each({ projectId, lastReceiveDate: [at(9), at(5)] })))).toEqual([
        1, 3,
      ])
      for (const [order, sorted] of [
        ['asc', [2, 3, 1]],
        ['desc', [1, 3, 2]],
      ] as const) {
        const listed = { where: { projectId }, sort: { by: 'lastReceiveDate', order }, skip: 0, limit: 9 } as const
        expect(numbersOf((await contacts().list(listed)).items)).toEqual(sorted)
        const question: ContactQuery = { ...listed, projectId, where: {}, segments: [], now: at(60) }
        expect(numbersOf((await store().contactSearch.page(question)).items)).toEqual(sorted)
        const asked = { ...question, where: { lastReceiveDate: at(9) } }
        expect(await store().contactSearch.page(asked)).toStrictEqual({ items: [one], count: 1 })
      }
      const audience = { projectId, subscriberListId, now: at(24 * 60 * 60 + 5) }
      expect(await store().audience.page(audience, undefined, 9)).toStrictEqual(all)
      const received = [{ conditions: [{ category: 'engagement', operator: 'received', value: 1 } as const] }]
      expect(numbersOf(await store().audience.page({ ...audience, segment: received }, undefined, 9))).toEqual([1, 3])
      const soon = { ...audience, now: at(24 * 60 * 60 + 6), segment: received }
      expect(numbersOf(await store().audience.page(soon, undefined, 9))).toEqual([1])
      expect(await store().audience.count(soon)).toEqual({ total: 1, reachable: 1 })
    })

    it('is the later of two mails stored together, in either order', async () => {
      await Promise.all([contacts().add(contact(1)), contacts().add(contact(2))])
      await receive(store(), 1, [1, 7], [1, 8], [2, 8], [2, 7])
      expect([await dateOf(1), await dateOf(2)]).toEqual([at(8), at(8)])
    })

    it('survives concurrent changes of the contact, and undoes none', async () => {
      await contacts().add(contact(1, { customFields: { n: 0 } }))
      await Promise.all(
        Array.from({ length: 20 }, (_, turn) => [
          receive(store(), 2 * turn, [1, turn]),
          contacts().change({ _id: numberedId(1) }, (one) => ({
            ...one,
            customFields: { n: Number(one.customFields.n) + 1 },
          })),
        ]).flat(),
      )
      expect(await contacts().get({ _id: numberedId(1) })).toMatchObject({
        lastReceiveDate: at(19),
        customFields: { n: 20 },
      })
    })

    it('can be overwritten with the contact, also by an earlier or no date', async () => {
      await contacts().add(contact(1))
      await receive(store(), 1, [1, 9])
      await contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, lastReceiveDate: at(2) }))
      expect(await dateOf(1)).toBe(at(2))
      await receive(store(), 2, [1, 3])
      expect(await dateOf(1)).toBe(at(3))
      await contacts().change({ _id: numberedId(1) }, undated)
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1))
      await receive(store(), 3, [1, 1])
      expect(await dateOf(1)).toBe(at(1))
    })

    it('moves on from the date of an imported contact', async () => {
      const many = Array.from({ length: 120 }, (_, n) => ({ contact: contact(n + 1, { lastReceiveDate: at(20) }) }))
      await store().membershipStore.upsertMembers(many.slice(0, 1))
      await store().membershipStore.upsertMembers(many.slice(1))
      await receive(store(), 1, [1, 9], [2, 30], [120, 9])
      expect([await dateOf(1), await dateOf(2), await dateOf(120)]).toEqual([at(20), at(30), at(20)])
    })

    it('is removed with the contact: a new one with the same id has none', async () => {
      await contacts().add(contact(1))
      await receive(store(), 1, [1, 9])
      await store().membershipStore.removeContact(contact(1))
      await receive(store(), 2, [1, 10])
      expect(await contacts().get({ _id: numberedId(1) })).toBeUndefined()
      await contacts().add(contact(1))
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1))
      await receive(store(), 3, [1, 3])
      expect(await dateOf(1)).toBe(at(3))
    })

    it('is copied to another store, and never moves back there', async () => {
      await Promise.all([contacts().add(contact(1)), contacts().add(contact(2))])
      await receive(store(), 1, [1, 9])
      await onFreshStore(make, async (copy) => {
        for await (const one of contacts().each({ projectId })) await copy.repositories.contacts.add(one)
        expect(await collected(copy.repositories.contacts.each({ projectId }))).toStrictEqual([
          contact(1, { lastReceiveDate: at(9) }),
          contact(2),
        ])
        await receive(copy, 1, [1, 8], [2, 8])
        const dates = (await collected(copy.repositories.contacts.each({ projectId }))).map(
          (one) => one.lastReceiveDate,
        )
        expect(dates).toEqual([at(9), at(8)])
      })
    })

    const happening = fc.oneof(
      fc.record({
        kind: fc.constant('mails' as const),
        mails: fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(9)), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('renamed' as const), n: fc.constantFrom(1, 2) }),
      fc.record({
        kind: fc.constant('dated' as const),
        n: fc.constantFrom(1, 2),
        seconds: fc.option(fc.nat(9), { nil: undefined }),
      }),
      fc.record({ kind: fc.constant('removed' as const), n: fc.constantFrom(1, 2) }),
      fc.record({ kind: fc.constant('added' as const), n: fc.constantFrom(1, 2) }),
    )

    it('is correct for any sequence of operations', async () => {
      const property = fc.asyncProperty(fc.array(happening, { maxLength: 12 }), (happenings) =>
        onFreshStore(make, async (fresh) => {
          const { contacts: stored } = fresh.repositories
          const wanted = new Map<number, Contact>()
          const change = async (n: number, next: (one: Contact) => Contact) => {
            const one = wanted.get(n)
            if (one) wanted.set(n, next(one))
            await stored.change({ _id: numberedId(n) }, next)
          }
          for (const [turn, what] of happenings.entries()) {
            if (what.kind === 'mails') {
              await receive(fresh, 10 * turn, ...what.mails)
              for (const [n, seconds] of what.mails) {
                const one = wanted.get(n)
                if (one && (one.lastReceiveDate ?? '') < at(seconds))
                  wanted.set(n, { ...one, lastReceiveDate: at(seconds) })
              }
            } else if (what.kind === 'renamed') await change(what.n, (one) => ({ ...one, name: `${one.name}!` }))
            else if (what.kind === 'dated')
              await change(what.n, (one) => ({
                ...undated(one),
                ...(what.seconds !== undefined && { lastReceiveDate: at(what.seconds) }),
              }))
            else if (what.kind === 'removed') {
              wanted.delete(what.n)
              await stored.remove({ _id: numberedId(what.n) })
            } else if (!wanted.has(what.n)) {
              wanted.set(what.n, contact(what.n))
              await stored.add(contact(what.n))
            }
          }
          const sorted = [...wanted].toSorted(([a], [b]) => a - b).map(([, one]) => one)
          expect(await collected(stored.each({ projectId }))).toStrictEqual(sorted)
          for (const one of sorted)
            expect(await stored.get({ projectId, lastReceiveDate: one.lastReceiveDate, _id: one._id })).toStrictEqual(
              one,
            )
        }),
      )
      await fc.assert(property, { numRuns: Math.max(5, Math.floor((options.runs ?? 50) / 2)) })
    }, 30_000)
  })
}
