import { createCore, serverMailer } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { mailerContract, withoutProvider } from '@posthorn/testkit/contracts'
import { describe, expect, it } from 'vitest'

/** A mail channel as the recipe in CONTRIBUTING.md describes it: it keeps each mail in a map, by recipient. */
const memoryChannel = (kept: Map<string, string>): Mailer => ({
  concurrency: 4,
  reportsSends: false,
  send: async ({ to, mime, deliveryId }) => {
    if (to.startsWith('gone')) return { kind: 'refused', error: { name: 'NoSuchBox', message: 'No such box' } }
    kept.set(to, mime)
    return { kind: 'accepted', providerMessageId: `memory-${deliveryId}` }
  },
  ratePerSecond: async () => undefined,
  check: async () => {},
  close: async () => {},
})

describe('a mail channel in one file', () => {
  it('sends a campaign, with outcomes in the ledger', async () => {
    const { ports } = inMemoryPorts()
    const kept = new Map<string, string>()
    const core = createCore({ ...ports, mailers: serverMailer(memoryChannel(kept)) })
    const { scope, list, subscribe } = await sampleProject(core)
    await subscribe(3)
    await core.subscribers.subscribe(scope, list._id, { email: 'gone@example.com' })
    const { _id } = await core.campaigns.create(scope, {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'Hello {{contact.email}}',
      timeZone: 'UTC',
      subscriberListId: list._id,
      status: 'scheduled',
      scheduledTo: '2025-01-01T00:00:00Z',
    })
    await core.worker.runUntilIdle()
    expect(await core.campaigns.get(scope, _id)).toMatchObject({ status: 'sent' })
    expect(kept.size).toBe(3)
    for (const [to, mime] of kept) expect(mime).toContain(`Hello ${to}`)
    const [dispatch] = (
      await ports.repositories.dispatches.list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 })
    ).items
    const { byStatus } = await ports.deliveries.tally(dispatch?._id ?? '')
    expect(byStatus).toMatchObject({ sent: 3, failed: 1 })
  })
})

mailerContract(
  'a channel in one file',
  async () => {
    const kept = new Map<string, string>()
    return {
      mailer: memoryChannel(kept),
      treat: () => {},
      taken: () => [...kept].map(([to, mime]) => ({ to, mime })),
      close: async () => {},
    }
  },
  {
    without: withoutProvider,
  },
)
