import { setImmediate as othersTurn } from 'node:timers/promises'
import { busy, byteBoundedCache } from '@posthorn/core/ports/runtime'
import type { Response } from 'express'
import type { HttpMetrics } from '../metrics.js'
import type { RequestPayers } from './owner.js'
import { ownerShareLimiter, requestQueue, type ShareLimits } from './shares.js'

/** About one second's work of a process. */
export const standardRequestWorkLimits: ShareLimits = { total: 1_000, share: 250 }

/** @throws Refusal `busy`, with `Retry-After`, before the work begins */
type Limiter = <T>(response: Response, owner: RequestPayers, work: () => Promise<T>) => Promise<T>

const refused = (response: Response, retrySeconds: number, what: string) => {
  response.set('Retry-After', String(retrySeconds))
  return busy(`Too many ${what} at once. Retry in ${retrySeconds} s.`)
}

/** Refuses excess requests at once. Requests whose body still arrives count in `bodyBudget`. */
export const requestWorkLimiter = (
  limits: ShareLimits,
  metrics: Pick<HttpMetrics, 'atWork' | 'overloaded'>,
): Limiter => {
  const { take, change, all } = ownerShareLimiter(limits)
  return async (response, owner, work) => {
    if (!take(owner, 1)) {
      metrics.overloaded()
      throw refused(response, 1, 'requests')
    }
    metrics.atWork(all())
    try {
      return await work()
    } finally {
      change(owner, -1)
      metrics.atWork(all())
    }
  }
}

/** Per account, `share` tasks run and `waiting` more wait. */
const limiter = (share: number, waiting: number, what: string): Limiter => {
  const running = ownerShareLimiter({ total: Number.POSITIVE_INFINITY, share })
  const queued = ownerShareLimiter({ total: Number.POSITIVE_INFINITY, share: waiting })
  const queue = requestQueue()
  return async (response, owner, work) => {
    const take = () => running.take(owner, 1)
    if (!take()) {
      if (waiting === 0 || !queued.take(owner, 1)) throw refused(response, 5, what)
      const isTaken = await queue.take(response, take)
      queued.change(owner, -1)
      if (!isTaken) throw refused(response, 5, what)
    }
    try {
      return await work()
    } finally {
      running.change(owner, -1)
      queue.retry()
    }
  }
}

export const listConcurrencyLimiter = (): Limiter => limiter(4, 50, 'lists')

/** No waiting: clients may be slow. */
export const streamConcurrencyLimiter = (): Limiter => limiter(8, 0, 'exports')

/** Bytes; some milliseconds to read and serialize. */
const large = 256 * 1024

const maxBytes = 2 * 1024 * 1024

/** Predicts sizes by name. Large or unknown lists start one per turn of the event loop. */
export const largeListResponseTurns = () => {
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (name) => name.length * 2 })
  let last: Promise<unknown> = Promise.resolve()
  return {
    turn: async (name: string): Promise<void> => {
      if ((sizes.get(name) ?? Number.POSITIVE_INFINITY) <= large) return
      last = last.then(() => othersTurn())
      await last
    },
    sizeOf: (name: string): number => sizes.get(name) ?? 0,
    had: (name: string, bytes: number): void => sizes.set(name, bytes),
  }
}
