import type { Hit } from './classification.js'

/** A hit in the journal: `text` is one line in this program's own format. */
export type JournalEntry = { readonly name: string; readonly text: string }

/** An entry of a process that has ended. Entries that were already recorded (`isDone`) only serve as context for judging others. */
export type AbandonedEntry = JournalEntry & { readonly isDone: boolean }

/**
 * Stores opens and clicks from the HTTP response until they are recorded, so that they survive the end of their process, though not of its
 * machine (ADR 0053). Each process has its own.
 */
export interface HitJournal {
  /** Stored when it returns. @throws Error if there is no space or the disk fails */
  add(entry: JournalEntry): void
  /** Marks entries as recorded. If that cannot be written, another process records them again. */
  done(names: readonly string[]): void
  /**
   * Returns some entries of processes that have ended. No other process gets them, unless this one ends before it marks them done. Empty if
   * there are none at present.
   */
  takeOver(): Promise<readonly AbandonedEntry[]>
  /** Closes the journal; entries that are not done stay for the next process. */
  close(): Promise<void>
}

/** Why a request is not recorded: too many hits are waiting, or one mail had too many requests. */
export const hitDrops = ['queue-full', 'mail-flooded'] as const
export type HitDrop = (typeof hitDrops)[number]

/** Receives the fate of requests for images and links, for counting. Must return at once and never throw. */
export type HitMeter = {
  readonly taken: (kind: Hit['kind']) => void
  /** The hit was recorded as a person's or a machine's. */
  readonly judged: (kind: Hit['kind'], by: 'person' | 'machine') => void
  /** The signature is invalid, or the link table does not exist. */
  readonly refused: () => void
  /** A link's target could not be read. */
  readonly unavailable: () => void
  readonly dropped: (why: HitDrop, n: number) => void
  /** The hit could not be journaled: it is lost if the process is killed before recording it. */
  readonly unjournaled: () => void
  /** Number of hits taken over from processes that have ended. */
  readonly takenOver: (n: number) => void
}

/** Counts nothing. */
export const noHitMeter: HitMeter = {
  taken: () => {},
  judged: () => {},
  refused: () => {},
  unavailable: () => {},
  dropped: () => {},
  unjournaled: () => {},
  takenOver: () => {},
}
