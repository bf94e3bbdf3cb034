import { createCore } from '@posthorn/core'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { refusalWaves } from '../../../src/sending/engine/refusal-wave.js'
import type { Delivery } from '../../../src/sending/ledger/delivery.js'

const text = (to: string) => `550 5.1.1 <${to}>: unknown user, session 4XyZ12abcd (in reply to RCPT TO)`

const started = () => {
  let now = 0
  const bounced: string[] = []
  const waves = refusalWaves({
    clock: () => new Date(now),
    bounced: async ({ delivery }) => {
      bounced.push(delivery.email)
    },
  })
  const refused = (to: string, message = text(to)) =>
    waves.refused(
      {
        delivery: { dispatchId: 'd', email: to } as Delivery,
        subject: undefined,
        error: { name: 'SmtpRefused', message },
      },
      2,
    )
  const record = (all: boolean, storeOutcomes = async () => {}) => waves.record(all, storeOutcomes)
  return { ...waves, record, bounced, refused, accepted: () => waves.accepted('d'), pass: (ms: number) => (now += ms) }
}

const reader = (n: number) => `reader${n}@example${n % 7}.com`

describe('a dispatch’s permanent refusals', () => {
  it('are bounces once more mails were accepted than were in flight', async () => {
    const { refused, accepted, record, bounced } = started()
    refused('gone@example.com')
    for (const expected of [[], [], ['gone@example.com']]) {
      accepted()
      await record(false)
      expect(bounced).toEqual(expected)
    }
  })

  it('are bounces after five quiet seconds if a text came for fewer than five domains', async () => {
    const { refused, record, bounced, pass } = started()
    for (const n of [1, 2, 3, 4, 4, 4]) refused(`reader${n}@example${n}.com`)
    await record(false)
    expect(bounced).toEqual([])
    pass(5_000)
    await record(false)
    expect(bounced).toHaveLength(6)
    await record(true)
    expect(bounced).toHaveLength(6)
  })

  it('are ignored at the end if one text came for five domains', async () => {
    const { refused, record, bounced } = started()
    for (const n of [1, 2, 3, 4, 5]) refused(reader(n))
    await record(true)
    expect(bounced).toEqual([])
  })

  it('are a wave from the 20th in a row, with the same text for five domains', async () => {
    const { refused, record, bounced, accepted, pass } = started()
    const said = Array.from({ length: 40 }, (_, n) => {
      // Mails that were in flight when the relay began to refuse.
      if (n === 1 || n === 2) accepted()
      return refused(reader(n))
    })
    expect(said.findIndex((one) => one !== undefined)).toBe(21)
    expect(said.filter((one) => one !== undefined)).toEqual([expect.stringContaining('22 recipients at 7 domains')])
    pass(60_000)
    await record(true)
    expect(bounced).toEqual([])
  })

  it('are no wave between accepted mails, with different texts, or at four domains', () => {
    const mixed = started()
    const differing = started()
    const few = started()
    for (let n = 0; n < 200; n += 1) {
      expect(mixed.refused(reader(n))).toBeUndefined()
      mixed.accepted()
      expect(differing.refused(reader(n), `550 ${'abcdefghijklmnopqrst'.slice(n % 19)} unknown`)).toBeUndefined()
      differing.accepted()
      expect(few.refused(`reader${n}@example${n % 4}.com`)).toBeUndefined()
    }
  })

  it('are recorded after their outcomes, so that a crash leaves none of them out as suppressed', async () => {
    const { refused, accepted, record, bounced } = started()
    const accept = () => [1, 2, 3].forEach(accepted)
    refused('gone1@example.com')
    accept()
    await record(false, async () => {
      expect(bounced).toEqual([])
      // Its outcome comes too late for this storing.
      refused('gone2@example.com')
      accept()
    })
    expect(bounced).toEqual(['gone1@example.com'])
    await expect(record(false, () => Promise.reject(new Error('The store is down')))).rejects.toThrow('down')
    expect(bounced).toEqual(['gone1@example.com'])
    await record(false)
    expect(bounced).toEqual(['gone1@example.com', 'gone2@example.com'])
  })

  it('are kept while the store is down', async () => {
    let isDown = true
    const done: string[] = []
    const waves = refusalWaves({
      clock: () => new Date(0),
      bounced: async ({ delivery }) => {
        if (isDown) throw new Error('The store is down')
        done.push(delivery.email)
      },
    })
    const delivery = { dispatchId: 'd', email: 'gone@example.com' } as Delivery
    waves.refused({ delivery, subject: undefined, error: { name: 'SmtpRefused', message: 'no' } }, 1)
    const record = () => waves.record(true, async () => {})
    await expect(record()).rejects.toThrow('The store is down')
    isDown = false
    await record()
    expect(done).toEqual(['gone@example.com'])
  })
})

/** A campaign to 300 readers by a relay that refuses everybody from the 101st on, for a limit of its own. */
const aCampaignPastTheLimit = async () => {
  const mailer = recordingMailer({ concurrency: 4 })
  let handed = 0
  let limit = 100
  mailer.answer(({ to }) => {
    handed += 1
    return handed > limit
      ? { kind: 'refused', bounce: true, error: { name: 'SmtpRefused', message: text(to) } }
      : undefined
  })
  const world = inMemoryPorts({ mailer })
  const core = createCore(world.ports)
  const { scope, list } = await sampleProject(core)
  for (let n = 1; n <= 300; n += 1)
    await core.subscribers.subscribe(scope, list._id, { email: reader(n), name: '', status: 'active' })
  const { _id } = await core.campaigns.create(scope, {
    ...{ name: 'January', subject: 'News', type: 'text', document: 'News', timeZone: 'UTC' },
    ...{ subscriberListId: list._id, status: 'scheduled', scheduledTo: '2025-11-30T11:00:00Z' },
  })
  await core.worker.runUntilIdle()
  return {
    core,
    sent: mailer.sent,
    lift: () => {
      limit = Number.POSITIVE_INFINITY
    },
    campaign: () => core.campaigns.get(scope, _id),
    retry: () => core.campaigns.retryFailed(scope, _id),
    suppressed: async () => (await core.suppressions.list(scope, { limit: 300, skip: 0 })).count,
    active: async () => (await core.subscriberLists.stats(scope, list._id)).active,
  }
}

describe('a relay that starts refusing everybody during a campaign', () => {
  it('stops it with the relay’s text and no suppressions, and the rest can be retried', async () => {
    const { core, sent, lift, campaign, retry, suppressed, active } = await aCampaignPastTheLimit()
    expect(await campaign()).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('unknown user') })
    expect([sent.length, await suppressed(), await active()]).toEqual([100, 0, 300])
    lift()
    await retry()
    await core.worker.runUntilIdle()
    expect(await campaign()).toMatchObject({ status: 'sent' })
    expect([new Set(sent.map(({ to }) => to)).size, await suppressed()]).toEqual([300, 0])
  })
})
