import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore, onFreshStore } from './under-test/store.js'

const later = new Date('2026-01-06T12:01:00.000Z')

/** Every method of `Counters`, also with concurrent callers. */
export const countersContract = (name: string, make: MakeStore, { runs = 50 }: ContractOptions = {}) => {
  describe(`${name}: counters`, () => {
    const store = freshStore(make)
    const counters = () => store().counters

    it('are 0 for an unused key', async () => {
      expect(await counters().used('nothing')).toBe(0)
      await counters().give({ key: 'nothing', n: 3 })
      expect(await counters().used('nothing')).toBe(0)
    })

    it('take up to the limit and not beyond', async () => {
      expect(await counters().take([{ key: 'a', n: 7, limit: 10 }])).toBeUndefined()
      expect(await counters().take([{ key: 'a', n: 4, limit: 10 }])).toEqual({ key: 'a', n: 4, limit: 10 })
      expect(await counters().take([{ key: 'a', n: 3, limit: 10 }])).toBeUndefined()
      expect(await counters().used('a')).toBe(10)
    })

    it('take without a limit', async () => {
      expect(await counters().take([{ key: 'a', n: 1_000_000_000 }])).toBeUndefined()
      expect(await counters().take([{ key: 'a', n: 1_000_000_000, limit: undefined }])).toBeUndefined()
      expect(await counters().used('a')).toBe(2_000_000_000)
    })

    it('take all or none, and return the first take over its limit', async () => {
      const refused = await counters().take([
        { key: 'a', n: 1, limit: 5 },
        { key: 'b', n: 6, limit: 5 },
        { key: 'c', n: 7, limit: 5 },
      ])
      expect(refused).toEqual({ key: 'b', n: 6, limit: 5 })
      expect(await Promise.all(['a', 'b', 'c'].map((key) => counters().used(key)))).toEqual([0, 0, 0])
    })

    it('add takes of the same key together', async () => {
      const take = { key: 'a', n: 3, limit: 5 }
      expect(await counters().take([take, take])).toEqual(take)
      expect(await counters().used('a')).toBe(0)
    })

    it('take as much as the limit allows, down to nothing', async () => {
      expect(await counters().takeUpTo({ key: 'a', n: 4, limit: 6 }, later)).toBe(4)
      expect(await counters().takeUpTo({ key: 'a', n: 4, limit: 6 }, later)).toBe(2)
      expect(await counters().takeUpTo({ key: 'a', n: 4, limit: 6 }, later)).toBe(0)
      expect(await counters().takeUpTo({ key: 'a', n: 4, limit: 1 }, later)).toBe(0)
      expect(await counters().used('a')).toBe(6)
      expect(await counters().takeUpTo({ key: 'b', n: 4 }, later)).toBe(4)
    })

    it('never fall below zero', async () => {
      await counters().take([{ key: 'a', n: 2 }])
      await counters().give({ key: 'a', n: 5 })
      expect(await counters().used('a')).toBe(0)
      await counters().take([{ key: 'a', n: 1 }])
      expect(await counters().used('a')).toBe(1)
    })

    it('forget expired keys only', async () => {
      await counters().take([{ key: 'credit', n: 1 }])
      await counters().takeUpTo({ key: 'old', n: 1 }, new Date('2026-01-06T11:59:00.000Z'))
      await counters().takeUpTo({ key: 'new', n: 1 }, later)
      await counters().prune(new Date('2026-01-06T12:00:00.000Z'))
      expect(await Promise.all(['credit', 'old', 'new'].map((key) => counters().used(key)))).toEqual([1, 0, 1])
    })

    it('distinguish similar keys', async () => {
      await counters().take([{ key: 'month:a', n: 1 }])
      await counters().take([{ key: 'month:A', n: 2 }])
      expect(await counters().used('month:a')).toBe(1)
      expect(await counters().used('month:')).toBe(0)
    })

    it('use up a limit exactly, and never exceed it, under concurrency', async () => {
      const each = [3, 1, 2, 5, 4, 1, 1, 3, 2, 5, 1, 1, 4, 2, 3, 1, 1, 1]
      const refusals = await Promise.all(each.map((n) => counters().take([{ key: 'a', n, limit: 20 }])))
      const taken = each.filter((_, index) => !refusals[index]).reduce((sum, n) => sum + n, 0)
      expect(taken).toBeLessThanOrEqual(20)
      expect(await counters().used('a')).toBe(taken)
      const parts = await Promise.all(each.map((n) => counters().takeUpTo({ key: 'b', n, limit: 20 }, later)))
      expect(parts.reduce((sum, n) => sum + n, 0)).toBe(20)
    })

    it('stay between zero and the limit for any concurrent takes and gives', async () => {
      const key = fc.constantFrom('a', 'b')
      const step = fc.oneof(
        fc.record({ takes: fc.array(fc.record({ key, n: fc.nat(5) }), { minLength: 1, maxLength: 3 }) }),
        fc.record({ upTo: fc.record({ key, n: fc.nat(5) }) }),
        fc.record({ back: fc.constant(true) }),
      )
      const limits: Readonly<Record<string, number>> = { a: 8, b: 12 }
      const limited = (take: { key: string; n: number }) => ({ ...take, limit: limits[take.key] })

      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }), (callers) =>
          onFreshStore(make, async ({ counters: shared }) => {
            /** Each caller gives back only what it has taken, so that the final sums must agree. */
            const taken = await Promise.all(
              callers.map(async (steps) => {
                const mine = new Map<string, number>()
                const note = (key: string, n: number) => mine.set(key, (mine.get(key) ?? 0) + n)
                for (const one of steps) {
                  if ('takes' in one) {
                    if (!(await shared.take(one.takes.map(limited)))) for (const { key, n } of one.takes) note(key, n)
                  } else if ('upTo' in one) note(one.upTo.key, await shared.takeUpTo(limited(one.upTo), later))
                  else
                    for (const [key, n] of mine) {
                      await shared.give({ key, n })
                      mine.delete(key)
                    }
                }
                return mine
              }),
            )
            for (const [key, limit] of Object.entries(limits)) {
              const used = await shared.used(key)
              expect(used).toBe(taken.reduce((sum, mine) => sum + (mine.get(key) ?? 0), 0))
              expect(used).toBeLessThanOrEqual(limit)
            }
          }),
        ),
        { numRuns: runs },
      )
    })
  })
}
