import { type AudienceQuery, type ContactQuery, collected, type SegmentGroups } from '@posthorn/core/ports/storage'
import { aContact, aDelivery, aDispatch, aSubscriber, aSuppression, inMemoryStore, numberedId } from '@posthorn/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { storeForEach } from './store-for-each.js'

/** What is asked slice by slice, with more than a few slices. */
describe('beyond a slice', () => {
  const store = storeForEach()

  const numbersTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1)

  describe('an audience', () => {
    const question: AudienceQuery = {
      projectId: numberedId(0xb),
      subscriberListId: numberedId(0xc),
      now: '2026-01-06T12:00:00.000Z',
    }
    const rare: SegmentGroups = [
      { conditions: [{ category: 'contact-property', operator: 'equals', property: 'name', value: 'RARE' }] },
    ]
    const all = 5_003
    const isRare = (n: number) => n % 1_700 === 3

    beforeEach(async () => {
      await Promise.all(
        numbersTo(all).flatMap((n) => [
          store().repositories.contacts.add(
            aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...(isRare(n) && { name: 'Rare' }) }),
          ),
          store().repositories.subscribers.add(
            aSubscriber({
              _id: numberedId(n),
              contactId: numberedId(n),
              ...(n % 10 === 0 && { status: n % 20 === 0 ? 'paused' : 'unsubscribed', pausedUntil: question.now }),
            }),
          ),
          ...(n % 1000 === 1
            ? [
                store().repositories.suppressions.add(
                  aSuppression({ _id: numberedId(n), email: `contact${n}@example.com` }),
                ),
              ]
            : []),
        ]),
      )
    })

    const active = numbersTo(all).filter((n) => n % 20 !== 10)
    const pages = async (asked: AudienceQuery, limit: number) => {
      const seen: string[] = []
      for (;;) {
        const page = await store().audience.page(asked, seen.at(-1), limit)
        seen.push(...page.map(({ _id }) => _id))
        if (page.length < limit) return seen
      }
    }

    it('is counted and paged completely', async () => {
      expect(await store().audience.count(question)).toEqual({ total: active.length, reachable: active.length - 6 })
      for (const limit of [999, 3_000, 10_000]) expect(await pages(question, limit)).toEqual(active.map(numberedId))
    })

    it('is found if there are few', async () => {
      const asked = { ...question, segment: rare }
      const few = active.filter(isRare).map(numberedId)
      expect(few).toHaveLength(3)
      expect(await store().audience.count(asked)).toEqual({ total: 3, reachable: 3 })
      for (const limit of [1, 2, 100]) expect(await pages(asked, limit)).toEqual(few)
    })
  })

  /** More contacts than are looked at on this thread. */
  describe('a contact search', () => {
    const everybody: ContactQuery = {
      ...{ projectId: numberedId(0xb), where: {}, segments: [], skip: 0, limit: 7, now: '2026-01-06T12:00:00.000Z' },
      sort: { by: 'customFields.city', order: 'asc' },
    }
    const thirds: SegmentGroups = [
      { conditions: [{ category: 'contact-property', operator: 'equals', property: 'name', value: 'THIRD' }] },
    ]
    const list = { subscriberListId: numberedId(0xc) }
    let model: ReturnType<typeof inMemoryStore>

    beforeEach(async () => {
      model = inMemoryStore()
      await Promise.all(
        [store(), model].flatMap(({ repositories: { contacts, subscribers } }) =>
          numbersTo(1_203).flatMap((n) => [
            contacts.add(
              aContact({
                ...{
                  _id: numberedId(n),
                  email: `contact${(n * 7) % 1_203}@example.com`,
                  tags: n % 400 === 1 ? ['rare'] : [],
                },
                ...{ name: n % 3 === 0 ? 'Third' : '', customFields: n % 11 === 0 ? {} : { city: `City ${n % 10}` } },
              }),
            ),
            ...(n % 2 === 0
              ? [
                  subscribers.add(
                    aSubscriber({
                      _id: numberedId(n),
                      contactId: numberedId(n),
                      ...(n % 4 === 0 && { status: 'paused' }),
                    }),
                  ),
                ]
              : []),
          ]),
        ),
      )
    })

    it.each<Partial<ContactQuery>>([
      {},
      { skip: 1_199 },
      { sort: { by: 'customFields.city', order: 'desc' }, skip: 100 },
      { where: { 'customFields.city': 'City 3' }, sort: { by: 'email', order: 'asc' } },
      { where: { tags: 'rare' }, sort: { by: 'name', order: 'desc' } },
      { segments: [thirds], sort: { by: 'createdAt', order: 'desc' }, skip: 30 },
      { list },
      { list: { ...list, status: 'paused' }, segments: [thirds] },
      { list: { ...list, status: 'active' }, where: { emailKey: 'contact14@example.com' } },
    ])('equals the in-memory one: %j', async (asked) => {
      const question = { ...everybody, ...asked }
      expect(await store().contactSearch.page(question)).toStrictEqual(await model.contactSearch.page(question))
    })

    it('sees earlier writes', async () => {
      await store().repositories.contacts.change({ _id: numberedId(5) }, (one) => ({ ...one, tags: ['new'] }))
      const { items } = await store().contactSearch.page({ ...everybody, where: { tags: 'new' } })
      expect(items.map(({ _id }) => _id)).toEqual([numberedId(5)])
    })

    it('finds nobody after all are removed in steps', async () => {
      const { contacts } = store().repositories
      const where = { projectId: numberedId(0xb), name: 'Third' }
      expect(await contacts.removeAll(where)).toBe(401)
      expect((await store().contactSearch.page(everybody)).count).toBe(802)
      expect(await contacts.removeAll(where)).toBe(0)
    })
  })

  describe('a dispatch', () => {
    const dispatchId = numberedId(0xd1)
    const now = '2026-01-06T12:00:00.000Z'
    const all = 12_345

    beforeEach(async () => {
      const rows = (id: string, many: number) =>
        numbersTo(many).map((n) =>
          aDelivery({ dispatchId: id, contactId: numberedId(n), status: n % 4_000 === 7 ? 'failed' : 'queued' }),
        )
      for (const [id, many] of [
        [dispatchId, all],
        [numberedId(0xd0), 3],
        [numberedId(0xd2), 3],
      ] as const)
        await store().deliveries.accept({
          dispatch: aDispatch({ _id: id, stage: 'sending' }),
          deliveries: rows(id, many),
          takes: [{ key: 'credit', n: many }],
        })
    })

    it('is counted, walked and stopped completely, and no other', async () => {
      const { deliveries, counters } = store()
      const failed = await collected(deliveries.each(dispatchId, 'failed'))
      expect(failed.map(({ contactId }) => contactId)).toEqual([7, 4_007, 8_007, 12_007].map(numberedId))
      expect(await collected(deliveries.each(dispatchId, 'queued'))).toHaveLength(all - 4)
      expect(await deliveries.stop(dispatchId, 'credit', now)).toBe(all - 4)
      expect(await counters.used('credit')).toBe(4 + 6)
      expect(await deliveries.tally(dispatchId)).toMatchObject({
        byStatus: { failed: 4, queued: 0, excluded: all - 4 },
        excluded: { stopped: all - 4 },
      })
      expect((await deliveries.tally(numberedId(0xd2))).byStatus.queued).toBe(3)
    })
  })
})
