import type { StoreClock } from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import { freshStore } from './under-test/store.js'

/** A store's clock, and the time that it should show. */
export type ContractStoreClock = {
  readonly storeClock: StoreClock
  readonly now: () => Date
  readonly close: () => Promise<void>
}

/** For stores that have their own clock. */
export const storeClockContract = (name: string, make: () => Promise<ContractStoreClock>) => {
  describe(`${name}: the store's clock`, () => {
    const world = freshStore(make)

    it('returns the server’s time to the second, and never an earlier one', async () => {
      const { storeClock, now } = world()
      const before = now().getTime()
      const first = (await storeClock.now()).getTime()
      const second = (await storeClock.now()).getTime()
      expect(first).toBeGreaterThan(before - 1_000)
      expect(second).toBeGreaterThanOrEqual(first)
      expect(second).toBeLessThan(now().getTime() + 1_000)
    })
  })
}
