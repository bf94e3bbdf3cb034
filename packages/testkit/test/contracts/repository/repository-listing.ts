import type { Contact, ListSort, Where } from '@posthorn/core/ports/storage'
import { aSenderIdentity, aSubscriberList, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractOptions, ContractStore } from '../under-test/store.js'
import { addAll, byId, contact, everything, fittingIn, idsOf, projectId } from './sample-contacts.js'

/** The order of lists and walks. */
export const listingContract = (store: () => ContractStore, options: ContractOptions) => {
  const contacts = () => store().repositories.contacts
  const fitting = (where: Where<Contact>) => fittingIn(contacts(), where)

  describe('a list', () => {
    const listed = async (sort: ListSort<Contact>) => idsOf((await contacts().list({ ...everything, sort })).items)

    const addNames = (names: readonly string[]) =>
      addAll(
        contacts(),
        names.map((text, n) => contact(n + 1, { name: text })),
      )

    it('sorts absent values first, then texts by byte', async () => {
      await addNames(['b', 'B', '', '\uffee', 'é', 'a', '10', '9'])
      expect(await listed({ by: 'name', order: 'asc' })).toEqual([3, 7, 8, 2, 6, 1, 5, 4])
      expect(await listed({ by: 'name', order: 'desc' })).toEqual([4, 5, 1, 6, 2, 8, 7, 3])
    })

    it.skipIf(options.without?.includes('order of code points'))(
      'sorts characters beyond U+FFFF by byte, too',
      async () => {
        await addNames(['😀', '\uffee', 'a'])
        expect(await listed({ by: 'name', order: 'asc' })).toEqual([3, 2, 1])
      },
    )

    it('breaks ties by _id in the same direction', async () => {
      await addAll(contacts(), [
        contact(2, { lastOpenDate: '2026-01-01T00:00:00.000Z' }),
        contact(4),
        contact(1, { lastOpenDate: '2026-01-01T00:00:00.000Z' }),
        contact(3),
      ])
      expect(await listed({ by: 'lastOpenDate', order: 'asc' })).toEqual([3, 4, 1, 2])
      expect(await listed({ by: 'lastOpenDate', order: 'desc' })).toEqual([2, 1, 4, 3])
      expect(await listed({ by: 'createdAt', order: 'desc' })).toEqual([4, 3, 2, 1])
    })

    it('leaves fields out', async () => {
      const { templates } = store().repositories
      const large = { children: [{ text: 'x'.repeat(300_000) }] }
      const rest = [1, 2].map((n) => ({
        ...{ _id: numberedId(n), projectId, name: 'Letter', subject: 'News' },
        ...{ tags: [], onProjectCreation: 'do-nothing' as const, usedVariables: [], usedComponents: [] },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
      }))
      const all = rest.map((one, n) => ({ ...one, document: n === 0 ? large : null }))
      await addAll(templates, all)
      const asked = { ...everything, sort: byId, where: { projectId } }
      const [short, long] = await Promise.all([
        templates.list({ ...asked, without: ['document', 'absent'] }),
        templates.list(asked),
      ])
      expect(long).toEqual({ items: all, count: 2 })
      expect(short).toEqual({ items: rest, count: 2 })
    })

    it('compares numbers and booleans by value', async () => {
      const { senderIdentities, subscriberLists } = store().repositories
      const positions = [10, 9, -1, 0.5, 0]
      await addAll(
        senderIdentities,
        positions.map((position, n) => aSenderIdentity({ _id: numberedId(n), email: `a${n}@example.com`, position })),
      )
      const numbers = await senderIdentities.list({ ...everything, sort: { by: 'position', order: 'asc' } })
      expect(numbers.items.map(({ position }) => position)).toEqual([-1, 0, 0.5, 9, 10])
      await addAll(
        subscriberLists,
        [true, false, true].map((hidden, n) => aSubscriberList({ _id: numberedId(n), private: hidden })),
      )
      const flags = await subscriberLists.list({ ...everything, sort: { by: 'private', order: 'asc' } })
      expect(idsOf(flags.items)).toEqual([1, 0, 2])
    })

    it('returns a page and the number of all matches', async () => {
      await addAll(
        contacts(),
        [1, 2, 3, 4, 5, 6].map((n) => contact(n, { name: n % 2 ? 'odd' : 'even' })),
      )
      const page = (skip: number, limit: number) => contacts().list({ where: { name: 'odd' }, sort: byId, skip, limit })
      expect(idsOf((await page(1, 1)).items)).toEqual([3])
      expect((await page(1, 1)).count).toBe(3)
      expect(await page(5, 10)).toEqual({ items: [], count: 3 })
    })

    it('accepts the largest limit and skip', async () => {
      const all = Array.from({ length: 1203 }, (_, n) => contact(n + 1))
      await addAll(contacts(), all)
      const list = (skip: number, limit: number) => contacts().list({ where: {}, sort: byId, skip, limit })
      const { items, count } = await list(0, Number.MAX_SAFE_INTEGER)
      expect([idsOf(items), count]).toEqual([all.map((_, n) => n + 1), 1203])
      expect(await list(999_999_999_999_999, Number.MAX_SAFE_INTEGER)).toEqual({ items: [], count: 1203 })
    })
  })

  describe('each', () => {
    it('walks all matches in _id order, beyond any page size', async () => {
      const all = Array.from({ length: 1203 }, (_, n) => contact(n + 1))
      await addAll(contacts(), all.toReversed())
      expect(await fitting({ projectId })).toEqual(all.map((_, n) => n + 1))
    })

    it('misses and repeats none while yielded records are changed and removed', async () => {
      await addAll(
        contacts(),
        Array.from({ length: 1203 }, (_, n) => contact(n + 1)),
      )
      const seen: string[] = []
      for await (const { _id } of contacts().each({ name: 'Ada' })) {
        seen.push(_id)
        if (seen.length % 400 === 0) await contacts().removeAll({ _id: seen.slice(-100) })
        else if (seen.length % 100 === 0) await contacts().change({ _id }, (one) => ({ ...one, name: 'Seen' }))
      }
      expect(seen).toEqual(Array.from({ length: 1203 }, (_, n) => numberedId(n + 1)))
    })

    it('can be ended early', async () => {
      await addAll(contacts(), [contact(1), contact(2)])
      for await (const { _id } of contacts().each({})) {
        expect(_id).toBe(numberedId(1))
        break
      }
      expect(await contacts().removeAll({})).toBe(2)
    })
  })
}
