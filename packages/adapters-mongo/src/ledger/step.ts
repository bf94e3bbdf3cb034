import type { Contact, Delivery, Figure, Give, Take } from '@posthorn/core/ports'
import type { StoredDocument } from '../repository/document.js'

type Fields = Readonly<Record<string, unknown>>

/** What a step does once it is sure to happen. Doing any of it again changes nothing. */
export type Effects = {
  readonly dispatches?: readonly StoredDocument[]
  /** Those that the ledger has already are passed over. */
  readonly deliveries?: readonly Delivery[]
  readonly gives?: readonly Give[]
  readonly figures?: readonly Figure[]
  /** Contacts whose `lastReceiveDate` is to be no earlier. */
  readonly received?: readonly {
    readonly contactId: Contact['_id']
    /** Absent in the steps of older versions. */
    readonly projectId?: string
    readonly at: string
  }[]
}

/**
 * A change of one document, made if it is still as it was read: `where` must be such that what does not fit now will never fit
 * again. `null` in it means that the field is absent.
 */
export type Move = {
  readonly in: 'deliveries' | 'dispatches' | 'subscribers'
  readonly _id: string
  readonly where: Fields
  readonly set: Fields
  readonly unset?: readonly string[] | undefined
  readonly add?: Readonly<Record<string, number>> | undefined
  /** What comes with it, if it is made. */
  readonly brings?: Effects
}

/** What several documents are to become, together. */
export type Plan = {
  /** No two steps of the same lock are under way at once. */
  readonly lock?: string
  /** The dispatch whose deliveries it brings. */
  readonly about?: string
  /** All or none; where one is refused, nothing of the plan happens. */
  readonly takes?: readonly Take[]
  /** Each by itself is made, or found too late. At most one for each document. */
  readonly moves?: readonly Move[]
  /** What happens in any case. */
  readonly brings?: Effects
}

/**
 * The moves of a step, as a table. Its own process takes what it needs (`taking`), is sure that it will happen (`decided`) or not
 * (`refused`), does or undoes it, and is `done`. A sweep takes over what was left for too long, to do it (`left`) or undo it
 * (`undone`); its own process, should it live, has no say any more.
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
  /** When a sweep is to look at it. */
  readonly sweepAt: Date
  /** Whether a sweep has done, or undone, all of it. */
  readonly swept?: true
  /** Its own `_id` where it has no lock, or no longer: it is a unique key. */
  readonly lock: string
  readonly about?: string
  /** Which part of each figure it adds to: every process has its own, so that they are not in each other's way. Absent in older ones. */
  readonly part?: number
  /** Whether nobody waits for its moves: they were promised when it was written. */
  readonly isLater?: true
  readonly plan: Omit<Plan, 'lock' | 'about'>
}

/** Left on a counter in place of the step's own mark: it has not been taken from by the step, and never will be. */
export const undone = (step: string) => `undone:${step}`

export type Outcome = {
  /** The take for which nothing of the plan happened. */
  readonly refused?: Take
  /** The moves that were made: the others came too late. */
  readonly made: readonly Move[]
  /** Whether all deliveries that came with them are known to be new; false where that is not known. */
  readonly areNew: boolean
}

/** Changes of several documents that happen together or not at all, without transactions. */
export type Steps = {
  /**
   * Carries the plan out; durable when it resolves. When it throws, or the process dies, a sweep does the rest, or undoes it if not
   * all had been taken yet. With `unless`, which is asked under the lock, nothing happens where that holds.
   * @throws Error when it has to wait too long for its lock, or was undone by a sweep because it took too long itself
   */
  readonly run: (plan: Plan, unless?: () => Promise<boolean>) => Promise<Outcome>
  /**
   * Durable when it resolves: from then on the moves will be made, those that do not come too late, by this process within seconds, together
   * with those of other calls, or else by a sweep.
   */
  readonly runLater: (moves: readonly Move[]) => Promise<void>
  /** Whether a move for which that holds is still to be made by this process. */
  readonly isWaiting: (which: (move: Move) => boolean) => boolean
  /** Resolves when all of them are made, and what comes with them is done. */
  readonly carriedOut: () => Promise<void>
  /** Whether a step about the dispatch is under way. */
  readonly underWay: (about: string) => Promise<boolean>
  /** Finishes, or undoes, what others have left; to be called every few seconds. */
  readonly sweep: () => Promise<void>
  /** Makes the moves that other processes still have to make, whose workers may have died, without waiting for longer. */
  readonly takeOver: () => Promise<void>
  /** Removes the marks of all that this process has done, and the steps: what otherwise happens by itself within seconds. */
  readonly tidy: () => Promise<void>
  /** Ends what happens by itself. */
  readonly end: () => void
}
