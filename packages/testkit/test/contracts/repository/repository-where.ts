import { type Contact, collected, type Where } from '@posthorn/core/ports/storage'
import { aSubscriberList, aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { addAll, byId, contact, everything, fittingIn, idsOf, projectId } from './sample-contacts.js'

/** The records that a `where` matches. */
export const whereContract = (store: () => ContractStore) => {
  const contacts = () => store().repositories.contacts
  const fitting = (where: Where<Contact>) => fittingIn(contacts(), where)

  describe('a condition', () => {
    it('requires all of its fields', async () => {
      await addAll(contacts(), [contact(1, { name: 'Bob' }), contact(2), contact(3, { name: 'Bob' })])
      expect(await fitting({ projectId, name: 'Bob' })).toEqual([1, 3])
      expect(await fitting({ projectId: numberedId(0xbb), name: 'Bob' })).toEqual([])
    })

    it('with a value on an array means that the array contains it', async () => {
      await addAll(contacts(), [contact(1, { tags: ['a', 'b'] }), contact(2, { tags: ['ab'] }), contact(3)])
      expect(await fitting({ tags: 'a' } as Where<Contact>)).toEqual([1])
      expect(await fitting({ tags: ['b', 'ab', 'ab'] })).toEqual([1, 2])
    })

    it('with several values means any of them, and with none nothing', async () => {
      await addAll(contacts(), [contact(1), contact(2), contact(3)])
      expect(await fitting({ _id: [numberedId(3), numberedId(1), numberedId(9), numberedId(3)] })).toEqual([1, 3])
      expect(await fitting({ projectId, emailKey: ['contact2@example.com', 'nobody@example.com'] })).toEqual([2])
      expect(await fitting({ _id: [] })).toEqual([])
      expect(await fitting({ projectId, name: [] })).toEqual([])
      expect((await contacts().list({ ...everything, where: { _id: [] }, sort: byId })).count).toBe(0)
      expect(await contacts().removeAll({ name: [] })).toBe(0)
    })

    it('may have a thousand values', async () => {
      await addAll(contacts(), [contact(1), contact(500), contact(1001)])
      const _id = Array.from({ length: 1000 }, (_, n) => numberedId(n + 1))
      expect(await fitting({ projectId, _id })).toEqual([1, 500])
    })

    it('with undefined means that the field is absent', async () => {
      await addAll(contacts(), [contact(1), contact(2, { lastOpenDate: '2026-01-01T00:00:00.000Z' })])
      expect(await fitting({ lastOpenDate: undefined })).toEqual([1])
      expect(await fitting({ 'customFields.city': undefined, _id: numberedId(2) })).toEqual([2])
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

    it('matches types exactly, and treats texts as no pattern', async () => {
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

    it('matches whole texts only, and no half of a surrogate pair', async () => {
      const { contactTags } = store().repositories
      await contactTags.add({ _id: numberedId(1), projectId, value: 'vip\ufffd', createdAt: aTime, updatedAt: aTime })
      for (const _id of [`${numberedId(1)}\0`, [`${numberedId(1)}\0x`, numberedId(2)]])
        expect(await contactTags.get({ _id })).toBeUndefined()
      for (const value of ['vip\ufffd\0', 'vip\ud800', ['vip\udfff']])
        expect(await contactTags.get({ projectId, value })).toBeUndefined()
      expect(await contactTags.get({ projectId, value: 'vip\ufffd' })).toBeDefined()
    })

    it('with a part of a text finds it anywhere, in lower and upper case', async () => {
      await addAll(contacts(), [
        contact(1, { name: 'Autumn letter', tags: ['Świętochłowice', 'b'] }),
        contact(2, { name: 'LETTER TO ÄRZTE' }),
        contact(3, { name: 'Łódź', projectId: numberedId(0xbb) }),
        contact(4, { name: '', customFields: { city: 'Letterkenny' } }),
      ])
      const named = (containing: string) => fitting({ name: { containing } })
      expect(await named('letter')).toEqual([1, 2])
      expect(await named('Letter T')).toEqual([2])
      expect(await named('ärzte')).toEqual([2])
      expect(await named('łÓDŹ')).toEqual([3])
      expect(await named('letters')).toEqual([])
      expect(await named('')).toEqual([1, 2, 3, 4])
      expect(await fitting({ projectId, name: { containing: 'ł' } })).toEqual([])
      expect(await fitting({ 'customFields.city': { containing: 'KENNY' } })).toEqual([4])
      expect(await fitting({ tags: { containing: 'święt' } })).toEqual([1])
      const sort = { by: 'name', order: 'desc' } as const
      const page = await contacts().list({
        where: { projectId, name: { containing: 'letter' } },
        sort,
        skip: 1,
        limit: 5,
      })
      expect([idsOf(page.items), page.count]).toEqual([[1], 2])
    })

    it('with a part of a text treats it as no pattern, and finds no half of a surrogate pair', async () => {
      await addAll(contacts(), [
        contact(1, { name: '50% (a.b) [c] {d} ^e$ f|g h+i? j\\k_l' }),
        contact(2, { name: 'axb 500' }),
        contact(3, { name: '😀' }),
      ])
      for (const containing of ['50%', '(a.b)', '[c]', '{d} ^e$', 'f|g', 'h+i?', 'J\\K_L', '.b'])
        expect([containing, await fitting({ name: { containing } })]).toEqual([containing, [1]])
      for (const containing of ['a.b)x', '.*', '%', '_', '\ud83d', '\ude00', 'axb\0', '\0'])
        expect([containing, (await fitting({ name: { containing } })).filter((n) => n !== 1)]).toEqual([containing, []])
      expect(await fitting({ name: { containing: '😀' } })).toEqual([3])
    })

    it('with a part of a unique field finds all of its records', async () => {
      await addAll(contacts(), [contact(1), contact(2), contact(3, { email: 'other@example.org' })])
      expect(await fitting({ projectId, emailKey: { containing: 'CONTACT' } })).toEqual([1, 2])
      expect((await contacts().get({ projectId, emailKey: { containing: 'other' } }))?._id).toBe(numberedId(3))
    })

    it('distinguishes booleans', async () => {
      const lists = store().repositories.subscriberLists
      await addAll(lists, [
        aSubscriberList({ _id: numberedId(1), private: true }),
        aSubscriberList({ _id: numberedId(2) }),
      ])
      expect(idsOf(await collected(lists.each({ private: true })))).toEqual([1])
      expect(idsOf(await collected(lists.each({ private: false })))).toEqual([2])
    })

    it('that several records match gets, changes and removes the one with the smallest _id', async () => {
      await addAll(contacts(), [contact(3), contact(1), contact(2)])
      expect((await contacts().get({ projectId }))?._id).toBe(numberedId(1))
      await contacts().change({ projectId }, (one) => ({ ...one, name: 'First' }))
      expect(await fitting({ name: 'First' })).toEqual([1])
      expect((await contacts().remove({ projectId }))?._id).toBe(numberedId(1))
    })
  })
}
