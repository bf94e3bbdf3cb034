import { type Delivery, moveDispatch, type Settlement } from '@posthorn/core/ports/storage'
import { expect } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { acceptance, at, bulk, credit, dispatchId, ledgerOf, row } from './ledger-rows.js'

const pageSize = 4
const leaseSeconds = 60
export const workers = ['worker-1', 'worker-2', 'worker-3'] as const
export type Worker = (typeof workers)[number]

/** The settlements that a worker records for each outcome. The error name `refunded` marks a delivery whose credit was returned. */
const endings = {
  sent: { to: 'sent', attempted: true, providerMessageId: 'message' },
  refused: { to: 'failed', attempted: true, error: { name: '550', message: 'No such user' } },
  unrenderable: { to: 'failed', attempted: false, error: { name: 'refunded', message: '' }, refund: credit },
  left: { to: 'excluded', attempted: false, reason: 'unsubscribed', refund: credit },
  deferred: { to: 'queued', attempted: true, error: { name: '451', message: 'Try later' } },
  unknown: { to: 'uncertain', attempted: true, error: { name: 'broken', message: 'Connection lost' } },
} as const satisfies Record<string, Omit<Settlement, '_id' | 'worker' | 'now'>>
export type Ending = keyof typeof endings
export const endingNames = Object.keys(endings) as Ending[]

const isFinal = ({ status }: Delivery) => status === 'sent' || status === 'failed' || status === 'excluded'

const stopped = { name: 'stopped', message: 'By a person.' }

/** Whether the ledger still counts a credit as used for the delivery. */
const costs = ({ status, error }: Delivery) =>
  status !== 'excluded' && error?.name !== 'refunded' && !(status === 'failed' && error?.name === stopped.name)

/**
 * Workers on one store; each knows only what the store returned to it, and a crash makes it forget. After every step the ledger must
 * balance, and no step may reclaim a delivery whose lease is still valid, nor return an ended one.
 */
export const ledgerModel = async (
  { deliveries, counters, repositories: { dispatches } }: ContractStore,
  recipients: number,
) => {
  const audience = Array.from({ length: recipients }, (_, n) =>
    n % 5 === 3 ? row(n + 1, { status: 'excluded', reason: 'suppressed' }) : row(n + 1),
  )
  const wanted = audience.filter(({ status }) => status === 'queued').length
  const spare = 3
  const beliefs = new Map<Worker, Map<string, number>>(workers.map((worker) => [worker, new Map()]))
  const ended = new Map<string, string>()
  let now = 0

  await deliveries.accept({
    ...acceptance([], { stage: 'expanding', creditsHeld: wanted + spare }),
    takes: [{ key: credit, n: wanted + spare, limit: wanted + spare }],
  })

  const beliefOf = (worker: Worker) => beliefs.get(worker) ?? new Map<string, number>()
  const holders = (id: string) => workers.filter((worker) => (beliefOf(worker).get(id) ?? 0) > now)

  const expand = async (): Promise<boolean> => {
    const dispatch = await dispatches.get({ _id: dispatchId })
    if (dispatch?.stage !== 'expanding') return false
    const from = Number(dispatch.cursor ?? 0)
    const leaseUntil = at(now + leaseSeconds)
    const page = audience
      .slice(from, from + pageSize)
      .map(
        (one, index): Delivery =>
          one.status === 'queued' && index % 2 === 0
            ? { ...one, status: 'sending', worker: 'worker-1', leaseUntil }
            : one,
      )
    const needed = page.filter(({ status }) => status !== 'excluded').length
    const missing = Math.max(0, needed - dispatch.creditsHeld)
    const held = dispatch.creditsHeld + missing - needed
    const last = from + page.length >= audience.length
    const born = await deliveries.expand({
      dispatchId,
      after: dispatch.cursor,
      cursor: String(from + page.length),
      stage: last ? 'sending' : 'expanding',
      deliveries: page,
      creditsHeld: last ? 0 : held,
      ...(missing > 0 && { takes: { key: credit, n: missing, limit: wanted + spare } }),
      ...(last && held > 0 && { refund: { key: credit, n: held } }),
      now: at(now),
    })
    for (const id of born ?? []) {
      expect(holders(id), `${id} was born into the hands of a worker that had it`).toEqual([])
      beliefOf('worker-1').set(id, now + leaseSeconds)
    }
    return born !== undefined
  }

  const claim = async (worker: Worker, limit: number) => {
    const leaseUntil = at(now + leaseSeconds)
    const claimed = await deliveries.claim({ queue: bulk, worker, now: at(now), leaseUntil, limit })
    for (const { _id } of claimed) {
      expect(ended.get(_id), `${_id} was given out after it had ended`).toBeUndefined()
      expect(holders(_id), `${_id} was taken from a worker that still had it`).toEqual([])
      beliefOf(worker).set(_id, now + leaseSeconds)
    }
  }

  const settle = async (worker: Worker, names: readonly Ending[]) => {
    const ids = [...beliefOf(worker).keys()].slice(0, names.length)
    const settlements = ids.map((_id, index) => {
      const ending = endings[names[index] ?? 'sent']
      const waits = ending.to === 'queued' || ending.to === 'uncertain'
      return { _id, worker, now: at(now), ...ending, ...(waits && { notBefore: at(now + 20) }) }
    })
    const inTime = new Set(ids.filter((id) => holders(id).includes(worker)))
    for (const id of ids) beliefOf(worker).delete(id)
    await deliveries.settle(settlements)
    for (const { _id, to } of settlements)
      if (inTime.has(_id) && to !== 'queued' && to !== 'uncertain') ended.set(_id, to)
  }

  /** Continues a halted dispatch. */
  const goOn = async () => {
    if ((await dispatches.get({ _id: dispatchId }))?.stage !== 'stopped') return
    const retry = { dispatchId, credit: { key: credit }, reasons: [stopped], now: at(now) }
    const { again } = await deliveries.retryFailed(retry)
    if (again === 0) await dispatches.change({ _id: dispatchId }, (one) => moveDispatch(one, 'retry', at(now)))
  }

  return {
    expand,
    claim,
    settle,
    crash: async (worker: Worker) => beliefOf(worker).clear(),
    pass: async (seconds: number) => {
      now += seconds
    },
    reclaim: (grace: number) => deliveries.reclaim(at(now), at(now + grace)),
    renew: async (worker: Worker) => {
      const until = now + leaseSeconds
      for (const id of await deliveries.renew([...beliefOf(worker).keys()], worker, at(until)))
        beliefOf(worker).set(id, until)
    },
    report: async (n: number) => {
      const id = row((n % recipients) + 1)._id
      if (await deliveries.report(id, 'reported', at(now), [])) ended.set(id, 'sent')
    },
    stop: () => deliveries.stop(dispatchId, credit, at(now)),
    halt: async () => {
      const dispatch = await dispatches.get({ _id: dispatchId })
      if (!dispatch || (dispatch.stage !== 'expanding' && dispatch.stage !== 'sending')) return
      await dispatches.change({ _id: dispatchId }, (one) => ({
        ...one,
        resumes: one.stage === 'expanding' ? 'expanding' : 'sending',
        stopError: stopped,
      }))
      const { cursor, creditsHeld } = dispatch
      if (dispatch.stage === 'expanding')
        await deliveries.expand({
          ...{ dispatchId, after: cursor, cursor: cursor ?? '0', stage: 'stopped', deliveries: [], creditsHeld: 0 },
          ...(creditsHeld > 0 && { refund: { key: credit, n: creditsHeld } }),
          now: at(now),
        })
      else await dispatches.change({ _id: dispatchId }, (one) => moveDispatch(one, 'stop', at(now)))
      await deliveries.stop(dispatchId, credit, at(now), stopped)
    },
    goOn,

    /** Checks that no recipient is sent to twice, that ended deliveries stay ended, and that every credit is held, used or returned. */
    balance: async () => {
      const rows = await ledgerOf(deliveries)
      const held = (await dispatches.get({ _id: dispatchId }))?.creditsHeld ?? 0
      expect(new Set(rows.map(({ _id }) => _id)).size).toBe(rows.length)
      for (const one of rows) if (ended.has(one._id)) expect(one.status).toBe(ended.get(one._id))
      expect(await counters.used(credit)).toBe(held + rows.filter(costs).length)
    },

    /** Lets one more worker, which does not crash, finish all remaining work. */
    finish: async () => {
      await goOn()
      while (await expand());
      for (let round = 0; (await deliveries.open(dispatchId)) && round < 3; round += 1) {
        now += 1000
        await deliveries.reclaim(at(now), at(now))
        await claim('worker-1', recipients)
        await settle(
          'worker-1',
          audience.map(() => 'sent'),
        )
      }
      const rows = await ledgerOf(deliveries)
      expect(
        rows.filter((one) => !isFinal(one) || (one.status === 'failed' && one.error?.name === stopped.name)),
      ).toEqual([])
      expect(rows.map(({ _id }) => _id).sort()).toEqual(audience.map(({ _id }) => _id).sort())
    },
  }
}
export type LedgerModel = Awaited<ReturnType<typeof ledgerModel>>
