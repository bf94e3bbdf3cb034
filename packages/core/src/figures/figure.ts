import { domainOf } from '../kernel/email-address.js'

/**
 * The events that are counted. `uniqueOpens` and `uniqueClicks` count mails, `opens` and `clicks` every event; hits by machines have
 * metrics of their own.
 */
export const metrics = [
  'sent',
  'failed',
  'bounces',
  'complaints',
  'opens',
  'uniqueOpens',
  'clicks',
  'uniqueClicks',
  'machineOpens',
  'machineClicks',
  'subscribe',
  'unsubscribe',
  'resubscribe',
  'pause-subscription',
  'unpause-subscription',
] as const
export type Metric = (typeof metrics)[number]

/** A metric of a subject: an email, one of its links, a list, a project, or a project's domain in a region. */
export type Counted = { readonly subject: string; readonly metric: Metric }

/** The count of a quarter of an hour: the hours and days of every time zone begin with one. */
export type Figure = Counted & { readonly slot: string; readonly n: number }

export const subjectOf = {
  email: (emailId: string) => `email:${emailId}`,
  /** A followed link of an email by its number, or `others` for all links without a number. */
  link: (emailId: string, place: number | 'others') => `link:${emailId}:${place}`,
  list: (subscriberListId: string) => `list:${subscriberListId}`,
  project: (projectId: string) => `project:${projectId}`,
  domain: (projectId: string, domain: string, region: string) => `domain:${projectId}:${region}:${domain}`,
} as const

/** The subjects whose figures count a mail: its email, its list, its project and its sender's domain. */
export const mailSubjects = ({
  projectId,
  emailId,
  subscriberListId,
  from,
}: {
  readonly projectId: string
  readonly emailId: string
  readonly subscriberListId: string | undefined
  readonly from: { readonly email: string; readonly region: string }
}): readonly string[] => [
  subjectOf.email(emailId),
  ...(subscriberListId ? [subjectOf.list(subscriberListId)] : []),
  subjectOf.project(projectId),
  subjectOf.domain(projectId, domainOf(from.email), from.region),
]

export const counted = (subjects: readonly string[], ...which: readonly Metric[]): readonly Counted[] =>
  subjects.flatMap((subject) => which.map((metric) => ({ subject, metric })))

const quarter = 15 * 60_000

/** The start of the quarter of an hour that contains an instant: `2026-01-06T13:15`, in UTC. */
export const slotOf = (instant: string): string =>
  new Date(Math.floor(Date.parse(instant) / quarter) * quarter).toISOString().slice(0, 16)

/** The end of the quarter of an hour that contains an instant. */
export const slotEndOf = (instant: string): string =>
  new Date((Math.floor(Date.parse(instant) / quarter) + 1) * quarter).toISOString()

/** Figures that add one to each metric, now. */
export const figuresOf = (counted: readonly Counted[], now: string): readonly Figure[] => {
  const slot = slotOf(now)
  return counted.map((one) => ({ ...one, slot, n: 1 }))
}

/** Sums single events, so that a batch writes each sum once. */
export const figureSums = () => {
  const sums = new Map<string, Figure & { n: number }>()
  return {
    count: (counted: readonly Counted[], now: string, times = 1): void => {
      const slot = slotOf(now)
      for (const { subject, metric } of counted) {
        const key = `${slot} ${metric} ${subject}`
        const sum = sums.get(key)
        if (sum) sum.n += times
        else sums.set(key, { subject, metric, slot, n: times })
      }
    },
    all: (): Iterable<Figure> => sums.values(),
  }
}

/** The quarters of an hour between two instants, without the one that contains `to`. Absent: from the first, or to the last. */
export type Span = { readonly from?: string | undefined; readonly to?: string | undefined }

/** The statistics. Sums are exact to a quarter of an hour, and never computed by counting mails. */
export interface Figures {
  /** Adds to the stored sums; durable before the promise resolves. */
  add(figures: readonly Figure[]): Promise<void>
  /** The sum of each metric of the subject; absent if zero. */
  totals(subject: string, span: Span): Promise<Readonly<Partial<Record<Metric, number>>>>
  /** The sum of the metric for each subject over all time; absent if zero. */
  totalsOf(subjects: readonly string[], metric: Metric): Promise<Readonly<Record<string, number>>>
  /** The individual sums, in order of time. */
  slots(subject: string, metric: Metric, span: Span): Promise<readonly Pick<Figure, 'slot' | 'n'>[]>
  /**
   * Deletes the sums before the quarter of an hour that contains `before`, about `limit` per commit; returns their number, 0 if none is
   * left.
   */
  prune(before: string, limit: number): Promise<number>
}
