import { fixedClock, inMemoryCounters, recordingMailer } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serverChannel } from '../../../src/sending/channels/channel.js'
import { sendingChannelStates } from '../../../src/sending/channels/channel-states.js'
import { serverMailer } from '../../../src/sending/channels/mailer.js'
import { channelRateLimiter } from '../../../src/sending/channels/rate-limiter.js'

const accepted = { kind: 'accepted', providerMessageId: '1' } as const
const throttled = { kind: 'deferred', throttled: true, error: { name: '454', message: 'Too fast' } } as const
const project = { _id: 'p1', status: 'production' } as const

/** Numbers in 0..1, the same for the same seed. */
const seeded = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Provider = {
  /** The share that is throttled, whatever the pace. */
  readonly background?: number
  /** Mails that are accepted in a second; each further one is throttled. */
  readonly ceiling?: number
}

type Sent = { accepted: number; throttled: number; attempts: number }

/** Processes that have as much to send as they may, every fifth of a second. */
const world = ({ quota, workers = 1, seed = 1 }: { quota?: number; workers?: number; seed?: number }) => {
  const clock = fixedClock('2026-01-06T12:00:00.000Z')
  const counters = inMemoryCounters()
  const mailer = recordingMailer(quota === undefined ? {} : { ratePerSecond: quota })
  const states = sendingChannelStates({ mailers: serverMailer(mailer), sleep: clock.sleep, log: () => undefined })
  const paces = Array.from({ length: workers }, () =>
    channelRateLimiter({ counters, states, clock: clock.now, settings: { sandboxRatePerSecond: 1 } }),
  )
  const random = seeded(seed)
  let window = { second: -1, taken: 0 }
  /** With the mailer's `capacity`: mails that a process can hand over in a fifth of a second. */
  const send = async (
    seconds: number,
    { background = 0, ceiling = Number.POSITIVE_INFINITY }: Provider,
    capacity = 1_000,
  ) => {
    const sent: Sent = { accepted: 0, throttled: 0, attempts: 0 }
    for (let step = 0; step < seconds * 5; step += 1) {
      const second = Math.floor(clock.now().getTime() / 1000)
      if (window.second !== second) window = { second, taken: 0 }
      for (const pace of paces) {
        const n = await pace.take(serverChannel, project, 'bulk', capacity)
        for (let i = 0; i < n; i += 1) {
          const isTaken = random() >= background && window.taken < ceiling
          if (isTaken) window.taken += 1
          sent.attempts += 1
          sent[isTaken ? 'accepted' : 'throttled'] += 1
          pace.answered(serverChannel, isTaken ? accepted : throttled)
        }
      }
      clock.advance(200)
    }
    return sent
  }
  return { send, clock, paces, mailer }
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 })
const quotas = fc.integer({ min: 150, max: 2_000 })
const workerCounts = fc.integer({ min: 1, max: 3 })
const runs = { numRuns: 20 }
/** Seeds, quotas and workers whose first probe finds a share by chance that is much too small. */
const misled: [number, number, number][] = [
  [810_256_713, 246, 1],
  [1_698_057_798, 187, 1],
  [834_511_348, 322, 1],
  [19, 599, 1],
]

describe('a channel with a quota', () => {
  it('uses all of it with any number of processes if nothing is throttled', async () => {
    for (const workers of [1, 3]) {
      const { send } = world({ quota: 14, workers })
      expect(await send(60, { ceiling: 14 })).toEqual({ accepted: 840, throttled: 0, attempts: 840 })
    }
  })

  it('uses 95 % of it on average while a fifth is throttled at random, at least 90 %, with at most 1.3 times as many attempts', async () => {
    const shares: number[] = []
    const uses = async (seed: number, quota: number, workers: number) => {
      const { send } = world({ quota, workers, seed })
      const sent = await send(100, { background: 0.2, ceiling: quota })
      shares.push(sent.accepted / (quota * 100))
      expect(shares.at(-1)).toBeGreaterThanOrEqual(0.9)
      expect(sent.attempts).toBeLessThanOrEqual(1.3 * quota * 100)
    }
    await fc.assert(fc.asyncProperty(seeds, quotas, workerCounts, uses), { ...runs, examples: misled })
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThanOrEqual(0.95)
  })

  it('follows an unknown lower ceiling at 95 %, with under a tenth throttled', async () => {
    const parts = fc.double({ min: 0.2, max: 0.95, noNaN: true })
    const follows = async (quota: number, part: number) => {
      const ceiling = Math.ceil(quota * part)
      const { send } = world({ quota })
      const sent = await send(100, { ceiling })
      expect(sent.accepted).toBeGreaterThanOrEqual(0.95 * ceiling * 100)
      expect(sent.throttled / sent.attempts).toBeLessThan(0.1)
    }
    await fc.assert(fc.asyncProperty(quotas, parts, follows), runs)
  })

  it('shares such a ceiling among processes, with under a fifth throttled', async () => {
    for (const quota of [100, 500, 2_000]) {
      const { send } = world({ quota, workers: 3 })
      const sent = await send(100, { ceiling: quota / 2 })
      expect(sent.accepted).toBeGreaterThanOrEqual(0.95 * (quota / 2) * 100)
      expect(sent.throttled / sent.attempts).toBeLessThan(0.2)
    }
  })

  it('recovers within ten seconds after the ceiling disappears', async () => {
    const { send } = world({ quota: 400 })
    await send(60, { ceiling: 40 })
    await send(10, { ceiling: 400 })
    expect(await send(20, { ceiling: 400 })).toEqual({ accepted: 8_000, throttled: 0, attempts: 8_000 })
  })

  it('finds a ceiling that replaces random throttling', async () => {
    const { send } = world({ quota: 400 })
    await send(60, { background: 0.2, ceiling: 400 })
    await send(70, { ceiling: 100 })
    const sent = await send(60, { ceiling: 100 })
    expect(sent.accepted).toBeGreaterThanOrEqual(0.9 * 100 * 60)
    expect(sent.throttled / sent.attempts).toBeLessThan(0.2)
  })

  it('tries once a second while everything is throttled, and recovers within a minute', async () => {
    const { send } = world({ quota: 200 })
    await send(20, { background: 1 })
    expect((await send(600, { background: 1 })).attempts).toBe(600)
    await send(60, { ceiling: 200 })
    expect((await send(10, { ceiling: 200 })).accepted).toBe(2_000)
  })

  it('reserves part of each second for transactional mail, and releases it at the end', async () => {
    const { clock, paces } = world({ quota: 100 })
    const [pace] = paces
    const leave = (lane: 'bulk' | 'transactional', n: number) => pace?.take(serverChannel, project, lane, n)
    expect([await leave('bulk', 200), await leave('bulk', 200), await leave('transactional', 1)]).toEqual([90, 0, 1])
    clock.advance(800)
    expect([await leave('bulk', 200), await leave('transactional', 1)]).toEqual([9, 0])
    clock.advance(200)
    expect(await leave('transactional', 1)).toBe(1)
  })

  it('reports its current rate', async () => {
    const { send, paces } = world({ quota: 400 })
    await send(60, { ceiling: 40 })
    const [told] = (await paces[0]?.now()) ?? []
    expect(told?.ratePerSecond).toBeGreaterThanOrEqual(36)
    expect(told?.ratePerSecond).toBeLessThanOrEqual(48)
  })
})

describe('a channel without a known rate', () => {
  const capacity = 100

  it('is hardly slowed by random throttling of a fifth', async () => {
    const fast = async (seed: number) => {
      const { send } = world({ seed })
      const sent = await send(100, { background: 0.2 }, capacity)
      expect(sent.attempts).toBeGreaterThanOrEqual(0.95 * 5 * capacity * 100)
    }
    await fc.assert(fc.asyncProperty(seeds, fast), { ...runs, examples: [[1_340_248_666]] })
  })

  it('finds the actual ceiling', async () => {
    const { send } = world({})
    const sent = await send(100, { ceiling: 60 }, capacity)
    expect(sent.accepted).toBeGreaterThanOrEqual(0.95 * 60 * 100)
    expect(sent.throttled / sent.attempts).toBeLessThan(0.2)
  })

  it('is not slowed by a single throttled mail', async () => {
    const { send, paces } = world({})
    paces[0]?.answered(serverChannel, throttled)
    expect(await send(60, {}, capacity)).toMatchObject({ accepted: 60 * 5 * capacity })
  })
})
