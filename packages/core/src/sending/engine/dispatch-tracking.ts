import type { Domain } from '../../domains/domain.js'
import { trackingHostOf } from '../../domains/domain-status.js'
import { domainOf } from '../../kernel/email-address.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { LinkTables } from '../../mail/link-tables.js'
import { longestLink, personalLength } from '../../mail/link-tracking.js'
import { type EmailToPrepare, linkTableOf } from '../../mail/rendering.js'
import { tokenLength } from '../../tokens/tracking-token.js'
import type { Content, Dispatch } from '../ledger/dispatch.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain }>
  readonly linkTables: Pick<LinkTables, 'keep'>
  readonly settings: { readonly publicUrl: string }
}

/**
 * Stage 4 of a sending, once per dispatch: stores the tracked links of its mails before the first one is sent. Undefined for tests, for
 * plain text, and if neither opens nor clicks are tracked.
 */
export const dispatchTracking = ({ repositories: { domains }, linkTables, settings: { publicUrl } }: Deps) => {
  /** Links use the tracking host of the sender's domain if it has one, with the scheme of the public URL. */
  const baseOf = async (projectId: string, { email, region }: Content['from']): Promise<string> => {
    const domain = await domains.get({ projectId, domain: domainOf(email), region })
    const host = domain && trackingHostOf(domain)
    return host === undefined ? publicUrl : `${new URL(publicUrl).protocol}//${host}`
  }

  return async (
    { kind, audience, projectId, tracking: chosen }: Pick<Dispatch, 'kind' | 'audience' | 'projectId' | 'tracking'>,
    from: Content['from'],
    email: Pick<EmailToPrepare, 'content' | 'data' | 'feeds' | 'design'>,
  ): Promise<EmailToPrepare['tracking']> => {
    if (!chosen.opens && !chosen.clicks) return undefined
    if (kind === 'test' || email.content.type === 'text') return undefined
    const isOne = audience.kind === 'address'
    const tracking = {
      base: await baseOf(projectId, from),
      ...chosen,
      tokenLength: isOne ? tokenLength.one : tokenLength.many,
    }
    // The table stores values that all mails share. It stores a single mail's own values only where its links would become too long.
    const table = linkTableOf(
      email,
      tracking,
      (link, values) => !isOne || personalLength(tracking, link, values) > longestLink,
    )
    return table && { ...tracking, table, tableId: await linkTables.keep(table) }
  }
}
