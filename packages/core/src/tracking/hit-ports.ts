import type { Hit } from './classification.js'

/** `text`: one line in this program's format. */
export type HitJournalEntry = { readonly name: string; readonly text: string }

/** Of a process that has ended. `isDone`: already recorded, only context for judging others. */
export type AbandonedHitJournalEntry = HitJournalEntry & { readonly isDone: boolean }

/** Keeps opens and clicks until they are recorded: they survive their process, not its machine (ADR 0053). One per process. */
export interface HitJournal {
  /**
   * Stored on return.
   * @throws Error if there is no space or the disk fails
   */
  add(entry: HitJournalEntry): void
  /** If that cannot be written, another process records them again. */
  done(names: readonly string[]): void
  /** Some entries of ended processes, reserved until this process ends. Empty if there are none. */
  takeOver(): Promise<readonly AbandonedHitJournalEntry[]>
  /** Entries not done stay for the next process. */
  close(): Promise<void>
}

/** Too many hits waiting, or too many requests for one mail. */
export const hitDropReasons = ['queue-full', 'mail-flooded'] as const
export type HitDropReason = (typeof hitDropReasons)[number]

/** For counting. Must return at once and never throw. */
export type HitMeter = {
  readonly taken: (kind: Hit['kind']) => void
  /** Recorded as a person's or a machine's. */
  readonly judged: (kind: Hit['kind'], by: 'person' | 'machine') => void
  /** Invalid signature or missing link table. */
  readonly refused: () => void
  /** The link's target could not be read. */
  readonly unavailable: () => void
  readonly dropped: (why: HitDropReason, n: number) => void
  /** Lost if the process is killed before recording it. */
  readonly unjournaled: () => void
  /** From ended processes. */
  readonly takenOver: (n: number) => void
}

export const noHitMeter: HitMeter = {
  taken: () => {},
  judged: () => {},
  refused: () => {},
  unavailable: () => {},
  dropped: () => {},
  unjournaled: () => {},
  takenOver: () => {},
}
