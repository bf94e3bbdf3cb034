import { type Contact, KeyTaken, type Where } from '@posthorn/core/ports/storage'
import { aCampaign, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { addAll, contact, fittingIn, projectId } from './sample-contacts.js'

/** Stored records are returned unchanged, and unique keys hold. */
export const keepingContract = (store: () => ContractStore) => {
  const contacts = () => store().repositories.contacts
  const fitting = (where: Where<Contact>) => fittingIn(contacts(), where)

  describe('an added record', () => {
    it('is returned unchanged, whatever its texts', async () => {
      const awkward = contact(1, {
        name: "Zoë “O'Brien”; DROP TABLE — 😀 \u0000 \u2028 \\u0041 %_$",
        tags: ['a.b', '$c', '', 'ß'],
        customFields: { city: 'São Paulo', age: -1.5, big: 9_007_199_254_740_991, tiny: 5e-324, vip: false },
      })
      await contacts().add(awkward)
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(awkward)
    })

    it('keeps nested data, null, and empty arrays and objects', async () => {
      const campaign = aCampaign({ document: { rows: [{ a: null, b: [] }, [], {}], 'x.y': { $z: [null, 0, ''] } } })
      await store().repositories.campaigns.add(campaign)
      expect(await store().repositories.campaigns.get({ _id: campaign._id })).toStrictEqual(campaign)
    })

    it('is copied in and out', async () => {
      const tags = ['one']
      await contacts().add(contact(1, { tags }))
      tags.push('two')
      Object.assign((await contacts().get({ _id: numberedId(1) }))?.tags ?? [], ['three'])
      expect((await contacts().get({ _id: numberedId(1) }))?.tags).toEqual(['one'])
    })

    it('is copied for the function of a change', async () => {
      await contacts().add(contact(1))
      const seen: Contact[] = []
      const decide = (name: string) => (one: Contact) => {
        const changed = { ...one, name }
        seen.push(one, changed)
        return changed
      }
      await contacts().change({ _id: numberedId(1) }, decide('Bea'))
      for (const one of seen) Object.assign(one, { name: 'Meddled with' })
      expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(contact(1, { name: 'Bea' }))
      await contacts().change({ _id: numberedId(1) }, (one) => {
        seen.push(one)
        return one
      })
      for (const one of seen) Object.assign(one, { name: 'Meddled with' })
      expect((await contacts().get({ _id: numberedId(1) }))?.name).toBe('Bea')
    })

    it('is undefined if nothing matches', async () => {
      expect(await contacts().get({ _id: numberedId(1) })).toBeUndefined()
      expect(await contacts().get({ projectId })).toBeUndefined()
    })

    it('is found in its own collection only', async () => {
      await contacts().add(contact(1))
      expect(await store().repositories.segments.get({ _id: numberedId(1) })).toBeUndefined()
    })
  })

  describe('a unique key', () => {
    it('rejects a second record, names its fields and writes nothing', async () => {
      await contacts().add(contact(1))
      const second = contact(2, { email: 'CONTACT1@example.com' })
      const refusal = await contacts()
        .add(second)
        .catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(KeyTaken)
      expect(refusal).toMatchObject({ collection: 'contacts', fields: ['projectId', 'emailKey'] })
      expect(await fitting({})).toEqual([1])
    })

    it('includes the _id', async () => {
      await contacts().add(contact(1))
      await expect(contacts().add(contact(1, { email: 'other@example.com' }))).rejects.toMatchObject({
        name: 'KeyTaken',
        fields: ['_id'],
      })
      expect((await contacts().get({ _id: numberedId(1) }))?.email).toBe('contact1@example.com')
    })

    it('allows a record that differs in one of its fields', async () => {
      await addAll(contacts(), [contact(1), contact(2, { email: 'contact1@example.com', projectId: numberedId(0xbb) })])
      expect(await fitting({})).toEqual([1, 2])
    })

    it('rejects a change into it, and keeps the record unchanged', async () => {
      await addAll(contacts(), [contact(1), contact(2)])
      const change = contacts().change({ _id: numberedId(2) }, (one) => ({
        ...one,
        name: 'Changed',
        emailKey: 'contact1@example.com',
      }))
      await expect(change).rejects.toBeInstanceOf(KeyTaken)
      expect(await contacts().get({ _id: numberedId(2) })).toStrictEqual(contact(2))
    })

    it('allows a record to keep its values, and is free after a change or removal', async () => {
      await contacts().add(contact(1))
      await contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Other' }))
      await contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, emailKey: 'moved@example.com' }))
      await contacts().add(contact(2, { email: 'contact1@example.com' }))
      await contacts().remove({ _id: numberedId(2) })
      await contacts().add(contact(3, { email: 'contact1@example.com' }))
      expect(await fitting({})).toEqual([1, 3])
    })

    it('is given to one of many concurrent callers', async () => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => contacts().add(contact(n, { email: 'wanted@example.com' }))),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect((await fitting({})).length).toBe(1)
    })
  })
}
