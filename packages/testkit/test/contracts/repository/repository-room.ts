import { collected, type Repositories } from '@posthorn/core/ports/storage'
import { aTime, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { projectId } from './sample-contacts.js'

type ContactTag = Parameters<Repositories['contactTags']['add']>[0]

/** Limits on the number of records hold under concurrent callers. */
export const roomContract = (store: () => ContractStore) => {
  const tags = () => store().repositories.contactTags
  const tag = (n: number, given: Partial<ContactTag> = {}): ContactTag => ({
    ...{ _id: numberedId(n), projectId, value: `tag ${n}`, createdAt: aTime, updatedAt: aTime },
    ...given,
  })
  const several = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => tag(from + n))
  const room = { where: { projectId }, limit: 10 }
  const values = async () => (await collected(tags().each({ projectId }))).map(({ value }) => value)

  describe('a limit on records', () => {
    it('adds records with free keys, and returns them', async () => {
      await tags().add(tag(1))
      expect(await tags().addNew([tag(2, { value: 'tag 1' }), tag(3)], room)).toEqual([tag(3)])
      expect(await tags().addNew([], room)).toEqual([])
      expect(await values()).toEqual(['tag 1', 'tag 3'])
    })

    it('adds up to its number, then no new ones', async () => {
      expect(await tags().addNew(several(1, 9), room)).toHaveLength(9)
      await expect(tags().addNew(several(10, 11), room)).rejects.toMatchObject({
        name: 'RecordLimitReached',
        limit: 10,
      })
      expect(await values()).toHaveLength(9)
      await tags().add(tag(10), room)
      await expect(tags().add(tag(11), room)).rejects.toMatchObject({ name: 'RecordLimitReached', limit: 10 })
      expect(await tags().addNew([tag(12, { value: 'tag 1' })], room)).toEqual([])
      await tags().remove({ _id: numberedId(10) })
      await tags().add(tag(11), room)
      expect(await values()).toHaveLength(10)
    })

    it('counts only records that match its condition', async () => {
      await tags().addNew(several(1, 10), room)
      await tags().add(tag(11, { projectId: numberedId(0xbb) }), { where: { projectId: numberedId(0xbb) }, limit: 1 })
      expect(await tags().get({ _id: numberedId(11) })).toBeDefined()
    })

    it('is never exceeded under concurrency', async () => {
      await tags().addNew(several(1, 5), room)
      const outcomes = await Promise.allSettled([
        ...[10, 20, 30, 40].map((n) => tags().addNew(several(n, n + 2), room)),
        ...[50, 51, 52, 53, 54, 55, 56, 57].map((n) => tags().add(tag(n), room)),
      ])
      expect((await values()).length).toBeLessThanOrEqual(10)
      expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true)
    })
  })
}
