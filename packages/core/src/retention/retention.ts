/** How many days things are kept that grow with every mail, from when they were over. Absent: for good. */
export type Retention = {
  /** Who got what: the deliveries of dispatches that have ended, at least 7 days. What campaigns came to is kept. */
  readonly deliveries?: number | undefined
  /** Statistics by the quarter of an hour, at least 100 days, as what restricts a project is the sum of 90. */
  readonly figures?: number | undefined
  /** Events that webhooks were told, or could not be. */
  readonly events: number
  /** For how long an error log tells of an error. */
  readonly errors: number
  /** Links of a mail lead on for so many days after the last mail that had the same ones, at least. */
  readonly links: number
}

export const standardRetention: Retention = { events: 30, errors: 30, links: 730 }

const day = 24 * 60 * 60_000

/** The instant before which things are not kept, in ISO 8601. */
export const keptSince = (now: Date, days: number): string => new Date(now.getTime() - days * day).toISOString()
