/** Something that was heard, as it is kept: `text` is this program's own, and one line. */
export type JournalEntry = { readonly name: string; readonly text: string }

/** What a process that has ended left behind; what it had recorded already only says what else came at that time. */
export type LeftEntry = JournalEntry & { readonly isDone: boolean }

/**
 * Where opens and clicks are kept from their answer until they are recorded, so that they outlive the process that heard them, though not
 * its machine (ADR 0053). Each process has one.
 */
export interface HitJournal {
  /** Kept when it returns. @throws Error where there is no room left, or no disk */
  add(entry: JournalEntry): void
  /** These are recorded, and need not be kept. What cannot be noted is told again to whoever takes over. */
  done(names: readonly string[]): void
  /**
   * Some of what processes left that have ended: no other process gets it, unless this one ends before it says that it is done. Nothing
   * where there is no more of it now.
   */
  takeOver(): Promise<readonly LeftEntry[]>
  /** What is not done stays for who comes next. */
  close(): Promise<void>
}
