import { aDelivery, aDispatch, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { dispatchAcceptances } from '../../src/ledger/acceptance.js'
import { storeForEach } from '../store-for-each.js'

const store = storeForEach()

const single = (n: number, takes: readonly { key: string; n: number; limit?: number }[], data = {}) => {
  const dispatchId = numberedId(0x100 + n)
  return {
    dispatch: aDispatch({ _id: dispatchId, stage: 'single', data }),
    deliveries: [aDelivery({ _id: `${dispatchId}:a`, dispatchId, status: 'queued' })],
    takes,
  }
}
const accept = (...singles: readonly ReturnType<typeof single>[]) =>
  Promise.allSettled(singles.map((one) => store().deliveries.accept(one)))
const used = (key: string) => store().counters.used(key)

describe('single mails accepted concurrently', () => {
  it('are stored separately, even if one fails', async () => {
    const unkept = single(2, [{ key: 'credit', n: 1, limit: 9 }], { n: 1n })
    const one = (n: number) => single(n, [{ key: 'credit', n: 1, limit: 9 }])
    const answers = await accept(one(1), unkept, one(3))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await used('credit')).toBe(2)
    expect(await store().repositories.dispatches.get({ _id: numberedId(0x102) })).toBeUndefined()
    expect(await store().repositories.dispatches.get({ _id: numberedId(0x103) })).toBeDefined()
  })

  it('count against their own limits', async () => {
    const answers = await accept(
      single(1, [
        { key: 'credit', n: 1, limit: 9 },
        { key: 'day a', n: 1 },
      ]),
      single(2, [
        { key: 'credit', n: 1, limit: 9 },
        { key: 'day b', n: 1, limit: 0 },
      ]),
      single(3, [
        { key: 'credit', n: 1, limit: 1 },
        { key: 'day a', n: 1 },
      ]),
      single(4, [
        { key: 'credit', n: 1, limit: 2 },
        { key: 'day a', n: 1 },
      ]),
    )
    const refused = answers.map((one) => one.status === 'fulfilled' && one.value.refused?.key)
    expect(refused).toEqual([undefined, 'day b', 'credit', undefined])
    expect([await used('credit'), await used('day a'), await used('day b')]).toEqual([2, 2, 0])
  })

  it('take credit once for repetitions, across several commits', async () => {
    const all = Array.from({ length: 120 }, (_, n) => single(n % 60, [{ key: 'credit', n: 1, limit: 500 }]))
    await accept(...all)
    expect(await used('credit')).toBe(60)
  })

  it('do not block later ones if their commit failed', async () => {
    let isLocked = true
    const { accept: acceptNow } = dispatchAcceptances({
      write: async (work) => {
        await Promise.resolve()
        if (isLocked) throw new Error('database is locked')
        return work()
      },
      dispatches: { within: { addNew: () => true } as never },
      counters: { take: () => undefined, give: () => undefined },
      add: () => [],
    })
    await expect(Promise.all([acceptNow(single(1, [])), acceptNow(single(2, []))])).rejects.toThrow('locked')
    isLocked = false
    expect(await acceptNow(single(3, []))).toEqual({ leased: [] })
  })
})
