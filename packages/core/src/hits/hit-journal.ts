/** A hit in the journal: `text` is one line in this program's own format. */
export type JournalEntry = { readonly name: string; readonly text: string }

/** An entry of a process that has ended. Entries that were already recorded (`isDone`) only serve as context for judging others. */
export type LeftEntry = JournalEntry & { readonly isDone: boolean }

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
  takeOver(): Promise<readonly LeftEntry[]>
  /** Closes the journal; entries that are not done stay for the next process. */
  close(): Promise<void>
}
