import type { Contact, Where } from '@posthorn/core/ports/storage'
import { aSubscriber, aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { addAll, contact, fittingIn, projectId } from './sample-contacts.js'

/** Concurrent changes and removals, none of which is lost. */
export const changingContract = (store: () => ContractStore) => {
  const contacts = () => store().repositories.contacts
  const fitting = (where: Where<Contact>) => fittingIn(contacts(), where)

  describe('a change', () => {
    it('returns the stored record, without removed fields', async () => {
      await contacts().add(contact(1, { lastOpenDate: '2026-01-01T00:00:00.000Z' }))
      const { lastOpenDate, ...rest } = contact(1, { lastOpenDate: '2026-01-01T00:00:00.000Z', name: 'Bea' })
      expect(lastOpenDate).toBeDefined()
      expect(await contacts().change({ _id: numberedId(1) }, () => rest)).toStrictEqual(rest)
      expect(await contacts().get({ lastOpenDate: undefined })).toStrictEqual(rest)
    })

    it('of nothing returns undefined, and does not call the function', async () => {
      let decided = 0
      const answer = await contacts().change({ _id: numberedId(1) }, (one) => {
        decided += 1
        return one
      })
      expect([answer, decided]).toEqual([undefined, 0])
    })

    it('that returns the same object writes nothing', async () => {
      await contacts().add(contact(1))
      expect(await contacts().change({ _id: numberedId(1) }, (one) => one)).toStrictEqual(contact(1))
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1))
    })

    it('rethrows what the function throws, and writes nothing', async () => {
      await contacts().add(contact(1))
      const change = contacts().change({ _id: numberedId(1) }, () => {
        throw new RangeError('not this way')
      })
      await expect(change).rejects.toThrow(new RangeError('not this way'))
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1))
    })

    it('loses no concurrent update', async () => {
      await contacts().add(contact(1, { customFields: { n: 0 } }))
      await Promise.all(
        Array.from({ length: 40 }, () =>
          contacts().change({ _id: numberedId(1) }, (one) => ({
            ...one,
            customFields: { n: Number(one.customFields.n) + 1 },
          })),
        ),
      )
      expect((await contacts().get({ _id: numberedId(1) }))?.customFields.n).toBe(40)
    })

    it('lets exactly one of many callers make a transition', async () => {
      const { subscribers } = store().repositories
      await subscribers.add(aSubscriber({ status: 'unverified' }))
      const winners: number[] = []
      await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8].map(async (n) => {
          const updatedAt = `2026-01-0${n}T00:00:00.000Z`
          const after = await subscribers.change({ _id: numberedId(1) }, (one) =>
            one.status === 'unverified' ? { ...one, status: 'active', updatedAt } : one,
          )
          if (after?.updatedAt === updatedAt) winners.push(n)
        }),
      )
      expect(winners).toHaveLength(1)
    })
  })

  describe('a change of many records', () => {
    const renamed = (one: Contact): Contact => ({ ...one, name: `${one.name}!` })

    it('continues in batches to the last matching record', async () => {
      await addAll(contacts(), [contact(1), contact(2, { projectId: numberedId(0xbb) }), contact(3), contact(4)])
      expect(await contacts().changeNext({ projectId }, renamed, { limit: 2 })).toBe(numberedId(3))
      expect((await contacts().get({ _id: numberedId(3) }))?.name).toBe(`${contact(3).name}!`)
      expect(await contacts().get({ _id: numberedId(4) })).toStrictEqual(contact(4))
      expect(await contacts().changeNext({ projectId }, renamed, { after: numberedId(3), limit: 2 })).toBeUndefined()
      expect((await contacts().get({ _id: numberedId(4) }))?.name).toBe(`${contact(4).name}!`)
      expect(await contacts().get({ _id: numberedId(2) })).toStrictEqual(contact(2, { projectId: numberedId(0xbb) }))
    })

    it('may change the fields of its condition', async () => {
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
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1, { tags: ['b'] }))
    })

    it('loses no concurrent update', async () => {
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
    it('returns the removed record, once', async () => {
      await contacts().add(contact(1))
      const answers = await Promise.all([1, 2, 3].map(() => contacts().remove({ _id: numberedId(1) })))
      expect(answers.filter((one) => one !== undefined)).toStrictEqual([contact(1)])
      expect(await contacts().get({ _id: numberedId(1) })).toBeUndefined()
    })

    it('of all matches returns their number', async () => {
      await addAll(contacts(), [contact(1), contact(2, { projectId: numberedId(0xbb) }), contact(3)])
      expect(await contacts().removeAll({ projectId })).toBe(2)
      expect(await fitting({})).toEqual([2])
      expect(await contacts().removeAll({ projectId })).toBe(0)
    })
  })
}
