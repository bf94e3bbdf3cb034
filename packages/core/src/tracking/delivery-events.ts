import type { Contact } from '../contacts/contact.js'
import { addressKey } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import type { Runtime } from '../kernel/ports.js'
import { notFound, unavailable } from '../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../kernel/repository.js'
import type { MembershipStore } from '../lists/membership-store.js'
import { type Subscriber, withEndedMemberships } from '../lists/subscriber.js'
import type { Project } from '../projects/project.js'
import {
  type Figure,
  type FigureMetric,
  type Figures,
  figureKeys,
  quarterHourFigures,
  quarterHourOf,
} from '../reporting/figures/figure.js'
import { withMailboxProviderSubject } from '../reporting/figures/mailbox-provider.js'
import { channelKey, type OwnChannel } from '../sending/channels/channel.js'
import { attributionOfDelivery, type StatisticsAttribution } from '../sending/ledger/attribution.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import {
  type Delivery,
  type DeliveryError,
  type DeliveryMark,
  deliveryId,
  earliestMailArrival,
} from '../sending/ledger/delivery.js'
import {
  addressPlaceOfRecipientMark,
  type ContentSnapshot,
  type Dispatch,
  recipientAddressByMark,
} from '../sending/ledger/dispatch.js'
import { enhancedStatusIn } from '../sending/returns/bounce-classifier.js'
import { newSuppression, type Suppression } from '../suppressions/suppression.js'
import { hitVerdictOf, machineMetric } from './classification.js'
import { clickedLinks, type EmailClickedLinks } from './clicked-links.js'
import { eventMailOf, type MailEvent, outcomeEvent, type PublishEvents } from './events.js'

/** The reported mail and the source. */
type ReportedMail = {
  readonly deliveryId: string
  /** The project's own account that reports: it may report only its mails. Absent: the server's provider. */
  readonly channel?: OwnChannel | undefined
}

/** Something that a recipient or the recipient's server did with a mail. */
export type DeliveryEvent = ReportedMail & {
  readonly type: 'open' | 'click' | 'bounce' | 'complaint'
  /** Such as a full mailbox: nothing is recorded. */
  readonly transient?: boolean
  /** After acceptance, for the error log. */
  readonly reason?: DeliveryError | undefined
  /** From the provider's response, already in the error log. */
  readonly refusal?: DeliveryError | undefined
  /** If the delivery does not have it yet. */
  readonly subject?: string | undefined
  /** Default: now. */
  readonly at?: string | undefined
  /** Idempotency key of an open or click; at most 100 characters. */
  readonly name?: string | undefined
  /** The provider does not distinguish machines: judge by user agent and time. */
  readonly unjudged?: boolean
  readonly seen?: Pick<MailEvent, 'userAgent' | 'referer' | 'ipAddress' | 'link' | 'blockPosition' | 'blockName'>
}

/** A mail that the provider accepted, with the provider's id for it. */
export type ProviderAcceptedMail = ReportedMail & { readonly providerMessageId: string }

export type ProviderDroppedMailReport = ReportedMail & { readonly error: DeliveryError }

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    projects: Project
    contacts: Contact
    subscribers: Subscriber
    suppressions: Suppression
    dispatches: Dispatch
    contents: ContentSnapshot
    emailLinks: EmailClickedLinks
  }>
  readonly membershipStore: Pick<MembershipStore, 'removeContact'>
  readonly deliveries: Pick<Deliveries, 'get' | 'mark' | 'report' | 'reject'>
  readonly figures: Pick<Figures, 'add'>
  readonly publish: PublishEvents
  /** Checks the thresholds at once, and again when the mail is no longer being sent. */
  readonly restriction: {
    readonly check: (projectId: string) => Promise<void>
    readonly checkSoon: (projectId: string, deliveryId: string) => Promise<void>
  }
}

type Kind = {
  readonly mark: DeliveryMark
  /** Counted every time, and the first time only. */
  readonly always: readonly FigureMetric[]
  readonly first: readonly FigureMetric[]
  /** Repetitions are the same event. */
  readonly once: boolean
}

const kinds = {
  open: { mark: 'opens', always: ['opens'], first: ['uniqueOpens'], once: false },
  click: { mark: 'clicks', always: ['clicks'], first: ['uniqueClicks'], once: false },
  bounce: { mark: 'bounced', always: [], first: ['bounces'], once: true },
  complaint: { mark: 'complained', always: [], first: ['complaints'], once: true },
} as const satisfies Record<DeliveryEvent['type'], Kind>

const subjectsOf = (
  attribution: StatisticsAttribution | undefined,
  { projectId, email }: Delivery,
): readonly string[] => withMailboxProviderSubject(attribution?.figureSubjects ?? [], projectId, email)

/** In the figures, the mail was not sent at the time at which it was counted. */
const rejectionFigures = (subjects: readonly string[], sentAt: string, now: string): readonly Figure[] =>
  subjects.flatMap((subject) => [
    { subject, metric: 'sent', slot: quarterHourOf(sentAt), n: -1 },
    { subject, metric: 'failed', slot: quarterHourOf(now), n: 1 },
  ])

/** Other clocks may be ahead. */
const pastOr = (now: string, at: string | undefined): string => (at !== undefined && at < now ? at : now)

const dateOf = { open: 'lastOpenDate', click: 'lastClickDate' } as const

type MailLookupDeps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get'>
}

/** The delivery of a dispatch to a contact or to the recipient with that mark; without one, the dispatch's only one. */
export const deliveryLookup =
  ({ repositories: { dispatches, contacts }, deliveries }: MailLookupDeps) =>
  async ({ dispatchId, contactId }: Pick<Delivery, 'dispatchId' | 'contactId'>): Promise<Delivery | undefined> => {
    if (contactId === undefined || addressPlaceOfRecipientMark(contactId) !== undefined) {
      const audience = (await dispatches.get({ _id: dispatchId }))?.audience
      const email = audience && recipientAddressByMark(audience, contactId)
      return email === undefined ? undefined : deliveries.get(deliveryId(dispatchId, addressKey(email)))
    }
    const ofContact = await deliveries.get(deliveryId(dispatchId, contactId))
    if (ofContact) return ofContact
    // In a dispatch to addresses, delivery ids contain the address.
    const contact = await contacts.get({ _id: contactId })
    return contact && deliveries.get(deliveryId(dispatchId, contact.emailKey))
  }

/** Records opens, clicks, bounces and complaints from any source. */
export const deliveryEventRecorder = (deps: Deps) => {
  const { repositories, membershipStore, deliveries, figures, publish, restriction, clock, newId } = deps
  const { projects, contacts, subscribers, suppressions, dispatches } = repositories
  const attributionOfMail = attributionOfDelivery(deps)
  const clickedLink = clickedLinks(deps)

  /** @throws Refusal `not-found` if the mail does not exist or another account sent it */
  const deliveryOf = async ({ deliveryId, channel }: ReportedMail): Promise<Delivery> => {
    const delivery = await deliveries.get(deliveryId)
    if (!delivery) throw notFound('Mail')
    if (channel === undefined) return delivery
    const { projectId, dispatchId } = delivery
    if (projectId !== channel.projectId) throw notFound('Mail')
    const dispatch = await dispatches.get({ _id: dispatchId, projectId })
    if (!dispatch || channelKey(dispatch.channel) !== channelKey(channel)) throw notFound('Mail')
    return delivery
  }

  const whereContact = ({ projectId, contactId, email }: Delivery) =>
    contactId ? { _id: contactId, projectId } : { projectId, emailKey: addressKey(email) }
  const contactOf = (delivery: Delivery) => contacts.get(whereContact(delivery))

  const suppress = async ({ projectId, email }: Delivery, reason: string, now: string): Promise<void> => {
    await suppressions
      .add(newSuppression({ _id: newId(), projectId, email, reason }, now))
      .catch(ifKeyTaken(() => undefined))
  }

  const autoRemove = async (delivery: Delivery, type: 'bounce' | 'complaint'): Promise<void> => {
    const { projectId } = delivery
    const wish = (await projects.get({ _id: projectId }))?.autoRemoveFromList[type]
    if (!wish || wish === 'off') return
    const contact = await contactOf(delivery)
    if (!contact) return
    if (wish === 'deleteContact') await membershipStore.removeContact({ _id: contact._id, projectId })
    else {
      const memberships = await collected(subscribers.each({ contactId: contact._id }))
      const now = clock().toISOString()
      // The contact's history still says through what the person came.
      await contacts.change({ _id: contact._id }, (current) => withEndedMemberships(current, memberships, type, now))
      await subscribers.removeAll({ contactId: contact._id })
    }
  }

  /** Never backwards: reports may arrive out of order. */
  const noteEngagement = async (delivery: Delivery, type: 'open' | 'click', at: string): Promise<void> => {
    const date = dateOf[type]
    await contacts.change(whereContact(delivery), (current) =>
      (current[date] ?? '') < at ? { ...current, [date]: at } : current,
    )
  }

  /** Without other hits of the time. */
  const isMachines = (
    { seen, unjudged }: DeliveryEvent,
    kind: 'open' | 'click',
    at: string,
    delivery: Delivery,
  ): boolean => {
    if (!unjudged || seen?.userAgent === undefined) return false
    const hit = { kind, method: 'GET', at, headers: { 'user-agent': seen.userAgent } }
    const deliveredAt = earliestMailArrival(delivery)
    return hitVerdictOf(hit, { ...(deliveredAt !== undefined && { deliveredAt }), earlier: [] }).by === 'machine'
  }

  const countMachines = async (delivery: Delivery, kind: 'open' | 'click', at: string): Promise<void> => {
    const subjects = subjectsOf(await attributionOfMail(delivery), delivery)
    await figures.add(quarterHourFigures(figureKeys(subjects, machineMetric[kind]), at))
  }

  const bounceFacts = ({ refusal, reason = refusal }: DeliveryEvent) =>
    reason && { reason: reason.message, status: enhancedStatusIn(reason.message) ?? enhancedStatusIn(reason.name) }

  const eventOf = (
    report: DeliveryEvent,
    delivery: Delivery,
    attribution: StatisticsAttribution,
    now: string,
  ): MailEvent => {
    const { deliveryId, type, seen, name } = report
    const subject = delivery.subject ?? report.subject
    return {
      _id: kinds[type].once ? `${deliveryId}:${type}` : name === undefined ? newId() : `${deliveryId}:${type}:${name}`,
      projectId: delivery.projectId,
      at: now,
      type,
      mail: eventMailOf(delivery, attribution, { subject }),
      ...seen,
      ...(type === 'bounce' && bounceFacts(report)),
    }
  }

  return {
    /**
     * A permanent bounce or complaint suppresses the address first; repetitions count once; tests count in no statistics.
     * @throws Refusal `not-found`
     */
    record: async (report: DeliveryEvent): Promise<void> => {
      const { deliveryId, type, name, transient = false } = report
      const delivery = await deliveryOf(report)
      if (transient) return
      const reportedAt = clock().toISOString()
      const now = pastOr(reportedAt, report.at)
      if (type === 'bounce' || type === 'complaint') {
        await suppress(delivery, type, now)
        await autoRemove(delivery, type)
      } else {
        if (isMachines(report, type, now, delivery)) return countMachines(delivery, type, now)
        await noteEngagement(delivery, type, now)
      }

      const attribution = await attributionOfMail(delivery)
      if (!attribution || attribution.figureSubjects.length === 0) return
      const { mark, always, first } = kinds[type]
      await publish([eventOf(report, delivery, attribution, now)])
      const link = type === 'click' ? await clickedLink(attribution.dispatch.emailId, delivery, report.seen) : undefined
      await deliveries.mark({
        _id: deliveryId,
        mark,
        name: kinds[type].once ? type : name && `${type}:${name}`,
        returned: type === 'bounce' ? report.reason : undefined,
        now,
        reportedAt,
        link: link?.place,
        counted: (times, isNewLink) => [
          ...figureKeys(subjectsOf(attribution, delivery), ...always, ...(times === 1 ? first : [])),
          ...figureKeys(link ? [link.subject] : [], 'clicks', ...(isNewLink ? (['uniqueClicks'] as const) : [])),
        ],
      })
      if (type !== 'bounce' && type !== 'complaint') return
      await restriction.check(delivery.projectId)
      if (delivery.status === 'sending') await restriction.checkSoon(delivery.projectId, deliveryId)
    },

    /**
     * An accepted mail was not sent: it fails and no longer counts as sent. Idempotent.
     * @throws Refusal `not-found`, `unavailable` while it is not known to be sent
     */
    rejected: async ({ error, ...reported }: ProviderDroppedMailReport): Promise<void> => {
      const { deliveryId } = reported
      const delivery = await deliveryOf(reported)
      const { status, sentAt } = delivery
      if (status === 'sending' || status === 'uncertain')
        throw unavailable('The mail is still being sent. Please report it again later.')
      if (status !== 'sent' || sentAt === undefined) return
      const now = clock().toISOString()
      const attribution = await attributionOfMail(delivery)
      const subjects = subjectsOf(attribution, delivery)
      if (attribution && subjects.length > 0)
        await publish([outcomeEvent(delivery, attribution, { type: 'failed', at: now, sentAt, error })])
      await deliveries.reject(deliveryId, error, now, rejectionFigures(subjects, sentAt, now))
    },

    /**
     * An accepted mail whose outcome was unknown counts as sent and is not sent again.
     * @throws Refusal `not-found`, `unavailable` while it is being sent
     */
    sent: async ({ providerMessageId, ...reported }: ProviderAcceptedMail): Promise<void> => {
      const { deliveryId } = reported
      const delivery = await deliveryOf(reported)
      if (delivery.status === 'sending')
        throw unavailable('The mail is still being sent. Please report it again later.')
      if (delivery.status !== 'uncertain') return
      const now = clock().toISOString()
      const attribution = await attributionOfMail(delivery)
      if (attribution && attribution.figureSubjects.length > 0)
        await publish([outcomeEvent(delivery, attribution, { type: 'sent', at: now })])
      await deliveries.report(deliveryId, providerMessageId, now, figureKeys(subjectsOf(attribution, delivery), 'sent'))
      if (delivery.bounced || delivery.complained) await restriction.check(delivery.projectId)
    },
  }
}
