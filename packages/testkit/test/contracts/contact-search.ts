import type { Contact, ContactQuery, NextContactsQuery, Subscriber } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { contactSearchProperties } from './contact-search-properties.js'
import { type ContractOptions, freshStore, type MakeStore } from './under-test/store.js'

const subscriberListId = numberedId(0xc)
const everybody: ContactQuery = {
  projectId: numberedId(0xb),
  where: {},
  segments: [],
  sort: { by: '_id', order: 'asc' },
  skip: 0,
  limit: 100,
  now: aTime,
}

const named = (name: string) => [
  { conditions: [{ category: 'contact-property', operator: 'equals', property: 'name', value: name } as const] },
]

/** Every method of `ContactSearch`; the store must give the same results as the store in memory. */
export const contactSearchContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: the contact search`, () => {
    const store = freshStore(make)

    const add = (n: number, given: Partial<Contact> = {}) =>
      store().repositories.contacts.add(aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...given }))
    const join = (n: number, given: Partial<Subscriber> = {}) =>
      store().repositories.subscribers.add(
        aSubscriber({ _id: numberedId(0x100 + n), contactId: numberedId(n), ...given }),
      )

    const page = (asked: Partial<ContactQuery> = {}) => store().contactSearch.page({ ...everybody, ...asked })
    const numbers = async (asked: Partial<ContactQuery> = {}) =>
      (await page(asked)).items.map(({ _id }) => Number.parseInt(_id, 16))

    it('returns nobody if there is nobody', async () => {
      expect(await page()).toEqual({ items: [], count: 0 })
      expect(await page({ list: { subscriberListId } })).toEqual({ items: [], count: 0 })
    })

    it('returns whole contacts of the project only', async () => {
      const given = { name: 'Ada', tags: ['a'], customFields: { city: 'Zürich', age: 7, vip: true } }
      await add(1, given)
      await add(2, { projectId: numberedId(0xbb) })
      expect(await page()).toStrictEqual({
        items: [aContact({ _id: numberedId(1), email: 'contact1@example.com', ...given })],
        count: 1,
      })
    })

    describe('in pages by cursor', () => {
      const among = { projectId: numberedId(0xb), segments: [], now: aTime }
      const walked = async (asked: Partial<NextContactsQuery>, limit = 2) => {
        const seen: number[] = []
        for (let after: string | undefined; ; ) {
          const some = await store().contactSearch.next({
            ...among,
            ...asked,
            limit,
            ...(after !== undefined && { after }),
          })
          seen.push(...some.map(({ _id }) => Number.parseInt(_id, 16)))
          const last = some.at(-1)
          if (!last || some.length < limit) break
          after = asked.emailPrefix === undefined ? last._id : last.emailKey
        }
        const sort = { by: '_id', order: 'asc' } as const
        const paged = await store().contactSearch.page({ ...among, where: {}, ...asked, sort, skip: 0, limit: 1 })
        expect(paged.count).toBe(seen.length)
        return seen
      }

      it('returns those whose fields have the values', async () => {
        for (const n of [1, 2, 3, 4, 5])
          await add(n, { tags: n % 2 ? ['odd', 'all'] : ['all'], customFields: n > 2 ? { city: 'Graz', age: n } : {} })
        expect(await walked({ where: { tags: 'odd' } })).toEqual([5, 3, 1])
        expect(await walked({ where: { 'customFields.city': 'Graz' } })).toEqual([5, 4, 3])
        expect(await walked({ where: { 'customFields.city': 'Graz', tags: 'odd' } })).toEqual([5, 3])
        expect(await walked({ where: { 'customFields.age': 4 }, emailPrefix: 'contact' })).toEqual([4])
        expect(await walked({ where: { emailKey: 'contact2@example.com' } })).toEqual([2])
        expect(await walked({ where: { emailKey: 'contact9@example.com' } })).toEqual([])
        await join(3)
        const list = { subscriberListId: numberedId(0xc) }
        expect(await walked({ where: { tags: 'odd' }, list })).toEqual([3])
        expect(await walked({ where: { tags: 'even' }, list })).toEqual([])
      })

      it('returns everybody once, newest first', async () => {
        expect(await walked({})).toEqual([])
        for (const n of [3, 1, 5, 2, 4]) await add(n)
        await add(6, { projectId: numberedId(0xbb) })
        expect(await walked({})).toEqual([5, 4, 3, 2, 1])
        expect(await walked({}, 5)).toEqual([5, 4, 3, 2, 1])
      })

      it('returns those whose address begins with a text, by address', async () => {
        const emails = ['bea@example.com', 'abe@example.com', 'Ada@example.com', 'ad_a@example.com', 'ad%@example.com']
        for (const [n, email] of emails.entries()) await add(n + 1, { email, emailKey: email.toLowerCase() })
        await add(9, { projectId: numberedId(0xbb), email: 'ad@example.com', emailKey: 'ad@example.com' })
        expect(await walked({ emailPrefix: 'ad' })).toEqual([5, 4, 3])
        expect(await walked({ emailPrefix: 'ad_' })).toEqual([4])
        expect(await walked({ emailPrefix: 'bea@example.com' })).toEqual([1])
        expect(await walked({ emailPrefix: 'x' })).toEqual([])
        expect(await walked({ emailPrefix: '' })).toEqual([2, 5, 4, 3, 1])
      })

      it('returns the members of a list, by status and segment, in both orders', async () => {
        for (const n of [1, 2, 3, 4, 5, 6]) await add(n, { name: n < 3 ? 'Bob' : 'Ada' })
        for (const n of [1, 2, 4, 6]) await join(n, n === 4 ? { status: 'unsubscribed' } : {})
        const list = { subscriberListId }
        expect(await walked({ list })).toEqual([6, 4, 2, 1])
        expect(await walked({ list: { ...list, status: 'active' } })).toEqual([6, 2, 1])
        expect(await walked({ list, segments: [named('Bob')] })).toEqual([2, 1])
        expect(await walked({ segments: [named('Ada')] })).toEqual([6, 5, 4, 3])
        expect(await walked({ list: { ...list, status: 'active' }, emailPrefix: 'contact' })).toEqual([1, 2, 6])
        expect(await walked({ list, segments: [named('Ada')], emailPrefix: 'contact6' })).toEqual([6])
      })

      it('finds the members of a list that few of the project are on', async () => {
        for (let n = 1; n <= 40; n += 1) await add(n)
        for (const n of [7, 30]) await join(n)
        expect(await walked({ list: { subscriberListId } }, 1)).toEqual([30, 7])
      })
    })

    it('counts all matches, whatever the page', async () => {
      for (const n of [1, 2, 3, 4, 5]) await add(n, n === 3 ? {} : { name: 'Bob' })
      const bobs = { where: { name: 'Bob' } }
      expect((await page({ ...bobs, skip: 1, limit: 2 })).count).toBe(4)
      expect(await numbers({ ...bobs, skip: 1, limit: 2 })).toEqual([2, 4])
      expect(await page({ ...bobs, skip: 9 })).toEqual({ items: [], count: 4 })
    })

    it('sorts by a custom field in both directions, absent values first, ties by _id', async () => {
      await add(1, { customFields: { age: 10 } })
      await add(2, { customFields: { age: 9 } })
      await add(3)
      await add(4, { customFields: { age: 10 } })
      await add(5)
      const by = 'customFields.age'
      expect(await numbers({ sort: { by, order: 'asc' } })).toEqual([3, 5, 2, 1, 4])
      expect(await numbers({ sort: { by, order: 'desc' } })).toEqual([4, 1, 2, 5, 3])
      expect(await numbers({ sort: { by, order: 'desc' }, skip: 1, limit: 2 })).toEqual([1, 2])
    })

    it('sorts texts by code point', async () => {
      const cities = ['b', 'B', 'ä', 'a', '']
      for (const [index, city] of cities.entries()) await add(index + 1, { customFields: { city } })
      expect(await numbers({ sort: { by: 'customFields.city', order: 'asc' } })).toEqual([5, 2, 4, 1, 3])
    })

    it('uses the current status on the list', async () => {
      for (const n of [1, 2, 3, 4, 5, 6]) await add(n)
      await join(1)
      await join(2, { status: 'paused', pausedUntil: aTime })
      await join(3, { status: 'paused', pausedUntil: '2026-01-06T12:00:00.001Z' })
      await join(4, { status: 'paused' })
      await join(5, { subscriberListId: numberedId(0xcc) })
      const on = (list: Omit<NonNullable<ContactQuery['list']>, 'subscriberListId'>) =>
        numbers({ list: { subscriberListId, ...list } })
      expect(await on({})).toEqual([1, 2, 3, 4])
      expect(await on({ status: 'active' })).toEqual([1, 2])
      expect(await on({ status: 'paused' })).toEqual([3, 4])
      expect(await on({ status: 'unsubscribed' })).toEqual([])
      expect(await on({ where: { status: 'paused' } })).toEqual([2, 3, 4])
      expect(await on({ status: 'active', where: { contactId: [numberedId(2), numberedId(3)] } })).toEqual([2])
    })

    it('finds contacts on one of several lists once, whatever their status', async () => {
      for (const n of [1, 2, 3, 4]) await add(n)
      await join(1)
      await join(2, { subscriberListId: numberedId(0xcc), status: 'unsubscribed' })
      await join(3, { subscriberListId: numberedId(0xccc) })
      await store().repositories.subscribers.add(
        aSubscriber({ _id: numberedId(0x200), contactId: numberedId(1), subscriberListId: numberedId(0xcc) }),
      )
      const lists = [subscriberListId, numberedId(0xcc)]
      expect(await numbers({ onOneOf: lists })).toEqual([1, 2])
      expect((await page({ onOneOf: lists, limit: 1 })).count).toBe(2)
      expect(await numbers({ onOneOf: [numberedId(0xccc)] })).toEqual([3])
      expect(await numbers({ onOneOf: [] })).toEqual([])
      expect(await numbers({ onOneOf: [numberedId(0xcc)], list: { subscriberListId } })).toEqual([1])
      expect(await numbers({ onOneOf: [numberedId(0xccc)], list: { subscriberListId } })).toEqual([])
      expect(await numbers({ onOneOf: lists, sort: { by: 'email', order: 'desc' } })).toEqual([2, 1])
    })

    it('requires all given segments', async () => {
      await add(1, { name: 'Bob' })
      await add(2, { name: 'Ada' })
      expect(await numbers({ segments: [named('BOB')] })).toEqual([1])
      expect(await numbers({ segments: [[...named('bob'), ...named('ada')], named('ada')] })).toEqual([2])
      expect(await numbers({ segments: [[]] })).toEqual([])
      expect(await numbers({ segments: [[{ conditions: [] }]] })).toEqual([1, 2])
    })

    it('reflects changes', async () => {
      await add(1, { customFields: { city: 'Wien' } })
      const viennese = { where: { 'customFields.city': 'Wien' } } as const
      expect(await numbers(viennese)).toEqual([1])
      await store().repositories.contacts.change({ _id: numberedId(1) }, (one) => ({ ...one, customFields: {} }))
      expect(await numbers(viennese)).toEqual([])
      await store().repositories.contacts.remove({ _id: numberedId(1) })
      expect((await page()).count).toBe(0)
    })

    contactSearchProperties(make, options)
  })
}
