import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wakeUpSignal } from '../../../src/kernel/wake-up.js'
import { deliveryClaimer } from '../../../src/sending/engine/claim.js'
import { inFlightDeliveries } from '../../../src/sending/engine/in-flight.js'

const unhandled: unknown[] = []
const note = (reason: unknown) => {
  unhandled.push(reason)
}
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
})

/** Long enough for Node to report an unhandled rejection. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('a batch that rejects during the next claim', () => {
  it('is reported by the round, and does not end the process', async () => {
    const { ports } = inMemoryPorts()
    const { clock, sleep, log } = ports
    const queues = ['one', 'two'].map((projectId) => ({ lane: 'bulk', projectId }) as const)
    let claimed = 0
    const { roundUntilStored } = deliveryClaimer({
      deliveries: {
        due: async () => queues,
        claim: async ({ queue }) => {
          claimed += 1
          if (claimed > 1) await turn()
          const { projectId } = queue
          const at = clock().toISOString()
          const row = { dispatchId: 'd', projectId, lane: 'bulk', email: 'a@example.com', attempts: 0 } as const
          return [{ ...row, _id: `d:${projectId}`, status: 'sending', notBefore: at, createdAt: at, updatedAt: at }]
        },
      },
      permits: {
        accountOf: async (id) => id,
        take: async (_id, _lane, n) => ({ n, use: async (_channel, wanted) => wanted }),
      },
      inFlight: inFlightDeliveries({
        deliveries: { renew: async (ids) => ids },
        worker: 'a',
        clocks: { isBehind: () => false },
        clock,
      }),
      pipeline: { send: async () => Promise.reject(new Error('The store failed')) },
      flush: async () => undefined,
      worker: 'a',
      wakeUp: wakeUpSignal(),
      clock,
      sleep,
      log,
    })
    await expect(roundUntilStored('bulk')).rejects.toThrow('The store failed')
    await turn()
    expect([claimed, unhandled]).toEqual([2, []])
  })
})

describe('a store that fails between claims', () => {
  it('loses no delivery', async () => {
    const world = inMemoryPorts()
    const { ports, clock, mailer } = world
    let claims = 0
    const core = createCore({
      ...ports,
      settings: { ...ports.settings, mailRatePerSecond: 5 },
      deliveries: {
        ...ports.deliveries,
        claim: async (claim) => {
          claims += 1
          if (claims % 2 === 0) throw new Error('The store failed')
          return ports.deliveries.claim(claim)
        },
      },
    })
    const project = await sampleProject(core)
    await project.subscribe(20)
    await core.campaigns.create(project.scope, {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'Hello',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: '2025-01-01T00:00:00Z',
    })
    for (let tries = 0; tries < 40 && mailer.sent.length < 20; tries += 1) {
      await core.worker.runUntilIdle().catch(() => undefined)
      clock.advance(1_000)
    }
    expect(claims).toBeGreaterThan(2)
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(20)
    expect([mailer.sent.length, unhandled]).toEqual([20, []])
  })
})
