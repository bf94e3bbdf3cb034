import { grouped } from '../../kernel/grouped.js'
import type { Clock } from '../../kernel/ports.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Settled } from './settling.js'

type Deps = {
  readonly deliveries: Pick<Deliveries, 'renew'>
  /** Whose leases they are. */
  readonly worker: string
  readonly clock: Clock
  /** Resolves when everything that is settled so far is durable. */
  readonly flush: () => Promise<void>
}

/** Leases are renewed every few seconds; what a dead worker had is taken over when they have run out. */
export const leaseTime = 20_000
export const renewTime = 5_000

/** Of deliveries of one dispatch, until when they are held, in epoch milliseconds. */
type Lease = { readonly dispatchId: string; readonly until: number }

/** What a worker has, until when, and the work on it. */
export const leases = ({ deliveries, worker, clock, flush }: Deps) => {
  const held = new Map<string, Lease>()
  /** By the dispatch, how many of these are its. */
  const ofDispatches = new Map<string, number>()
  /** Of these, the outcome is known and not yet durable. */
  const unrecorded = new Set<string>()
  const atWork = new Set<Promise<void>>()

  const hold = (id: string, lease: Lease): void => {
    const { dispatchId } = lease
    if (!held.has(id)) ofDispatches.set(dispatchId, (ofDispatches.get(dispatchId) ?? 0) + 1)
    held.set(id, lease)
  }

  const drop = (id: string): void => {
    const lease = held.get(id)
    if (!lease) return
    held.delete(id)
    const { dispatchId } = lease
    const left = (ofDispatches.get(dispatchId) ?? 0) - 1
    if (left > 0) ofDispatches.set(dispatchId, left)
    else ofDispatches.delete(dispatchId)
  }

  /** What never came to an outcome is left to its lease; what has one is held until it is recorded. */
  const letGo = (ids: readonly string[]): void => {
    for (const id of ids) if (!unrecorded.has(id)) drop(id)
  }

  const over = async (work: Promise<void>, ids: readonly string[], durable: () => Promise<void>): Promise<void> => {
    try {
      await work
    } finally {
      await durable().finally(() => letGo(ids))
    }
  }

  return {
    /** Until when a lease is given that begins now. */
    end: (): string => new Date(clock().getTime() + leaseTime).toISOString(),
    /** Epoch milliseconds; 0 of what this worker does not have. */
    until: (id: string): number => held.get(id)?.until ?? 0,
    dispatches: (): Iterable<string> => ofDispatches.keys(),

    hold: (leased: readonly Delivery[]): void => {
      // What is leased at once ends at once.
      for (const [dispatchId, rows] of grouped(leased, (one) => one.dispatchId)) {
        const lease = { dispatchId, until: Date.parse(rows[0]?.leaseUntil ?? '') }
        for (const { _id } of rows) hold(_id, lease)
      }
    },

    /** These have an outcome, which is on its way to the ledger. */
    decided: (settled: readonly Settled[]): void => {
      for (const { settlement } of settled) unrecorded.add(settlement._id)
    },

    recorded: (settlements: readonly Settlement[]): void => {
      for (const { _id } of settlements) {
        unrecorded.delete(_id)
        drop(_id)
      }
    },

    /**
     * Holds them until the work is over and its outcomes are durable; the rest is left to its lease.
     * @param durable resolves when everything is that is settled so far
     */
    during: (work: Promise<void>, ids: readonly string[], durable = flush): Promise<void> => {
      const working = over(work, ids, durable)
      atWork.add(working)
      return working.finally(() => atWork.delete(working))
    },

    /** Resolves when all that is under way now is over. */
    idle: async (): Promise<void> => {
      await Promise.allSettled(atWork)
    },

    renew: async (): Promise<void> => {
      const now = clock().getTime()
      const soon = [...held].filter(([, { until }]) => until - now < leaseTime - renewTime)
      if (soon.length === 0) return
      const until = now + leaseTime
      const ids = soon.map(([id]) => id)
      const still = await deliveries.renew(ids, worker, new Date(until).toISOString())
      for (const id of still) {
        const lease = held.get(id)
        if (lease) held.set(id, { ...lease, until })
      }
    },
  }
}
export type Leases = ReturnType<typeof leases>
