/** Never due. */
export const neverDue = '9999-12-31T23:59:59.999Z'

/** Mails to single addresses in a store that was restored from a backup. */
export type HeldMails = {
  /**
   * Holds back mails that were due by `until` or were being sent; returns their number. Mails of a campaign that were being sent are queued,
   * so that stopping its dispatch includes them. No process may send from the store.
   */
  readonly hold: (until: string, now: string) => Promise<number>
  /** What `hold` held back becomes due. Servers may be running. Returns the number. */
  readonly release: (now: string) => Promise<number>
  readonly count: () => Promise<number>
}
