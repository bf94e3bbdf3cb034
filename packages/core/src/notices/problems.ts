import type { Campaign } from '../campaigns/campaign.js'
import type { Domain } from '../domains/domain.js'
import { domainGracePeriodOf } from '../domains/domain-check.js'
import { collected, newestRecords } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Messages } from '../languages/en.js'
import type { Project } from '../projects/project.js'
import type { Overview } from '../reporting/overview.js'
import type { Webhook } from '../webhooks/webhook.js'

/** `about` identifies the problem while it lasts; `text` with `values` describes it. */
export type ProjectProblem = {
  readonly about: string
  readonly text: keyof Messages
  readonly values: Readonly<Record<string, string>>
  /** Instants among the values, to be written in the reader's zone. */
  readonly at?: string
}

const day = 24 * 60 * 60_000
/** In ms. Earlier stops and later ends of credit are not reported. */
const near = 7 * day
const mostCampaigns = 20

type Deps = {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; domains: Domain; webhooks: Webhook }>
  readonly overviewOf: (project: Project) => Promise<Overview>
  readonly clock: Clock
}

export const projectProblems =
  ({ repositories: { campaigns, domains, webhooks }, overviewOf, clock }: Deps) =>
  async (project: Project): Promise<readonly ProjectProblem[]> => {
    const { _id: projectId, restricted, restrictedReason = '' } = project
    const now = clock()
    const [{ credit }, owned, hooks, stopped] = await Promise.all([
      overviewOf(project),
      collected(domains.each({ projectId })),
      collected(webhooks.each({ projectId })),
      newestRecords(campaigns, { projectId, status: 'error' }, 'updatedAt', mostCampaigns, ['document']),
    ])
    const isNear = (instant: string) => Math.abs(Date.parse(instant) - now.getTime()) <= near
    return [
      ...(restricted
        ? [{ about: 'restricted', text: 'noticeRestricted', values: { reason: restrictedReason } } as const]
        : []),
      ...(credit.left <= 0
        ? [{ about: 'no credit', text: 'noticeNoCredit', values: {} } as const]
        : credit.endsAt !== undefined && isNear(credit.endsAt)
          ? [{ about: 'credit', text: 'noticeCredit', values: {}, at: credit.endsAt } as const]
          : []),
      ...owned.flatMap((domain): readonly ProjectProblem[] => {
        const loss = domainGracePeriodOf(domain)
        const about = `domain ${domain._id} ${loss?.since}`
        return loss ? [{ about, text: 'noticeDomain', values: { domain: domain.domain }, at: loss.until }] : []
      }),
      ...stopped
        .filter(({ updatedAt }) => isNear(updatedAt))
        .map(
          ({ _id, dispatchId = '', name, errorMessage: reason = '' }): ProjectProblem => ({
            about: `stopped ${_id} ${dispatchId}`,
            text: 'noticeStopped',
            values: { name, reason },
          }),
        ),
      ...hooks.flatMap(({ _id, url, switchedOff }): readonly ProjectProblem[] => {
        if (!switchedOff) return []
        const values = { host: new URL(url).host, reason: switchedOff.reason }
        return [{ about: `webhook ${_id} ${switchedOff.since}`, text: 'noticeWebhook', values }]
      }),
    ]
  }
