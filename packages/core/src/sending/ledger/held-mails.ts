/** Never due. */
export const neverDue = '9999-12-31T23:59:59.999Z'

/** Mails to single addresses in a store that was restored from a backup. */
export type HeldMails = {
  /**
   * Holds back mails that were due until then, and those that were under way; returns their number. What was under way to many is queued, so
   * that a stop of its dispatch finds it. No process may send from the store.
   */
  readonly hold: (until: string, now: string) => Promise<number>
  /** What `hold` held back becomes due. Servers may be running. Returns the number. */
  readonly release: (now: string) => Promise<number>
  readonly count: () => Promise<number>
}
