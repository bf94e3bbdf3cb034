import type { ClockCheck } from '../../kernel/clock-check.js'
import type { Clock } from '../../kernel/ports.js'
import { wakeUp } from '../../kernel/wake-up.js'
import type { Recipient } from '../audience/recipients.js'
import type { Mailer } from '../channels/mailer.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { CompiledDispatch } from './compile.js'

/** How a delivery came to this worker: claimed from the queue, created by a page of an audience, or accepted in this process. */
export type Origin = 'claim' | 'fan-out' | 'direct'

/**
 * `leased` → `compiled` (its dispatch may send and is compiled; it waits for its channel) → `transmitting` (given to the renderer; it holds a
 * place among the channel's unconfirmed mails) → `settled` (the outcome is known and being stored). `released`: it left the table without
 * an outcome, and another worker reclaims it when its lease expires.
 */
export type InFlightState = 'leased' | 'compiled' | 'transmitting' | 'settled' | 'released'

/** What a delivery is rendered from and sent by, once its dispatch passed the send gate. */
export type Compiled = { readonly dispatch: CompiledDispatch; readonly mailer: Mailer }

/** A channel's places for mails that are on their way: given back when their outcomes are stored. */
export type ChannelWindow = { readonly free: (weight: number, mails: number) => void }

/** Deliveries that were leased together, and are flushed together when the last of them has an outcome. */
export type Batch = {
  readonly entries: readonly InFlight[]
  /** Resolves when every entry is settled or released. */
  readonly done: Promise<void>
}

/** One delivery that this worker holds. */
export type InFlight = {
  readonly delivery: Delivery
  readonly origin: Origin
  /** The account whose share of the origin's places it takes. */
  readonly accountId: string
  /** Known from the start for a direct send. */
  readonly dispatch: Dispatch | undefined
  state: InFlightState
  /** Epoch milliseconds. A lease can expire while the process is suspended. */
  leaseUntil: number
  compiled: Compiled | undefined
  /** `null` until it is looked up; undefined if the audience no longer includes the contact. */
  recipient: Recipient | undefined | null
  /** Its share of the channel's window: 1, or more for a contact with much data. */
  weight: number
  /** Epoch milliseconds until which `recipient` may be used: after it, somebody may have unsubscribed. */
  readonly freshUntil: number
  /** While it is transmitted and until its outcome is stored: the channel among whose unconfirmed mails it is. */
  channel: ChannelWindow | undefined
  /** Called when it is settled or released. */
  closed: () => void
}

/** A delivery to lease, with what its origin already knows about it. */
export type Leasable = {
  readonly delivery: Delivery
  readonly accountId: string
  readonly dispatch?: Dispatch
  readonly recipient?: Recipient
}

type Deps = {
  readonly deliveries: Pick<Deliveries, 'renew'>
  /** The lease holder's name. */
  readonly worker: string
  readonly clocks: Pick<ClockCheck, 'isBehind'>
  readonly clock: Clock
}

/** Leases expire after 20 s; another worker then reclaims the deliveries. They are renewed every 5 s. */
export const leaseTime = 20_000
export const renewTime = 5_000

/** Deliveries of one origin that a worker holds at most. */
const places: Readonly<Record<Origin, number>> = { claim: 1_000, 'fan-out': 2_000, direct: 1_000 }
/** An account may hold this many places for each free one, so three quarters at most: another account always finds some. */
const perFreePlace = 3

/**
 * The deliveries that this worker holds, one entry each, and every count of them: by origin (back-pressure of fan-out, claims and direct
 * sends), by dispatch (progress). An entry leaves the table when its outcome is stored, or when it is released.
 */
export const inFlightTable = ({ deliveries, worker, clocks, clock }: Deps) => {
  const entries = new Map<string, InFlight>()
  const byDispatch = new Map<string, number>()
  /** Places that are taken, by origin: in all, and by account. Reserved ones are included. */
  const taken: Readonly<Record<Origin, { all: number; readonly byAccount: Map<string, number> }>> = {
    claim: { all: 0, byAccount: new Map() },
    'fan-out': { all: 0, byAccount: new Map() },
    direct: { all: 0, byAccount: new Map() },
  }
  /** Places for deliveries that are being claimed or accepted, and are not in the table yet. */
  let reserved = 0
  const changed = wakeUp()

  const take = (origin: Origin, accountId: string, n: number): void => {
    const { byAccount } = taken[origin]
    taken[origin].all += n
    const own = (byAccount.get(accountId) ?? 0) + n
    if (own > 0) byAccount.set(accountId, own)
    else byAccount.delete(accountId)
  }

  const remove = (entry: InFlight): void => {
    if (entries.get(entry.delivery._id) !== entry) return
    entries.delete(entry.delivery._id)
    take(entry.origin, entry.accountId, -1)
    const { dispatchId } = entry.delivery
    const left = (byDispatch.get(dispatchId) ?? 0) - 1
    if (left > 0) byDispatch.set(dispatchId, left)
    else byDispatch.delete(dispatchId)
  }

  return {
    /** When a lease that starts now expires. */
    leaseEnd: (): string => new Date(clock().getTime() + leaseTime).toISOString(),
    /** Epoch milliseconds. By a clock that was set back, leases seem valid that others have already reclaimed: none counts then. */
    heldUntil: ({ state, leaseUntil }: InFlight): number =>
      state === 'released' || clocks.isBehind() ? 0 : leaseUntil,
    /** Free places of an origin. */
    room: (origin: Origin): number => Math.max(0, places[origin] - taken[origin].all),
    /** Free places of an origin, if half of its places are to stay free. */
    roomBelowHalf: (origin: Origin): number => Math.max(0, places[origin] / 2 - taken[origin].all),
    /** Whether at least half of the origin's places are free. */
    isHalfFree: (origin: Origin): boolean => taken[origin].all <= places[origin] / 2,
    /** Places that the account may take now: the fewer are free, the fewer an account may hold. */
    roomOf: (origin: Origin, accountId: string): number => {
      const free = Math.max(0, places[origin] - taken[origin].all)
      const own = taken[origin].byAccount.get(accountId) ?? 0
      return Math.max(0, Math.floor((perFreePlace * free - own) / (perFreePlace + 1)))
    },
    /** The dispatches that have entries here. */
    dispatches: (): Iterable<string> => byDispatch.keys(),
    /** Aborted when a batch is done or entries leave the table. */
    changed: (): AbortSignal => changed.signal(),
    /** Ends every wait for a change. */
    wake: (): void => changed.wake(),

    /** Keeps places for deliveries that are being claimed or accepted, until `unreserve`. */
    reserve: (origin: Origin, accountId: string, n: number): void => {
      reserved += n
      take(origin, accountId, n)
    },
    unreserve: (origin: Origin, accountId: string, n: number): void => {
      reserved -= n
      take(origin, accountId, -n)
      changed.wake()
    },

    /** Adds deliveries whose leases this worker just took. */
    lease: (
      origin: Origin,
      leased: readonly Leasable[],
      { freshUntil = Number.POSITIVE_INFINITY }: { readonly freshUntil?: number } = {},
    ): Batch => {
      let open = leased.length
      let resolve = () => {}
      const done = new Promise<void>((resolved) => {
        resolve = resolved
      })
      const closed = () => {
        open -= 1
        if (open > 0) return
        resolve()
        changed.wake()
      }
      if (open === 0) resolve()
      // Deliveries that are leased together expire together.
      let [text, leaseUntil] = ['', 0]
      const added = leased.map(({ delivery, accountId, dispatch, recipient = null }): InFlight => {
        if (delivery.leaseUntil !== text) {
          text = delivery.leaseUntil ?? ''
          leaseUntil = Date.parse(text)
        }
        const entry: InFlight = {
          delivery,
          origin,
          accountId,
          dispatch,
          state: 'leased',
          leaseUntil,
          compiled: undefined,
          recipient,
          weight: 1,
          freshUntil,
          channel: undefined,
          closed,
        }
        const before = entries.get(delivery._id)
        if (before) remove(before)
        take(origin, accountId, 1)
        byDispatch.set(delivery.dispatchId, (byDispatch.get(delivery.dispatchId) ?? 0) + 1)
        entries.set(delivery._id, entry)
        return entry
      })
      return { entries: added, done }
    },

    /** Resolves when all of these are settled or released. */
    closed: (some: readonly InFlight[]): Promise<void> =>
      new Promise((resolve) => {
        const open = some.filter(({ state }) => state !== 'settled' && state !== 'released')
        let left = open.length
        if (left === 0) resolve()
        for (const entry of open) {
          const before = entry.closed
          entry.closed = () => {
            before()
            left -= 1
            if (left === 0) resolve()
          }
        }
      }),

    /** The outcome is known; the entry stays, and its lease is renewed, until that is stored. */
    settle: (entry: InFlight): void => {
      if (entry.state === 'settled' || entry.state === 'released') return
      entry.state = 'settled'
      entry.closed()
    },

    /** Gives the delivery up without an outcome: its lease expires. */
    release: (entry: InFlight): void => {
      if (entry.state === 'settled' || entry.state === 'released') return
      entry.state = 'released'
      remove(entry)
      entry.closed()
    },

    /** Their outcomes are durable. */
    stored: (done: readonly InFlight[]): void => {
      for (const entry of done) remove(entry)
      changed.wake()
    },

    /** Renews the leases that are older than `renewTime`. One that the store no longer grants is left to expire. */
    renew: async (): Promise<void> => {
      const now = clock().getTime()
      const soon = [...entries.values()].filter(({ leaseUntil }) => leaseUntil - now < leaseTime - renewTime)
      if (soon.length === 0) return
      const until = now + leaseTime
      const ids = soon.map(({ delivery }) => delivery._id)
      for (const id of await deliveries.renew(ids, worker, new Date(until).toISOString())) {
        const entry = entries.get(id)
        if (entry) entry.leaseUntil = until
      }
    },

    /** Resolves when no entry needs an outcome any more and nothing is being accepted. What is settled may still have to be stored. */
    idle: async (): Promise<void> => {
      const isOpen = () => reserved > 0 || [...entries.values()].some(({ state }) => state !== 'settled')
      while (isOpen())
        await new Promise((resolve) => changed.signal().addEventListener('abort', resolve, { once: true }))
    },
  }
}
export type InFlightTable = ReturnType<typeof inFlightTable>
