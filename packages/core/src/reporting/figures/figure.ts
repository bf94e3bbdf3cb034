import { domainOf } from '../../kernel/email-address.js'

/** `uniqueOpens` and `uniqueClicks` count mails, the others events; machines have their own metrics. */
export const figureMetricNames = [
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
export type FigureMetric = (typeof figureMetricNames)[number]

/** Subjects: an email, its link, a list, a project, its domain in a region, or a provider of its recipients' mailboxes. */
export type FigureKey = { readonly subject: string; readonly metric: FigureMetric }

/** Per quarter of an hour: all time zones' hours begin with one. */
export type Figure = FigureKey & { readonly slot: string; readonly n: number }

export const figureSubject = {
  email: (emailId: string) => `email:${emailId}`,
  /** By the link's number, else `others`. */
  link: (emailId: string, place: number | 'others') => `link:${emailId}:${place}`,
  list: (subscriberListId: string) => `list:${subscriberListId}`,
  project: (projectId: string) => `project:${projectId}`,
  provider: (projectId: string, provider: string) => `provider:${projectId}:${provider}`,
  domain: (projectId: string, domain: string, region: string) => `domain:${projectId}:${region}:${domain}`,
} as const

/** Email, list, project and sender's domain. */
export const mailFigureSubjects = ({
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
  figureSubject.email(emailId),
  ...(subscriberListId ? [figureSubject.list(subscriberListId)] : []),
  figureSubject.project(projectId),
  figureSubject.domain(projectId, domainOf(from.email), from.region),
]

export const figureKeys = (subjects: readonly string[], ...which: readonly FigureMetric[]): readonly FigureKey[] =>
  subjects.flatMap((subject) => which.map((metric) => ({ subject, metric })))

/** In ms. */
export const quarterHour = 15 * 60_000

/** Start of the quarter of an hour, UTC: `2026-01-06T13:15`. */
export const quarterHourOf = (instant: string): string =>
  new Date(Math.floor(Date.parse(instant) / quarterHour) * quarterHour).toISOString().slice(0, 16)

/** End of the quarter of an hour that contains the instant, `offset` ms later. */
export const quarterHourEnd = (instant: string, offset = 0): string =>
  new Date((Math.floor((Date.parse(instant) + offset) / quarterHour) + 1) * quarterHour).toISOString()

export const quarterHourFigures = (counted: readonly FigureKey[], now: string): readonly Figure[] => {
  const slot = quarterHourOf(now)
  return counted.map((one) => ({ ...one, slot, n: 1 }))
}

/** A batch writes each sum once. */
export const figureAccumulator = () => {
  const sums = new Map<string, Figure & { n: number }>()
  return {
    count: (counted: readonly FigureKey[], now: string, times = 1): void => {
      const slot = quarterHourOf(now)
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

/** Excludes the quarter of an hour that contains `to`. */
export type TimeSpan = { readonly from?: string | undefined; readonly to?: string | undefined }

/** Sums are exact to a quarter of an hour, never computed by counting mails. */
export interface Figures {
  /** Durable when it resolves. */
  add(figures: readonly Figure[]): Promise<void>
  totals(subject: string, span: TimeSpan): Promise<Readonly<Partial<Record<FigureMetric, number>>>>
  totalsOf(subjects: readonly string[], metric: FigureMetric): Promise<Readonly<Record<string, number>>>
  /** In order of time. */
  slots(subject: string, metric: FigureMetric, span: TimeSpan): Promise<readonly Pick<Figure, 'slot' | 'n'>[]>
  /** Removes about `limit` sums per commit; returns their number. */
  prune(before: string, limit: number): Promise<number>
}
