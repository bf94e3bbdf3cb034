import { setImmediate as othersTurn } from 'node:timers/promises'
import { busy, byteBoundedCache } from '@posthorn/core/ports/runtime'
import type { Response } from 'express'
import type { HttpMetrics } from '../metrics.js'
import type { Owner } from './owner.js'
import { type ShareLimits, shares, waitingRequests } from './shares.js'

/** More requests than a process handles in a second; any beyond these would wait longer than that. */
export const standardWorkLimits: ShareLimits = { total: 1_000, share: 250 }

/** Runs work for an owner. @throws Refusal `busy`, with `Retry-After`, before the work begins */
export type Limiter = <T>(response: Response, owner: Owner, work: () => Promise<T>) => Promise<T>

const refused = (response: Response, retrySeconds: number, what: string) => {
  response.set('Retry-After', String(retrySeconds))
  return busy(`Too many ${what} at once. Retry in ${retrySeconds} s.`)
}

/**
 * Bounds the requests that wait for the store. Excess requests are refused immediately, so that the admitted ones are answered in time.
 * Requests whose body is still arriving do not count: `bodyBudget` bounds those.
 */
export const workLimit = (limits: ShareLimits, metrics: Pick<HttpMetrics, 'atWork' | 'overloaded'>): Limiter => {
  const { take, change, all } = shares(limits)
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

/** Runs at most `share` tasks of an account at once, and queues up to `waiting` more. */
const limiter = (share: number, waiting: number, what: string): Limiter => {
  const running = shares({ total: Number.POSITIVE_INFINITY, share })
  const queued = shares({ total: Number.POSITIVE_INFINITY, share: waiting })
  const queue = waitingRequests()
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

/** Per account, four lists run at once and fifty wait. */
export const listLimiter = (): Limiter => limiter(4, 50, 'lists')

/** Per account, eight streamed responses run at once. None is queued, because it would wait for slow clients. */
export const streamLimiter = (): Limiter => limiter(8, 0, 'exports')

/** Bytes. Reading and serializing a list of this size takes some milliseconds. */
const large = 256 * 1024

/** Bytes of the cache: room for some ten thousand sizes. */
const maxBytes = 2 * 1024 * 1024

/**
 * Remembers the sizes of recent responses by name, to predict the next one. Lists that were large, or whose size is unknown, start one per
 * turn of the event loop, so that other work gets a turn between two of them.
 */
export const largeLists = () => {
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (name) => name.length * 2 })
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Resolves when a list of that name may start: immediately if the last one was small. */
    turn: async (name: string): Promise<void> => {
      if ((sizes.get(name) ?? Number.POSITIVE_INFINITY) <= large) return
      last = last.then(() => othersTurn())
      await last
    },
    /** Bytes of the last response of that name; 0 if unknown. */
    sizeOf: (name: string): number => sizes.get(name) ?? 0,
    had: (name: string, bytes: number): void => sizes.set(name, bytes),
  }
}
export type LargeLists = ReturnType<typeof largeLists>
