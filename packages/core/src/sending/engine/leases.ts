import type { Clock } from '../../kernel/ports.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import { type Delivery, dispatchOf } from '../ledger/delivery.js'
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

/** What a worker has, until when, and the work on it. */
export const leases = ({ deliveries, worker, clock, flush }: Deps) => {
  const held = new Map<string, number>()
  /** By the dispatch, how many of these are its. */
  const ofDispatches = new Map<string, number>()
  /** Of these, the outcome is known and not yet durable. */
  const unrecorded = new Set<string>()
  const atWork = new Set<Promise<void>>()

  const hold = (id: string, until: number): void => {
    if (!held.has(id)) {
      const dispatchId = dispatchOf(id)
      ofDispatches.set(dispatchId, (ofDispatches.get(dispatchId) ?? 0) + 1)
    }
    held.set(id, until)
  }

  const drop = (id: string): void => {
    if (!held.delete(id)) return
    const dispatchId = dispatchOf(id)
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
    size: (): number => held.size,
    /** Epoch milliseconds; 0 of what this worker does not have. */
    until: (id: string): number => held.get(id) ?? 0,
    dispatches: (): Iterable<string> => ofDispatches.keys(),

    hold: (leased: readonly Delivery[]): void => {
      for (const { _id, leaseUntil } of leased) hold(_id, Date.parse(leaseUntil ?? ''))
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
      const soon = [...held].filter(([, leased]) => leased - now < leaseTime - renewTime)
      if (soon.length === 0) return
      const until = now + leaseTime
      const ids = soon.map(([id]) => id)
      const still = await deliveries.renew(ids, worker, new Date(until).toISOString())
      for (const id of still) if (held.has(id)) held.set(id, until)
    },
  }
}
export type Leases = ReturnType<typeof leases>
