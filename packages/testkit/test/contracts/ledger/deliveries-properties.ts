import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ContractOptions, type MakeStore, onFreshStore } from '../under-test/store.js'
import { endingNames, type LedgerModel, ledgerModel, workers } from './ledger-model.js'
import { credit, dispatchId } from './ledger-rows.js'

type Step = { readonly says: string; readonly run: (shop: LedgerModel) => Promise<unknown> }

const worker = fc.constantFrom(...workers)
const twoWorkers = fc.constantFrom(
  ...workers.flatMap((one) => workers.filter((other) => other !== one).map((other) => [one, other] as const)),
)
const limit = fc.integer({ min: 1, max: 6 })

const step: fc.Arbitrary<Step> = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  { weight: 2, arbitrary: fc.constant({ says: 'expand', run: (shop) => shop.expand() }) },
  {
    weight: 1,
    arbitrary: fc.constant({ says: 'expand twice', run: (shop) => Promise.all([shop.expand(), shop.expand()]) }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(worker, limit)
      .map(([who, n]) => ({ says: `${who} claims`, run: (shop) => shop.claim(who, n) })),
  },
  {
    weight: 1,
    arbitrary: limit.map((n) => ({
      says: 'all claim',
      run: (shop) => Promise.all(workers.map((who) => shop.claim(who, n))),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(worker, fc.array(fc.constantFrom(...endingNames), { minLength: 1, maxLength: 5 }))
      .map(([who, names]) => ({ says: `${who} settles ${names.join(', ')}`, run: (shop) => shop.settle(who, names) })),
  },
  {
    weight: 2,
    arbitrary: worker.map((who) => ({ says: `${who} crashes`, run: (shop) => shop.crash(who) })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1, 19, 41, 59, 61, 100).map((seconds) => ({
      says: `${seconds} s pass`,
      run: (shop) => shop.pass(seconds),
    })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(0, 30, 300).map((grace) => ({
      says: `reclaim with ${grace} s of grace`,
      run: (shop) => shop.reclaim(grace),
    })),
  },
  { weight: 1, arbitrary: worker.map((who) => ({ says: `${who} renews`, run: (shop) => shop.renew(who) })) },
  {
    weight: 1,
    arbitrary: fc.nat(20).map((n) => ({ says: `the provider reports ${n}`, run: (shop) => shop.report(n) })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(twoWorkers, limit).map(([[one, other], n]) => ({
      says: `${one} claims, ${other} settles and leases are reclaimed at once`,
      run: (shop) => Promise.all([shop.claim(one, n), shop.settle(other, ['sent', 'left']), shop.reclaim(0)]),
    })),
  },
)

/**
 * Under any interleaving of expand, claim, crash, reclaim and settle, no recipient is sent to twice or forgotten, and no credit is lost.
 */
export const deliveriesProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  const run = async (shop: LedgerModel, steps: readonly Step[]) => {
    for (const one of steps) {
      await one.run(shop)
      await shop.balance()
    }
  }
  const steps = fc.array(step, { maxLength: 40, size: 'max' })
  const recipients = fc.integer({ min: 1, max: 13 })

  it('brings every recipient to one final status, whatever workers do and whenever they die', async () => {
    await fc.assert(
      fc.asyncProperty(recipients, steps, (n, all) =>
        onFreshStore(make, async (store) => {
          const shop = await ledgerModel(store, n)
          await run(shop, all)
          await shop.finish()
          await shop.balance()
          expect(await store.deliveries.open(dispatchId)).toBe(false)
        }),
      ),
      { numRuns: runs },
    )
  })

  it('loses and doubles nobody when a person stops and continues the dispatch at any time', async () => {
    const halting = fc.oneof(
      { weight: 8, arbitrary: step },
      { weight: 1, arbitrary: fc.constant<Step>({ says: 'a person stops', run: (shop) => shop.halt() }) },
      { weight: 1, arbitrary: fc.constant<Step>({ says: 'a person continues', run: (shop) => shop.goOn() }) },
    )
    await fc.assert(
      fc.asyncProperty(recipients, fc.array(halting, { maxLength: 40, size: 'max' }), (n, all) =>
        onFreshStore(make, async (store) => {
          const shop = await ledgerModel(store, n)
          await run(shop, all)
          await shop.finish()
          await shop.balance()
          expect(await store.deliveries.open(dispatchId)).toBe(false)
        }),
      ),
      { numRuns: runs },
    )
  })

  it('balances when the dispatch is stopped at any time', async () => {
    await fc.assert(
      fc.asyncProperty(recipients, steps, steps, (n, before, after) =>
        onFreshStore(make, async (store) => {
          const shop = await ledgerModel(store, n)
          await run(shop, before)
          await run(shop, [{ says: 'stop', run: () => shop.stop() }, ...after])
          expect(await store.counters.used(credit)).toBeLessThanOrEqual(n + 3)
        }),
      ),
      { numRuns: Math.ceil(runs / 2) },
    )
  })
}
