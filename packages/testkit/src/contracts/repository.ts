import { type Contact, collected, KeyTaken, type Repository, type Sort, type Where } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { aCampaign, aContact, aSenderIdentity, aSubscriber, aSubscriberList, aTime, idOf } from '../samples/builders.js'
import { repositoryProperties } from './repository-properties.js'
import { type ContractOptions, freshStore, type MakeStore } from './under-test/store.js'

const projectId = idOf(0xb)

/** The n-th contact; nothing unique about it clashes with another's. */
const contact = (n: number, given: Partial<Contact> = {}) =>
  aContact({ _id: idOf(n), email: `contact${n}@example.com`, ...given })

const idsOf = (records: readonly { readonly _id: string }[]) => records.map(({ _id }) => Number.parseInt(_id, 16))

const addAll = async <T extends { readonly _id: string }>(repository: Repository<T>, records: readonly T[]) => {
  await Promise.all(records.map((record) => repository.add(record)))
}

const everything = { where: {}, skip: 0, limit: 1000 } as const
const byId = { by: '_id', order: 'asc' } as const

/** Every verb of `Repository`, on repositories of the manifest. */
export const repositoryContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: a repository`, () => {
    const store = freshStore(make)
    const contacts = () => store().repositories.contacts
    const fitting = async (where: Where<Contact>) => idsOf(await collected(contacts().each(where)))

    describe('what was added', () => {
      it('comes back as it went in, whatever the text', async () => {
        const awkward = contact(1, {
          name: "Zoë “O'Brien”; DROP TABLE — 😀 \u0000 \u2028 \\u0041 %_$",
          tags: ['a.b', '$c', '', 'ß'],
          customFields: { city: 'São Paulo', age: -1.5, big: 9_007_199_254_740_991, tiny: 5e-324, vip: false },
        })
        await contacts().add(awkward)
        expect(await contacts().get({ _id: idOf(1) })).toStrictEqual(awkward)
      })

      it('keeps nested data, null, and empty arrays and objects', async () => {
        const campaign = aCampaign({ document: { rows: [{ a: null, b: [] }, [], {}], 'x.y': { $z: [null, 0, ''] } } })
        await store().repositories.campaigns.add(campaign)
        expect(await store().repositories.campaigns.get({ _id: campaign._id })).toStrictEqual(campaign)
      })

      it('is a copy on the way in and on the way out', async () => {
        const tags = ['one']
        await contacts().add(contact(1, { tags }))
        tags.push('two')
        Object.assign((await contacts().get({ _id: idOf(1) }))?.tags ?? [], ['three'])
        expect((await contacts().get({ _id: idOf(1) }))?.tags).toEqual(['one'])
      })

      it('is a copy for who decides on a change', async () => {
        await contacts().add(contact(1))
        const seen: Contact[] = []
        const decide = (name: string) => (one: Contact) => {
          const changed = { ...one, name }
          seen.push(one, changed)
          return changed
        }
        await contacts().change({ _id: idOf(1) }, decide('Bea'))
        for (const one of seen) Object.assign(one, { name: 'Meddled with' })
        expect(await contacts().get({ _id: idOf(1) })).toStrictEqual(contact(1, { name: 'Bea' }))
        await contacts().change({ _id: idOf(1) }, (one) => {
          seen.push(one)
          return one
        })
        for (const one of seen) Object.assign(one, { name: 'Meddled with' })
        expect((await contacts().get({ _id: idOf(1) }))?.name).toBe('Bea')
      })

      it('is undefined where nothing fits', async () => {
        expect(await contacts().get({ _id: idOf(1) })).toBeUndefined()
        expect(await contacts().get({ projectId })).toBeUndefined()
      })

      it('is found in its own collection alone', async () => {
        await contacts().add(contact(1))
        expect(await store().repositories.segments.get({ _id: idOf(1) })).toBeUndefined()
      })
    })

    describe('a unique key', () => {
      it('refuses a second record, names its fields and writes nothing', async () => {
        await contacts().add(contact(1))
        const second = contact(2, { email: 'CONTACT1@example.com' })
        const refusal = await contacts()
          .add(second)
          .catch((error: unknown) => error)
        expect(refusal).toBeInstanceOf(KeyTaken)
        expect(refusal).toMatchObject({ collection: 'contacts', fields: ['projectId', 'emailKey'] })
        expect(await fitting({})).toEqual([1])
      })

      it('is the _id too', async () => {
        await contacts().add(contact(1))
        await expect(contacts().add(contact(1, { email: 'other@example.com' }))).rejects.toMatchObject({
          name: 'KeyTaken',
          fields: ['_id'],
        })
        expect((await contacts().get({ _id: idOf(1) }))?.email).toBe('contact1@example.com')
      })

      it('does not hinder a record that differs in one of its fields', async () => {
        await addAll(contacts(), [contact(1), contact(2, { email: 'contact1@example.com', projectId: idOf(0xbb) })])
        expect(await fitting({})).toEqual([1, 2])
      })

      it('refuses a change into it and leaves the record as it was', async () => {
        await addAll(contacts(), [contact(1), contact(2)])
        const change = contacts().change({ _id: idOf(2) }, (one) => ({
          ...one,
          name: 'Changed',
          emailKey: 'contact1@example.com',
        }))
        await expect(change).rejects.toBeInstanceOf(KeyTaken)
        expect(await contacts().get({ _id: idOf(2) })).toStrictEqual(contact(2))
      })

      it('lets a record keep its own values, and is free again after a change or a removal', async () => {
        await contacts().add(contact(1))
        await contacts().change({ _id: idOf(1) }, (one) => ({ ...one, name: 'Other' }))
        await contacts().change({ _id: idOf(1) }, (one) => ({ ...one, emailKey: 'moved@example.com' }))
        await contacts().add(contact(2, { email: 'contact1@example.com' }))
        await contacts().remove({ _id: idOf(2) })
        await contacts().add(contact(3, { email: 'contact1@example.com' }))
        expect(await fitting({})).toEqual([1, 3])
      })

      it('is given to one of many who want it at once', async () => {
        const outcomes = await Promise.allSettled(
          [1, 2, 3, 4, 5, 6, 7, 8].map((n) => contacts().add(contact(n, { email: 'wanted@example.com' }))),
        )
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        expect((await fitting({})).length).toBe(1)
      })
    })

    describe('a where', () => {
      it('asks for all of its fields', async () => {
        await addAll(contacts(), [contact(1, { name: 'Bob' }), contact(2), contact(3, { name: 'Bob' })])
        expect(await fitting({ projectId, name: 'Bob' })).toEqual([1, 3])
        expect(await fitting({ projectId: idOf(0xbb), name: 'Bob' })).toEqual([])
      })

      it('with a value on an array means that it is contained', async () => {
        await addAll(contacts(), [contact(1, { tags: ['a', 'b'] }), contact(2, { tags: ['ab'] }), contact(3)])
        expect(await fitting({ tags: 'a' } as Where<Contact>)).toEqual([1])
        expect(await fitting({ tags: ['b', 'ab', 'ab'] })).toEqual([1, 2])
      })

      it('with several values means any of them, with none nothing', async () => {
        await addAll(contacts(), [contact(1), contact(2), contact(3)])
        expect(await fitting({ _id: [idOf(3), idOf(1), idOf(9), idOf(3)] })).toEqual([1, 3])
        expect(await fitting({ projectId, emailKey: ['contact2@example.com', 'nobody@example.com'] })).toEqual([2])
        expect(await fitting({ _id: [] })).toEqual([])
        expect(await fitting({ projectId, name: [] })).toEqual([])
        expect((await contacts().list({ ...everything, where: { _id: [] }, sort: byId })).count).toBe(0)
        expect(await contacts().removeAll({ name: [] })).toBe(0)
      })

      it('bears a thousand values', async () => {
        await addAll(contacts(), [contact(1), contact(500), contact(1001)])
        const _id = Array.from({ length: 1000 }, (_, n) => idOf(n + 1))
        expect(await fitting({ projectId, _id })).toEqual([1, 500])
      })

      it('with undefined means that the field is absent', async () => {
        await addAll(contacts(), [contact(1), contact(2, { lastOpenDate: '2026-01-01T00:00:00.000Z' })])
        expect(await fitting({ lastOpenDate: undefined })).toEqual([1])
        expect(await fitting({ 'customFields.city': undefined, _id: idOf(2) })).toEqual([2])
      })

      it('with a dot reaches into an object', async () => {
        await addAll(contacts(), [
          contact(1, { customFields: { city: 'Wien', age: 40, vip: true } }),
          contact(2, { customFields: { city: 'wien', age: 4, vip: false } }),
          contact(3, { name: 'Wien' }),
        ])
        expect(await fitting({ 'customFields.city': 'Wien' })).toEqual([1])
        expect(await fitting({ 'customFields.age': [4, 5] })).toEqual([2])
        expect(await fitting({ 'customFields.vip': false })).toEqual([2])
        expect(await fitting({ 'customFields.vip': undefined })).toEqual([3])
      })

      it('does not take a number for a text, nor a text for a pattern', async () => {
        await addAll(contacts(), [
          contact(1, { name: '1', customFields: { n: 1 } }),
          contact(2, { name: 'a%', customFields: { n: '1' } }),
          contact(3, { name: 'ab', customFields: {} }),
        ])
        expect(await fitting({ 'customFields.n': 1 })).toEqual([1])
        expect(await fitting({ 'customFields.n': '1' })).toEqual([2])
        expect(await fitting({ name: 'a%' })).toEqual([2])
        expect(await fitting({ name: 'A%' })).toEqual([])
      })

      it('does not take a text for one that it only begins like, nor half a surrogate pair for any', async () => {
        const { contactTags } = store().repositories
        await contactTags.add({ _id: idOf(1), projectId, value: 'vip\ufffd', createdAt: aTime, updatedAt: aTime })
        for (const _id of [`${idOf(1)}\0`, [`${idOf(1)}\0x`, idOf(2)]])
          expect(await contactTags.get({ _id })).toBeUndefined()
        for (const value of ['vip\ufffd\0', 'vip\ud800', ['vip\udfff']])
          expect(await contactTags.get({ projectId, value })).toBeUndefined()
        expect(await contactTags.get({ projectId, value: 'vip\ufffd' })).toBeDefined()
      })

      it('tells booleans from each other', async () => {
        const lists = store().repositories.subscriberLists
        await addAll(lists, [aSubscriberList({ _id: idOf(1), private: true }), aSubscriberList({ _id: idOf(2) })])
        expect(idsOf(await collected(lists.each({ private: true })))).toEqual([1])
        expect(idsOf(await collected(lists.each({ private: false })))).toEqual([2])
      })

      it('that fits several records gets, changes and removes the one with the smallest _id', async () => {
        await addAll(contacts(), [contact(3), contact(1), contact(2)])
        expect((await contacts().get({ projectId }))?._id).toBe(idOf(1))
        await contacts().change({ projectId }, (one) => ({ ...one, name: 'First' }))
        expect(await fitting({ name: 'First' })).toEqual([1])
        expect((await contacts().remove({ projectId }))?._id).toBe(idOf(1))
      })
    })

    describe('a list', () => {
      const listed = async (sort: Sort<Contact>) => idsOf((await contacts().list({ ...everything, sort })).items)

      const addNames = (names: readonly string[]) =>
        addAll(
          contacts(),
          names.map((text, n) => contact(n + 1, { name: text })),
        )

      it('has absent values first, then texts in the order of their bytes', async () => {
        await addNames(['b', 'B', '', '\uffee', 'é', 'a', '10', '9'])
        expect(await listed({ by: 'name', order: 'asc' })).toEqual([3, 7, 8, 2, 6, 1, 5, 4])
        expect(await listed({ by: 'name', order: 'desc' })).toEqual([4, 5, 1, 6, 2, 8, 7, 3])
      })

      it.skipIf(options.without?.includes('order of code points'))('has them so beyond U+FFFF, too', async () => {
        await addNames(['😀', '\uffee', 'a'])
        expect(await listed({ by: 'name', order: 'asc' })).toEqual([3, 2, 1])
      })

      it('breaks ties by _id, in the same direction', async () => {
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

      it('compares numbers and booleans by value', async () => {
        const { senderIdentities, subscriberLists } = store().repositories
        const positions = [10, 9, -1, 0.5, 0]
        await addAll(
          senderIdentities,
          positions.map((position, n) => aSenderIdentity({ _id: idOf(n), email: `a${n}@example.com`, position })),
        )
        const numbers = await senderIdentities.list({ ...everything, sort: { by: 'position', order: 'asc' } })
        expect(numbers.items.map(({ position }) => position)).toEqual([-1, 0, 0.5, 9, 10])
        await addAll(
          subscriberLists,
          [true, false, true].map((hidden, n) => aSubscriberList({ _id: idOf(n), private: hidden })),
        )
        const flags = await subscriberLists.list({ ...everything, sort: { by: 'private', order: 'asc' } })
        expect(idsOf(flags.items)).toEqual([1, 0, 2])
      })

      it('answers a page and the number of all that fit', async () => {
        await addAll(
          contacts(),
          [1, 2, 3, 4, 5, 6].map((n) => contact(n, { name: n % 2 ? 'odd' : 'even' })),
        )
        const page = (skip: number, limit: number) =>
          contacts().list({ where: { name: 'odd' }, sort: byId, skip, limit })
        expect(idsOf((await page(1, 1)).items)).toEqual([3])
        expect((await page(1, 1)).count).toBe(3)
        expect(await page(5, 10)).toEqual({ items: [], count: 3 })
      })
    })

    describe('each', () => {
      it('walks through all that fit in _id order, beyond any page', async () => {
        const all = Array.from({ length: 1203 }, (_, n) => contact(n + 1))
        await addAll(contacts(), all.toReversed())
        expect(await fitting({ projectId })).toEqual(all.map((_, n) => n + 1))
      })

      it('misses none and repeats none while what it has yielded is changed and removed', async () => {
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
        expect(seen).toEqual(Array.from({ length: 1203 }, (_, n) => idOf(n + 1)))
      })

      it('can be left early', async () => {
        await addAll(contacts(), [contact(1), contact(2)])
        for await (const { _id } of contacts().each({})) {
          expect(_id).toBe(idOf(1))
          break
        }
        expect(await contacts().removeAll({})).toBe(2)
      })
    })

    describe('a change', () => {
      it('answers what is stored now, and drops what was left out', async () => {
        await contacts().add(contact(1, { lastOpenDate: '2026-01-01T00:00:00.000Z' }))
        const { lastOpenDate, ...rest } = contact(1, { lastOpenDate: '2026-01-01T00:00:00.000Z', name: 'Bea' })
        expect(lastOpenDate).toBeDefined()
        expect(await contacts().change({ _id: idOf(1) }, () => rest)).toStrictEqual(rest)
        expect(await contacts().get({ lastOpenDate: undefined })).toStrictEqual(rest)
      })

      it('of nothing is undefined, and nothing is decided', async () => {
        let decided = 0
        const answer = await contacts().change({ _id: idOf(1) }, (one) => {
          decided += 1
          return one
        })
        expect([answer, decided]).toEqual([undefined, 0])
      })

      it('that returns the same object answers it and leaves the record as it was', async () => {
        await contacts().add(contact(1))
        expect(await contacts().change({ _id: idOf(1) }, (one) => one)).toStrictEqual(contact(1))
        expect(await contacts().get({ _id: idOf(1) })).toStrictEqual(contact(1))
      })

      it('passes on what decide throws, and leaves the record as it was', async () => {
        await contacts().add(contact(1))
        const change = contacts().change({ _id: idOf(1) }, () => {
          throw new RangeError('not this way')
        })
        await expect(change).rejects.toThrow(new RangeError('not this way'))
        expect(await contacts().get({ _id: idOf(1) })).toStrictEqual(contact(1))
      })

      it('loses no update of many callers', async () => {
        await contacts().add(contact(1, { customFields: { n: 0 } }))
        await Promise.all(
          Array.from({ length: 40 }, () =>
            contacts().change({ _id: idOf(1) }, (one) => ({
              ...one,
              customFields: { n: Number(one.customFields.n) + 1 },
            })),
          ),
        )
        expect((await contacts().get({ _id: idOf(1) }))?.customFields.n).toBe(40)
      })

      it('lets one of many callers through a gate', async () => {
        const { subscribers } = store().repositories
        await subscribers.add(aSubscriber({ status: 'unverified' }))
        const winners: number[] = []
        await Promise.all(
          [1, 2, 3, 4, 5, 6, 7, 8].map(async (n) => {
            const updatedAt = `2026-01-0${n}T00:00:00.000Z`
            const after = await subscribers.change({ _id: idOf(1) }, (one) =>
              one.status === 'unverified' ? { ...one, status: 'active', updatedAt } : one,
            )
            if (after?.updatedAt === updatedAt) winners.push(n)
          }),
        )
        expect(winners).toHaveLength(1)
      })
    })

    describe('a change of many', () => {
      const renamed = (one: Contact): Contact => ({ ...one, name: `${one.name}!` })

      it('goes on, batch by batch, to the last record that fits', async () => {
        await addAll(contacts(), [contact(1), contact(2, { projectId: idOf(0xbb) }), contact(3), contact(4)])
        expect(await contacts().changeNext({ projectId }, renamed, { limit: 2 })).toBe(idOf(3))
        expect((await contacts().get({ _id: idOf(3) }))?.name).toBe(`${contact(3).name}!`)
        expect(await contacts().get({ _id: idOf(4) })).toStrictEqual(contact(4))
        expect(await contacts().changeNext({ projectId }, renamed, { after: idOf(3), limit: 2 })).toBeUndefined()
        expect((await contacts().get({ _id: idOf(4) }))?.name).toBe(`${contact(4).name}!`)
        expect(await contacts().get({ _id: idOf(2) })).toStrictEqual(contact(2, { projectId: idOf(0xbb) }))
      })

      it('changes what its condition is about', async () => {
        const tagged = { tags: ['a', 'b'], customFields: { City: 'Wien' } }
        await addAll(contacts(), [contact(1, tagged), contact(2), contact(3, tagged)])
        const changed = await contacts().changeNext(
          { projectId, tags: 'a' },
          (one) => ({ ...one, tags: ['b'], customFields: {} }),
          { limit: 100 },
        )
        expect(changed).toBeUndefined()
        expect(await fitting({ tags: 'a' })).toEqual([])
        expect(await fitting({ tags: 'b' })).toEqual([1, 3])
        expect(await contacts().get({ _id: idOf(1) })).toStrictEqual(contact(1, { tags: ['b'] }))
      })

      it('loses no update that is made at the same time', async () => {
        const all = Array.from({ length: 20 }, (_, n) => contact(n + 1))
        await addAll(contacts(), all)
        await Promise.all([
          contacts().changeNext({ projectId }, renamed, { limit: 100 }),
          ...all.map(({ _id }) => contacts().change({ _id }, (one) => ({ ...one, lastOpenDate: aTime }))),
          contacts().changeNext({ projectId }, renamed, { limit: 100 }),
        ])
        for (const one of all)
          expect(await contacts().get({ _id: one._id })).toMatchObject({ name: `${one.name}!!`, lastOpenDate: aTime })
      })
    })

    describe('a removal', () => {
      it('answers what it removed, once', async () => {
        await contacts().add(contact(1))
        const answers = await Promise.all([1, 2, 3].map(() => contacts().remove({ _id: idOf(1) })))
        expect(answers.filter((one) => one !== undefined)).toStrictEqual([contact(1)])
        expect(await contacts().get({ _id: idOf(1) })).toBeUndefined()
      })

      it('of all that fit answers how many they were', async () => {
        await addAll(contacts(), [contact(1), contact(2, { projectId: idOf(0xbb) }), contact(3)])
        expect(await contacts().removeAll({ projectId })).toBe(2)
        expect(await fitting({})).toEqual([2])
        expect(await contacts().removeAll({ projectId })).toBe(0)
      })
    })

    repositoryProperties(make, options)
  })
}
