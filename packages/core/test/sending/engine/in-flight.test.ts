import { aDelivery } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { inFlightDeliveries } from '../../../src/sending/engine/in-flight.js'

describe('a lease', () => {
  it('does not count while the clock is behind, because another worker may have reclaimed it', () => {
    let isBehind = false
    const now = new Date('2026-01-06T12:00:00.000Z')
    const table = inFlightDeliveries({
      deliveries: { renew: async (ids) => ids },
      worker: 'a',
      clocks: { isBehind: () => isBehind },
      clock: () => now,
    })
    const delivery = aDelivery({ status: 'sending', worker: 'a', leaseUntil: table.leaseEnd() })
    const { entries } = table.lease('claim', [{ delivery, accountId: 'account' }])
    const held = () => entries.map(table.leaseEndOf)
    expect(held()).toEqual([now.getTime() + 20_000])
    isBehind = true
    expect(held()).toEqual([0])
    isBehind = false
    expect(held()).toEqual([now.getTime() + 20_000])
  })
})
