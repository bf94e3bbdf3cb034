import { z } from 'zod'
import type { Clock } from '../kernel/ports.js'
import type { Scope } from '../kernel/scope.js'
import { Count } from '../kernel/shapes.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import { percentOf } from '../sending/restriction/restriction.js'
import { type Figures, figureSubject } from './figures/figure.js'
import { mailboxProviders } from './figures/mailbox-provider.js'

export const ProviderReportQuery = z.strictObject({
  days: z.coerce
    .number()
    .pipe(z.literal([7, 30, 90]))
    .default(30)
    .describe('The last 7, 30 or 90 days'),
})

const ProviderFigures = z.object({
  provider: z.enum(mailboxProviders).describe('Who runs the mailbox; other: a domain of a company’s own'),
  sent: Count.describe('Mails that the provider or a relay accepted'),
  refused: Count.describe('Mails that failed or bounced permanently'),
  complaints: Count,
  opens: Count.describe('Mails that were opened, without machines'),
  isWorse: z
    .boolean()
    .describe(
      'Of at least 100 mails, three were refused or complained about, and these are more than 2 % or 0.1 %, and more than twice as many as elsewhere',
    ),
})
type ProviderFigures = z.output<typeof ProviderFigures>

export const ProviderReport = z
  .object({ providers: z.array(ProviderFigures).describe('Those with mails, the largest first') })
  .meta({ id: 'ProviderReport' })
export type ProviderReport = z.output<typeof ProviderReport>

type Sums = Omit<ProviderFigures, 'isWorse'>

const [leastMails, leastReports, refusedShare, complaintShare] = [100, 3, 2, 0.1]

const sumOf = (all: readonly Sums[], kind: 'sent' | 'refused' | 'complaints') =>
  all.reduce((sum, one) => sum + one[kind], 0)

const attempts = (all: readonly Sums[]) => sumOf(all, 'sent') + sumOf(all, 'refused')

const isWorse = (one: Sums, others: readonly Sums[]): boolean => {
  const exceeds = (kind: 'refused' | 'complaints', of: (all: readonly Sums[]) => number, share: number): boolean => {
    const own = percentOf(one[kind], of([one]))
    return one[kind] >= leastReports && own > share && own > 2 * percentOf(sumOf(others, kind), of(others))
  }
  const accepted = (all: readonly Sums[]) => sumOf(all, 'sent')
  return (
    attempts([one]) >= leastMails &&
    (exceeds('refused', attempts, refusedShare) || exceeds('complaints', accepted, complaintShare))
  )
}

type Deps = { readonly figures: Pick<Figures, 'totals'>; readonly clock: Clock }

/** How the providers of recipients' mailboxes take a project's mails. */
export const mailboxProviderReports =
  ({ figures, clock }: Deps) =>
  async ({ projectId }: Scope, { days }: z.output<typeof ProviderReportQuery>): Promise<ProviderReport> => {
    const from = instantDaysBefore(clock(), days)
    const all = await Promise.all(
      mailboxProviders.map(async (provider): Promise<Sums> => {
        const totals = await figures.totals(figureSubject.provider(projectId, provider), { from })
        const { sent = 0, failed = 0, bounces = 0, complaints = 0, uniqueOpens: opens = 0 } = totals
        // A mail that bounced was sent before.
        return { provider, sent: Math.max(0, sent - bounces), refused: failed + bounces, complaints, opens }
      }),
    )
    const used = all.filter((one) => attempts([one]) > 0).sort((a, b) => attempts([b]) - attempts([a]))
    return ProviderReport.parse({
      providers: used.map((one) => ({
        ...one,
        isWorse: isWorse(
          one,
          used.filter((other) => other !== one),
        ),
      })),
    })
  }
