import type { Dispatch } from '@posthorn/core/ports/storage'
import { aDispatch } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, type ContractStore, type MakeStore, onFreshStore } from '../under-test/store.js'
import { acceptance, at, credit, dispatchId, expansion, ledgerOf, row } from './ledger-rows.js'

const limit = 10

const verbsOf = ({ deliveries, counters, repositories: { dispatches } }: ContractStore) => ({
  hold: (creditsHeld: number, given: Partial<Dispatch> = {}) =>
    deliveries.hold({
      dispatch: aDispatch({ _id: dispatchId, stage: 'held', creditsHeld, ...given }),
      key: credit,
      limit,
    }),
  release: () => deliveries.release(dispatchId, credit, at(5)),
  begin: async (takes: readonly { key: string; n: number; limit: number }[] = []) => {
    const { refused } = await deliveries.accept({
      ...acceptance([], { stage: 'expanding', contentId: 'content', createdAt: at(3) }),
      takes,
      isHeld: true,
    })
    return refused
  },
  used: () => counters.used(credit),
  stored: () => dispatches.get({ _id: dispatchId }),
})

/** Credit held for dispatches that have not started. */
export const holdingContract = (store: () => ContractStore) => {
  const verbs = () => verbsOf(store())

  describe('holding credit', () => {
    it('takes it, and later takes or returns only the difference', async () => {
      const { hold, used, stored } = verbs()
      expect(await hold(6)).toBeUndefined()
      expect(await used()).toBe(6)
      expect(await hold(10, { updatedAt: at(1) })).toBeUndefined()
      expect(await used()).toBe(10)
      await hold(3, { updatedAt: at(2) })
      expect([await used(), (await stored())?.creditsHeld, (await stored())?.stage]).toEqual([3, 3, 'held'])
    })

    it('is refused over the limit, and then changes nothing', async () => {
      const { hold, used, stored } = verbs()
      expect(await hold(11)).toMatchObject({ key: credit, n: 11 })
      expect([await used(), await stored()]).toEqual([0, undefined])
      await hold(6)
      expect(await hold(11)).toMatchObject({ key: credit, n: 5 })
      expect([await used(), (await stored())?.creditsHeld]).toEqual([6, 6])
    })

    it('happens once under concurrency', async () => {
      const { hold, used } = verbs()
      await Promise.all([hold(4), hold(4), hold(4)])
      expect(await used()).toBe(4)
    })

    it('ends when it is released, which returns it once', async () => {
      const { hold, release, used, stored } = verbs()
      await hold(4)
      expect((await Promise.all([release(), release()])).sort()).toEqual([false, true])
      expect([await used(), (await stored())?.creditsHeld, (await stored())?.stage]).toEqual([0, 0, 'stopped'])
      expect(await hold(4)).toBeUndefined()
      expect([await used(), (await stored())?.stage]).toEqual([0, 'stopped'])
    })

    it('passes to the dispatch that is accepted for it', async () => {
      const { hold, begin, used, stored, release } = verbs()
      await hold(4)
      expect(await begin([{ key: 'day', n: 4, limit: 4 }])).toBeUndefined()
      expect(await stored()).toMatchObject({
        stage: 'expanding',
        creditsHeld: 4,
        contentId: 'content',
        createdAt: at(3),
      })
      expect([await used(), await store().counters.used('day'), await release()]).toEqual([4, 4, false])
      expect(await begin([{ key: 'day', n: 4, limit: 4 }])).toBeUndefined()
      expect([await store().counters.used('day'), await ledgerOf(store().deliveries)]).toEqual([4, []])
      await store().deliveries.expand(
        expansion({ deliveries: [row(1)], stage: 'sending', refund: { key: credit, n: 3 } }),
      )
      expect(await used()).toBe(1)
    })

    it('stays unchanged if another limit prevents that', async () => {
      const { hold, begin, used, stored } = verbs()
      await hold(4)
      expect(await begin([{ key: 'day', n: 4, limit: 3 }])).toMatchObject({ key: 'day' })
      expect([await used(), await store().counters.used('day'), (await stored())?.stage]).toEqual([4, 0, 'held'])
    })

    it('cannot begin for a dispatch that is not held any more', async () => {
      const { hold, begin, release, stored, used } = verbs()
      expect(await begin()).toBeUndefined()
      expect(await stored()).toBeUndefined()
      await hold(4)
      await release()
      expect(await begin()).toBeUndefined()
      expect([(await stored())?.stage, await used()]).toEqual(['stopped', 0])
    })
  })
}

/** Under any concurrency, the used credit equals the credit that the dispatch has. */
export const holdingProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  const step = fc.oneof(
    fc.integer({ min: 0, max: 12 }).map((n) => ({ says: `hold ${n}`, n })),
    fc.constantFrom({ says: 'release', n: -1 }, { says: 'begin', n: -2 }),
  )
  it('counts held credit as used under any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), (rounds) =>
        onFreshStore(make, async (store) => {
          const { hold, release, begin, used, stored } = verbsOf(store)
          for (const round of rounds) {
            await Promise.all(round.map(({ n }) => (n >= 0 ? hold(n) : n === -1 ? release() : begin())))
            expect(await used()).toBe((await stored())?.creditsHeld ?? 0)
            expect(await used()).toBeLessThanOrEqual(limit)
          }
        }),
      ),
      { numRuns: Math.ceil(runs / 2) },
    )
  })
}
