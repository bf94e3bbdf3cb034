import type { Contact, Delivery, Figure, Give, Take } from '@posthorn/core/ports/storage'
import type { StoredDocument } from '../records/documents.js'

type Fields = Readonly<Record<string, unknown>>

/** Writes of a step once it is decided. Every effect is idempotent. */
export type Effects = {
  readonly dispatches?: readonly StoredDocument[]
  /** Deliveries that the ledger already has are skipped. */
  readonly deliveries?: readonly Delivery[]
  readonly gives?: readonly Give[]
  readonly figures?: readonly Figure[]
  /** Contacts whose `lastReceiveDate` is raised to at least `at`. */
  readonly received?: readonly {
    readonly contactId: Contact['_id']
    readonly projectId: string
    readonly at: string
  }[]
}

/**
 * A change of one document, made if the document still matches `where`. A document that does not match `where` now must never match it
 * again. `null` in it means that the field is absent.
 */
export type Move = {
  readonly in: 'deliveries' | 'dispatches' | 'subscribers'
  readonly _id: string
  readonly where: Fields
  readonly set: Fields
  readonly unset?: readonly string[] | undefined
  readonly add?: Readonly<Record<string, number>> | undefined
  /** Effects that happen only if the move is made. */
  readonly brings?: Effects
}

/** The changes that a step makes. */
export type Plan = {
  /** Steps with the same lock run one after the other. */
  readonly lock?: string
  /** The dispatch whose deliveries the step adds or queues; see `underWay`. */
  readonly about?: string
  /** All or none: if one take is refused, nothing of the plan happens. */
  readonly takes?: readonly Take[]
  /** Each move is made or skipped independently of the others. At most one per document. */
  readonly moves?: readonly Move[]
  /** Effects that do not depend on a move. */
  readonly brings?: Effects
}

/**
 * State table of a step. Its process takes from counters (`taking`), decides the step (`decided`) or not (`refused`), carries it out or
 * undoes it, and finishes (`done`). A sweep takes over steps that have taken too long, and completes (`left`) or undoes them (`undone`).
 * The original process, if it still lives, can then no longer advance the step.
 */
export const stepMoves = {
  decide: { from: ['taking'], to: 'decided' },
  refuse: { from: ['taking'], to: 'refused' },
  finish: { from: ['decided', 'refused'], to: 'done' },
  takeOver: { from: ['decided'], to: 'left' },
  undo: { from: ['taking', 'refused'], to: 'undone' },
} as const satisfies Record<string, { from: readonly StepState[]; to: StepState }>
export type StepState = 'taking' | 'decided' | 'refused' | 'done' | 'left' | 'undone'
export type StepMove = keyof typeof stepMoves

export type Step = {
  readonly _id: string
  readonly state: StepState
  /** From this time on a sweep takes the step over. */
  readonly sweepAt: Date
  /** Whether a sweep has completed or undone the step. */
  readonly swept?: true
  /** Unique. The step's own `_id` if it has no lock, or has released it. */
  readonly lock: string
  readonly about?: string
  /** The part of each figure that the step adds to; each process picks one, to avoid write conflicts. */
  readonly part: number
  /** Whether the step came from `runLater`: its caller returned as soon as the step was stored. */
  readonly isLater?: true
  readonly plan: Omit<Plan, 'lock' | 'about'>
}

/** Replaces the step's mark on a counter: the step has not taken from the counter and no longer can. */
export const undone = (step: string) => `undone:${step}`

export type Outcome = {
  /** The refused take; nothing of the plan happened. */
  readonly refused?: Take
  /** The moves that were made; the documents of the others no longer matched. */
  readonly made: readonly Move[]
  /** Whether all added deliveries are known to be new; false if that is unknown. */
  readonly areNew: boolean
}

/** All-or-nothing changes of several documents, without transactions. */
export type Steps = {
  /**
   * Carries the plan out; durable when it resolves. If it throws, or the process dies, a sweep completes the step, or undoes it if some
   * takes were missing. Nothing happens if `unless`, which is called under the lock, resolves to true.
   * @throws Error if the lock is not released in time, or if a sweep undid the step because it took too long
   */
  readonly run: (plan: Plan, unless?: () => Promise<boolean>) => Promise<Outcome>
  /**
   * Durable when it resolves. This process then makes the moves whose documents still match within seconds, together with those of other
   * calls; if the process dies, a sweep makes them.
   */
  readonly runLater: (moves: readonly Move[]) => Promise<void>
  /** Whether this process still has to make a move that the predicate accepts. */
  readonly isWaiting: (which: (move: Move) => boolean) => boolean
  /** Makes all moves of `runLater` with their effects now; resolves once they are made. */
  readonly carriedOut: () => Promise<void>
  readonly underWay: (about: string) => Promise<boolean>
  /** Completes or undoes steps that other processes left; must be called every few seconds. */
  readonly sweep: () => Promise<void>
  /** Makes the moves of other processes' `runLater` at once, because those processes may have died. */
  readonly takeOver: () => Promise<void>
  /** Removes this process's finished steps and their marks now, instead of within seconds. */
  readonly tidy: () => Promise<void>
  /** Stops the timers. */
  readonly end: () => void
}
