import type { Campaign } from '../campaigns/campaign.js'
import type { Domain } from '../domains/domain.js'
import { domainGracePeriod } from '../domains/domain-check.js'
import { collected } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Messages } from '../languages/en.js'
import type { Project } from '../projects/project.js'
import type { Overview } from '../reporting/overview.js'
import type { Webhook } from '../webhooks/webhook.js'

/** `about` names it as long as it lasts; `text` and `values` say it in the reader's language. */
export type Problem = {
  readonly about: string
  readonly text: keyof Messages
  readonly values: Readonly<Record<string, string>>
  /** Instants among the values, to be written in the reader's zone. */
  readonly at?: string
}

const day = 24 * 60 * 60_000
/** In ms: older stops are no news, and later ends of the credit none yet. */
const near = 7 * day
const mostCampaigns = 20

type Deps = {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; domains: Domain; webhooks: Webhook }>
  readonly overviewOf: (project: Project) => Promise<Overview>
  readonly clock: Clock
}

/** What keeps a project's mail or events from arriving. */
export const projectProblems =
  ({ repositories: { campaigns, domains, webhooks }, overviewOf, clock }: Deps) =>
  async (project: Project): Promise<readonly Problem[]> => {
    const { _id: projectId, restricted, restrictedReason = '' } = project
    const now = clock()
    const [{ credit }, owned, hooks, stopped] = await Promise.all([
      overviewOf(project),
      collected(domains.each({ projectId })),
      collected(webhooks.each({ projectId })),
      campaigns.list({
        where: { projectId, status: 'error' },
        sort: { by: 'updatedAt', order: 'desc' },
        skip: 0,
        limit: mostCampaigns,
      }),
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
      ...owned.flatMap((domain): readonly Problem[] => {
        const loss = domainGracePeriod(domain)
        const about = `domain ${domain._id} ${loss?.since}`
        return loss ? [{ about, text: 'noticeDomain', values: { domain: domain.domain }, at: loss.until }] : []
      }),
      ...stopped.items
        .filter(({ updatedAt }) => isNear(updatedAt))
        .map(
          ({ _id, dispatchId = '', name, errorMessage: reason = '' }): Problem => ({
            about: `stopped ${_id} ${dispatchId}`,
            text: 'noticeStopped',
            values: { name, reason },
          }),
        ),
      ...hooks.flatMap(({ _id, url, switchedOff }): readonly Problem[] => {
        if (!switchedOff) return []
        const values = { host: new URL(url).host, reason: switchedOff.reason }
        return [{ about: `webhook ${_id} ${switchedOff.since}`, text: 'noticeWebhook', values }]
      }),
    ]
  }
