/** Days for which data that grows with every mail is kept after it is final. If absent, it is kept forever. */
export type Retention = {
  /** Deliveries of dispatches that have ended; at least 7 days. Campaign results are kept. */
  readonly deliveries?: number | undefined
  /** Statistics per quarter of an hour; at least 100 days, because restriction sums 90. */
  readonly figures?: number | undefined
  /** Events that were sent to webhooks or could not be. */
  readonly events: number
  /** Entries of error logs. */
  readonly errors: number
  /** Link tables: a mail's links work at least this number of days after the last mail with the same table. */
  readonly links: number
}

export const standardRetention: Retention = { events: 30, errors: 30, links: 730 }

const day = 24 * 60 * 60_000

/** The instant before which data is no longer kept, in ISO 8601. */
export const keptSince = (now: Date, days: number): string => new Date(now.getTime() - days * day).toISOString()
