import { domainOf } from '../kernel/email-address.js'

/**
 * What is counted. `uniqueOpens` and `uniqueClicks` count mails, `opens` and `clicks` every time; what machines ask for is counted
 * beside.
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

/** What is counted of whom: an email, one of its links, a list, a project, or a project's domain in a region. */
export type Counted = { readonly subject: string; readonly metric: Metric }

/** So many of them in a quarter of an hour: every time zone's hours and days begin with one. */
export type Figure = Counted & { readonly slot: string; readonly n: number }

export const subjectOf = {
  email: (emailId: string) => `email:${emailId}`,
  /** One of the links of an email that were followed, by its place among them, or all for which there is no place. */
  link: (emailId: string, place: number | 'others') => `link:${emailId}:${place}`,
  list: (subscriberListId: string) => `list:${subscriberListId}`,
  project: (projectId: string) => `project:${projectId}`,
  domain: (projectId: string, domain: string, region: string) => `domain:${projectId}:${region}:${domain}`,
} as const

/** Whose figures a mail's are: its email's, its list's, its project's and its sender's domain's. */
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

/** The quarter of an hour that an instant lies in, by its beginning: `2026-01-06T13:15`, in UTC. */
export const slotOf = (instant: string): string =>
  new Date(Math.floor(Date.parse(instant) / quarter) * quarter).toISOString().slice(0, 16)

/** When the quarter of an hour that an instant lies in is over. */
export const slotEndOf = (instant: string): string =>
  new Date((Math.floor(Date.parse(instant) / quarter) + 1) * quarter).toISOString()

/** One more of each, now. */
export const figuresOf = (counted: readonly Counted[], now: string): readonly Figure[] => {
  const slot = slotOf(now)
  return counted.map((one) => ({ ...one, slot, n: 1 }))
}

/** Adds up what is counted one by one, so that a batch writes each sum once. */
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

/** The quarters of an hour from one instant to another, whose own is not among them; absent: from the first, to the last. */
export type Span = { readonly from?: string | undefined; readonly to?: string | undefined }

/** The statistics. Sums are exact to a quarter of an hour, and never taken by counting mails. */
export interface Figures {
  /** Adds to what there is. A promise that resolves was durable first. */
  add(figures: readonly Figure[]): Promise<void>
  /** How often each metric was counted of the subject; absent where never. */
  totals(subject: string, span: Span): Promise<Readonly<Partial<Record<Metric, number>>>>
  /** How often the metric was counted of each subject, ever; absent where never. */
  totalsOf(subjects: readonly string[], metric: Metric): Promise<Readonly<Record<string, number>>>
  /** One by one, in the order of their slots. */
  slots(subject: string, metric: Metric, span: Span): Promise<readonly Pick<Figure, 'slot' | 'n'>[]>
  /** Forgets sums of quarters of an hour before that of an instant, some `limit` in one commit; answers how many: none where none is left. */
  prune(before: string, limit: number): Promise<number>
}
