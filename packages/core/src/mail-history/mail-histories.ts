import type { Campaign } from '../campaigns/campaign.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { addressKey } from '../kernel/email-address.js'
import { listQueryViolations, newestRecords, parsedSortAndFilter, recordsById } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import { Refusal } from '../kernel/refusal.js'
import type { Page, RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import { RecipientStatus, statusesShownAs } from '../reporting/recipients.js'
import type { Retention } from '../retention/retention.js'
import type { Deliveries, DeliveryWhere } from '../sending/ledger/deliveries.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import type { EmailClickedLinks } from '../tracking/clicked-links.js'
import type { WebhookDelivery } from '../webhooks/webhook-delivery.js'
import {
  type KeptMailHistory,
  type KeptSince,
  type MailHistory,
  type MailHistoryQuery,
  mailHistoryFilters,
  mailHistoryView,
  mostShownWebhookPosts,
} from './mail-history.js'
import { FoundMail, mailSearches } from './mail-search.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    dispatches: Dispatch
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
    emailLinks: EmailClickedLinks
    webhookDeliveries: WebhookDelivery
  }>
  readonly deliveries: Pick<Deliveries, 'get' | 'list' | 'newest'>
  readonly clock: Clock
  readonly settings: { readonly retention: Pick<Retention, 'deliveries' | 'events'> }
}

/** Mails per read, and the newest that a filter by kind looks at. */
const pageSize = 500
export const mostSearchedMails = 5_000

type Found = { readonly delivery: Delivery; readonly dispatch: Dispatch }

/** What happened to a mail, from the ledger, the tracked links and the webhooks' outbox. */
export const mailHistoryUseCases = ({ repositories, deliveries, clock, settings: { retention } }: Deps) => {
  const { dispatches, campaigns, triggeredEmails, transactionalEmails, emailLinks, webhookDeliveries } = repositories

  const kept = (): KeptSince => ({
    mails: retention.deliveries === undefined ? null : instantDaysBefore(clock(), retention.deliveries),
    webhookEvents: instantDaysBefore(clock(), retention.events),
  })

  const withDispatches = async (projectId: string, some: readonly Delivery[]): Promise<readonly Found[]> => {
    const ids = some.map(({ dispatchId }) => dispatchId)
    const known = await recordsById(dispatches, projectId, ids)
    return some.flatMap((delivery) => {
      const dispatch = known.get(delivery.dispatchId)
      return dispatch ? [{ delivery, dispatch }] : []
    })
  }

  const postsAbout = (projectId: string, some: readonly Found[]) => {
    const deliveryId = some.map(({ delivery }) => delivery._id)
    return newestRecords(webhookDeliveries, { projectId, deliveryId }, 'createdAt', mostShownWebhookPosts)
  }

  /** The stored emails of the mails, by id. */
  const emailsOf = async (projectId: string, some: readonly Found[]) => {
    const ids = some.map(({ dispatch }) => dispatch.emailId)
    const emails = await Promise.all([
      recordsById(campaigns, projectId, ids),
      recordsById(triggeredEmails, projectId, ids),
      recordsById(transactionalEmails, projectId, ids),
    ])
    return (id: string) => emails.map((those) => those.get(id)).find((one) => one !== undefined)
  }

  const described = async (projectId: string, some: readonly Delivery[]): Promise<readonly FoundMail[]> => {
    const found = await withDispatches(projectId, some)
    const emailOf = await emailsOf(projectId, found)
    return found.map(({ delivery, dispatch }) =>
      FoundMail.parse(mailHistoryView(delivery, { dispatch, email: emailOf(dispatch.emailId) })),
    )
  }

  const shown = async (projectId: string, some: readonly Found[]): Promise<readonly MailHistory[]> => {
    const emailOf = await emailsOf(projectId, some)
    const clicked = some.flatMap(({ delivery, dispatch }) =>
      delivery.happened?.some(({ link }) => link !== undefined) ? [dispatch.emailId] : [],
    )
    const [links, posts] = await Promise.all([recordsById(emailLinks, projectId, clicked), postsAbout(projectId, some)])
    return some.map(({ delivery, dispatch }) => {
      const { emailId } = dispatch
      return mailHistoryView(delivery, {
        dispatch,
        email: emailOf(emailId),
        links: links.get(emailId),
        posts: posts.filter(({ deliveryId }) => deliveryId === delivery._id),
      })
    })
  }

  /** The newest mails to the address that are of the kind. */
  const ofKind = async (where: DeliveryWhere, kind: string): Promise<readonly Found[]> => {
    const found: Found[] = []
    for (let skip = 0; skip < mostSearchedMails; skip += pageSize) {
      const { items } = await deliveries.list({ where, by: 'createdAt', order: 'desc', skip, limit: pageSize })
      const some = await withDispatches(where.projectId, items)
      found.push(...some.filter(({ dispatch }) => dispatch.kind === kind))
      if (items.length < pageSize) break
    }
    return found
  }

  return {
    ...mailSearches({ deliveries, described, clock }),

    violations: (filter: Readonly<Record<string, string | undefined>> | undefined) =>
      listQueryViolations(mailHistoryFilters, { filter }),

    /** @throws Refusal `not-found` */
    get: async ({ projectId }: Scope, id: string): Promise<KeptMailHistory> => {
      const delivery = await deliveries.get(id)
      const [found] = delivery?.projectId === projectId ? await withDispatches(projectId, [delivery]) : []
      const since = kept()
      if (!found)
        throw new Refusal(
          'not-found',
          since.mails === null
            ? 'Mail not found'
            : `Mail not found. Mails that ended before ${since.mails} are removed.`,
        )
      const [history] = await shown(projectId, [found])
      return { ...(history as MailHistory), keptSince: since }
    },

    /** Newest first. A filter by kind looks at the newest 5,000. @throws Refusal `invalid` */
    list: async (
      { projectId }: Scope,
      { email, filter, skip, limit }: MailHistoryQuery,
    ): Promise<Page<MailHistory> & { readonly keptSince: KeptSince }> => {
      const { status, dispatchId, kind } = parsedSortAndFilter(mailHistoryFilters, { filter, order: 'desc' }).where
      const where: DeliveryWhere = {
        address: addressKey(email),
        projectId,
        ...(dispatchId !== undefined && { dispatchId: String(dispatchId) }),
        ...(status !== undefined && { status: statusesShownAs(RecipientStatus.parse(status)) }),
      }
      if (kind !== undefined) {
        const found = await ofKind(where, String(kind))
        const items = await shown(projectId, found.slice(skip, skip + limit))
        return { items, count: found.length, keptSince: kept() }
      }
      const { items, count } = await deliveries.list({ where, by: 'createdAt', order: 'desc', skip, limit })
      return { items: await shown(projectId, await withDispatches(projectId, items)), count, keptSince: kept() }
    },
  }
}
