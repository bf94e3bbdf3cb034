import { busy } from '@posthorn/core/ports'
import type { Response } from 'express'
import type { HttpMetrics } from './metrics.js'

/** How many requests are worked on at the same time: of everybody, and of one project or address. */
export type WorkLimits = { readonly total: number; readonly share: number }

/** Far more than a process works off in a second: whoever comes then would wait for longer than a second. */
export const standardWorkLimits: WorkLimits = { total: 1_000, share: 250 }

const retrySeconds = 1

/**
 * Bounds what waits for the store: a request that finds too many before it is told at once to come back, while those before it are
 * answered in time. Bodies that are still coming in are not counted, `bodyBudget` bounds them.
 */
export const workLimit = ({ total, share }: WorkLimits, metrics: Pick<HttpMetrics, 'atWork' | 'overloaded'>) => {
  const held = new Map<string, number>()
  let all = 0

  const change = (owner: string, by: number): void => {
    all += by
    const left = (held.get(owner) ?? 0) + by
    if (left > 0) held.set(owner, left)
    else held.delete(owner)
    metrics.atWork(all)
  }

  /** Does the work, whatever becomes of it. @throws Refusal `busy`, with `Retry-After`, before it is begun */
  return async <T>(response: Response, owner: string, work: () => Promise<T>): Promise<T> => {
    if (all >= total || (held.get(owner) ?? 0) >= share) {
      metrics.overloaded()
      response.set('Retry-After', String(retrySeconds))
      throw busy(`Too many requests at the same time. Please try again in ${retrySeconds} s.`)
    }
    change(owner, 1)
    try {
      return await work()
    } finally {
      change(owner, -1)
    }
  }
}
export type WorkLimit = ReturnType<typeof workLimit>
