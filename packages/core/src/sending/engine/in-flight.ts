import type { ClockChecker } from '../../kernel/clock-check.js'
import type { Clock } from '../../kernel/ports.js'
import { wakeUpSignal } from '../../kernel/wake-up.js'
import type { Recipient } from '../audience/recipients.js'
import type { Mailer } from '../channels/mailer.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { CapacityShare } from './channel-capacity.js'
import type { CompiledDispatch } from './compile.js'

/** Claimed from the queue, created by a page of an audience, or accepted in this process. */
export type LeaseOrigin = 'claim' | 'fan-out' | 'unqueued'

/**
 * | State | Meaning | Next |
 * | --- | --- | --- |
 * | `leased` | waits for the send gate | `compiled`, `settled`, `abandoned` |
 * | `compiled` | waits for its channel | `transmitting`, `settled`, `abandoned` |
 * | `transmitting` | given to the renderer | `settled`; `compiled` if it was not started; `abandoned` |
 * | `settled` | the outcome waits for its commit; stored, it leaves the table | |
 * | `abandoned` | left the table without an outcome; reclaimed when its lease expires | |
 */
type InFlightState = 'leased' | 'compiled' | 'transmitting' | 'settled' | 'abandoned'

/** What a delivery that passed the send gate is sent with. */
export type CompiledWithMailer = CompiledDispatch & { readonly mailer: Mailer }

/** Deliveries leased together. `decided` resolves when each is settled or abandoned. */
export type LeasedBatch = {
  readonly entries: readonly InFlightDelivery[]
  readonly decided: Promise<void>
}

export type InFlightDelivery = {
  readonly delivery: Delivery
  readonly origin: LeaseOrigin
  readonly accountId: string
  readonly dispatch: Dispatch | undefined
  state: InFlightState
  /** Epoch ms. Leases can expire while the process is suspended. */
  leaseUntil: number
  compiled: CompiledWithMailer | undefined
  /** `null`: not looked up; undefined: no longer in the audience. */
  recipient: Recipient | undefined | null
  weight: number
  /** Epoch ms. Later, `recipient` is looked up again: somebody may have unsubscribed. */
  readonly freshUntil: number
  /** While it is transmitting, and until its outcome is stored. */
  capacity: CapacityShare | undefined
  /** Called once, when it is settled or abandoned. */
  onDecided: () => void
}

export type LeasableDelivery = {
  readonly delivery: Delivery
  readonly accountId: string
  readonly dispatch?: Dispatch
  readonly recipient?: Recipient
}

type Deps = {
  readonly deliveries: Pick<Deliveries, 'renew'>
  readonly worker: string
  readonly clocks: Pick<ClockChecker, 'isBehind'>
  readonly clock: Clock
}

/** In ms; renewed every 5 s. */
export const deliveryLeaseTime = 20_000
export const leaseRenewTime = 5_000

const places: Readonly<Record<LeaseOrigin, number>> = { claim: 1_000, 'fan-out': 2_000, unqueued: 1_000 }
/** An account may hold three places per free one, so others always find some. */
const perFreePlace = 3

/** Every delivery that this worker holds. An entry leaves when it is stored or abandoned. */
export const inFlightDeliveries = ({ deliveries, worker, clocks, clock }: Deps) => {
  const entries = new Map<string, InFlightDelivery>()
  const byDispatch = new Map<string, number>()
  const taken: Readonly<Record<LeaseOrigin, { all: number; readonly byAccount: Map<string, number> }>> = {
    claim: { all: 0, byAccount: new Map() },
    'fan-out': { all: 0, byAccount: new Map() },
    unqueued: { all: 0, byAccount: new Map() },
  }
  let reserved = 0
  const changed = wakeUpSignal()

  const take = (origin: LeaseOrigin, accountId: string, n: number): void => {
    const { byAccount } = taken[origin]
    taken[origin].all += n
    const own = (byAccount.get(accountId) ?? 0) + n
    if (own > 0) byAccount.set(accountId, own)
    else byAccount.delete(accountId)
  }

  const remove = (entry: InFlightDelivery): void => {
    if (entries.get(entry.delivery._id) !== entry) return
    entries.delete(entry.delivery._id)
    take(entry.origin, entry.accountId, -1)
    const { dispatchId } = entry.delivery
    const left = (byDispatch.get(dispatchId) ?? 0) - 1
    if (left > 0) byDispatch.set(dispatchId, left)
    else byDispatch.delete(dispatchId)
  }

  return {
    leaseEnd: (): string => new Date(clock().getTime() + deliveryLeaseTime).toISOString(),
    /** Epoch ms. After the clock was set back, expired leases look valid: none counts then. */
    leaseEndOf: ({ state, leaseUntil }: InFlightDelivery): number =>
      state === 'abandoned' || clocks.isBehind() ? 0 : leaseUntil,
    room: (origin: LeaseOrigin): number => Math.max(0, places[origin] - taken[origin].all),
    roomBelowHalf: (origin: LeaseOrigin): number => Math.max(0, places[origin] / 2 - taken[origin].all),
    isHalfFree: (origin: LeaseOrigin): boolean => taken[origin].all <= places[origin] / 2,
    roomOf: (origin: LeaseOrigin, accountId: string): number => {
      const free = Math.max(0, places[origin] - taken[origin].all)
      const own = taken[origin].byAccount.get(accountId) ?? 0
      return Math.max(0, Math.floor((perFreePlace * free - own) / (perFreePlace + 1)))
    },
    dispatches: (): Iterable<string> => byDispatch.keys(),
    /** Aborted when a batch is done or entries leave the table. */
    changed: (): AbortSignal => changed.signal(),
    wake: (): void => changed.wake(),

    /** Keeps places for deliveries that are being claimed or accepted. */
    reserve: (origin: LeaseOrigin, accountId: string, n: number): void => {
      reserved += n
      take(origin, accountId, n)
    },
    unreserve: (origin: LeaseOrigin, accountId: string, n: number): void => {
      reserved -= n
      take(origin, accountId, -n)
      changed.wake()
    },

    lease: (
      origin: LeaseOrigin,
      leased: readonly LeasableDelivery[],
      { freshUntil = Number.POSITIVE_INFINITY }: { readonly freshUntil?: number } = {},
    ): LeasedBatch => {
      let open = leased.length
      let resolve = () => {}
      const decided = new Promise<void>((resolved) => {
        resolve = resolved
      })
      const onDecided = () => {
        open -= 1
        if (open > 0) return
        resolve()
        changed.wake()
      }
      if (open === 0) resolve()
      // Deliveries that are leased together expire together.
      let [text, leaseUntil] = ['', 0]
      const added = leased.map(({ delivery, accountId, dispatch, recipient = null }): InFlightDelivery => {
        if (delivery.leaseUntil !== text) {
          text = delivery.leaseUntil ?? ''
          leaseUntil = Date.parse(text)
        }
        const entry: InFlightDelivery = {
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
          capacity: undefined,
          onDecided,
        }
        const before = entries.get(delivery._id)
        if (before) remove(before)
        take(origin, accountId, 1)
        byDispatch.set(delivery.dispatchId, (byDispatch.get(delivery.dispatchId) ?? 0) + 1)
        entries.set(delivery._id, entry)
        return entry
      })
      return { entries: added, decided }
    },

    compiled: (entry: InFlightDelivery, compiled: CompiledWithMailer): void => {
      entry.compiled = compiled
      entry.state = 'compiled'
    },
    transmitting: (entry: InFlightDelivery, capacity: CapacityShare): void => {
      entry.capacity = capacity
      entry.state = 'transmitting'
    },
    notStarted: (entry: InFlightDelivery): void => {
      entry.capacity = undefined
      entry.state = 'compiled'
    },

    /** Resolves when all are settled or abandoned. */
    whenDecided: (some: readonly InFlightDelivery[]): Promise<void> =>
      new Promise((resolve) => {
        const open = some.filter(({ state }) => state !== 'settled' && state !== 'abandoned')
        let left = open.length
        if (left === 0) resolve()
        for (const entry of open) {
          const before = entry.onDecided
          entry.onDecided = () => {
            before()
            left -= 1
            if (left === 0) resolve()
          }
        }
      }),

    /** The lease is renewed until the outcome is stored. */
    settle: (entry: InFlightDelivery): void => {
      if (entry.state === 'settled' || entry.state === 'abandoned') return
      entry.state = 'settled'
      entry.onDecided()
    },

    /** Without an outcome: its lease will expire. */
    abandon: (entry: InFlightDelivery): void => {
      if (entry.state === 'settled' || entry.state === 'abandoned') return
      entry.state = 'abandoned'
      entry.capacity = undefined
      remove(entry)
      entry.onDecided()
    },

    stored: (done: readonly InFlightDelivery[]): void => {
      for (const entry of done) remove(entry)
      changed.wake()
    },

    /** A lease that the store refuses expires. */
    renew: async (): Promise<void> => {
      const now = clock().getTime()
      const soon = [...entries.values()].filter(
        ({ leaseUntil }) => leaseUntil - now < deliveryLeaseTime - leaseRenewTime,
      )
      if (soon.length === 0) return
      const until = now + deliveryLeaseTime
      const ids = soon.map(({ delivery }) => delivery._id)
      for (const id of await deliveries.renew(ids, worker, new Date(until).toISOString())) {
        const entry = entries.get(id)
        if (entry) entry.leaseUntil = until
      }
    },

    /** Outcomes may still have to be stored. */
    idle: async (): Promise<void> => {
      const isOpen = () => reserved > 0 || [...entries.values()].some(({ state }) => state !== 'settled')
      while (isOpen())
        await new Promise((resolve) => changed.signal().addEventListener('abort', resolve, { once: true }))
    },
  }
}
export type InFlightDeliveries = ReturnType<typeof inFlightDeliveries>
