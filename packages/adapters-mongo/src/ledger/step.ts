import type { Contact, CounterGive, CounterTake, Delivery, Figure } from '@posthorn/core/ports/storage'
import type { StoredDocument } from '../records/documents.js'

type Fields = Readonly<Record<string, unknown>>

export type StepEffects = {
  readonly dispatches?: readonly StoredDocument[]
  /** Deliveries that the ledger has are skipped. */
  readonly deliveries?: readonly Delivery[]
  readonly gives?: readonly CounterGive[]
  readonly figures?: readonly Figure[]
  /** Contacts whose `lastReceiveDate` is raised to at least `at`. */
  readonly received?: readonly {
    readonly contactId: Contact['_id']
    readonly projectId: string
    readonly at: string
  }[]
}

/** Once `where` (`null` means absent) does not match, it must never match again. */
export type LedgerDocumentChange = {
  readonly in: 'deliveries' | 'dispatches' | 'subscribers'
  readonly _id: string
  readonly where: Fields
  readonly set: Fields
  readonly unset?: readonly string[] | undefined
  readonly add?: Readonly<Record<string, number>> | undefined
  readonly brings?: StepEffects
}

export type StepPlan = {
  /** Steps with the same lock run one by one. */
  readonly lock?: string
  /** The dispatch whose deliveries the step adds or queues; see `underWay`. */
  readonly about?: string
  /** All or none. */
  readonly takes?: readonly CounterTake[]
  /** Each is made or skipped by itself; one per document. */
  readonly moves?: readonly LedgerDocumentChange[]
  readonly brings?: StepEffects
}

/**
 * The process takes from counters, decides, carries out or undoes, and finishes. A sweep completes (`left`) or undoes (`undone`) late
 * steps, which the process can then no longer advance.
 */
export const stepStateMoves = {
  decide: { from: ['taking'], to: 'decided' },
  refuse: { from: ['taking'], to: 'refused' },
  finish: { from: ['decided', 'refused'], to: 'done' },
  takeOver: { from: ['decided'], to: 'left' },
  undo: { from: ['taking', 'refused'], to: 'undone' },
} as const satisfies Record<string, { from: readonly StepState[]; to: StepState }>
export type StepState = 'taking' | 'decided' | 'refused' | 'done' | 'left' | 'undone'
export type StepStateMove = keyof typeof stepStateMoves

export type LedgerStep = {
  readonly _id: string
  readonly state: StepState
  /** From this time on a sweep takes the step over. */
  readonly sweepAt: Date
  /** Whether a sweep has completed or undone the step. */
  readonly swept?: true
  /** Unique; the `_id` if there is no lock. */
  readonly lock: string
  readonly about?: string
  /** The part of each figure that is added to: a process picks one, to avoid write conflicts. */
  readonly part: number
  /** From `runLater`: the caller did not wait for the moves. */
  readonly isLater?: true
  readonly plan: Omit<StepPlan, 'lock' | 'about'>
}

/** Replaces the mark on a counter: the step can no longer take from it. */
export const undoneStepMark = (step: string) => `undone:${step}`

export type StepOutcome = {
  /** The refused take; nothing of the plan happened. */
  readonly refused?: CounterTake
  readonly made: readonly LedgerDocumentChange[]
  /** Whether all added deliveries are known to be new; false if that is unknown. */
  readonly areNew: boolean
}

/** Atomic changes of several documents, without transactions (ADR 0008). */
export type LedgerSteps = {
  /**
   * Durable when it resolves. If it throws or the process dies, a sweep completes or undoes the step. Does nothing if `unless`, called
   * under the lock, is true.
   * @throws Error if the lock is not released in time, or a sweep undid the step
   */
  readonly run: (plan: StepPlan, unless?: () => Promise<boolean>) => Promise<StepOutcome>
  /** Durable when it resolves; moves follow within seconds, by a sweep if the process dies. */
  readonly runLater: (moves: readonly LedgerDocumentChange[]) => Promise<void>
  readonly isWaiting: (which: (move: LedgerDocumentChange) => boolean) => boolean
  /** Makes all moves of `runLater` now. */
  readonly carriedOut: () => Promise<void>
  readonly underWay: (about: string) => Promise<boolean>
  /** Must be called every few seconds: ends steps that other processes left. */
  readonly sweep: () => Promise<void>
  /** Makes other processes' `runLater` moves at once, as those may be dead. */
  readonly takeOver: () => Promise<void>
  /** Removes finished steps and their marks now. */
  readonly tidy: () => Promise<void>
  readonly end: () => void
}
