import type { Contact } from '../../contacts/contact.js'
import { withPendingContactChanges } from '../../contacts/contact-change.js'
import type { CustomField } from '../../contacts/custom-field.js'
import type { ChangesOfAllContacts } from '../../contacts/directory/contact-changes.js'
import { addressKey } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { type Subscriber, subscriberStatusAt } from '../../lists/subscriber.js'
import type { Project } from '../../projects/project.js'
import { type CustomFieldsAndChanges, resolveExclusionSegment, resolveSegment } from '../../segments/conditions.js'
import { matchesSegment } from '../../segments/matches.js'
import type { ResolvedCondition, ResolvedGroups, Segment } from '../../segments/segment.js'
import type { Suppression } from '../../suppressions/suppression.js'
import type { ExclusionReason } from '../ledger/delivery.js'
import type { DirectAudience, DispatchAudience } from '../ledger/dispatch.js'
import type { DispatchResults } from '../ledger/dispatch-results.js'
import {
  type AudienceCount,
  type AudienceQuery,
  type AudienceReader,
  audienceAddressCount,
  audienceAddressPageLookup,
  type DispatchAddressPage,
} from './audience.js'

/** Few fields: one object per mail in flight. */
type Addressed = Pick<Contact, '_id' | 'emailKey' | 'email' | 'name' | 'tags' | 'customFields'>

const addressed = ({ _id, emailKey, email, name, tags, customFields }: Contact): Addressed => ({
  _id,
  emailKey,
  email,
  name,
  tags,
  customFields,
})

export type Recipient = {
  readonly email: string
  readonly contact: Addressed | undefined
  readonly excluded: ExclusionReason | undefined
}

export type CountedRecipients = AudienceCount & {
  readonly excluded?: { readonly email: string; readonly reason: ExclusionReason }[]
  /** Of an `unopened` audience: how many are excluded, by reason. */
  readonly reasons?: Readonly<Partial<Record<ExclusionReason, number>>>
}

export const mostExcludedShown = 100

/** A condition that the counted contacts meet, too. */
type AlsoMet = Pick<ResolvedCondition, 'property' | 'operator'>

const withCondition = (segment: ResolvedGroups = [{ conditions: [] }], also: AlsoMet): ResolvedGroups =>
  segment.map(({ conditions }) => ({ conditions: [...conditions, { category: 'contact-property', ...also }] }))

type ToMany = Exclude<DispatchAudience, DirectAudience>
type Unopened = Extract<ToMany, { kind: 'unopened' }>

/** Mails of the earlier dispatch that are read at once. */
const unopenedPageSize = 500

type Deps = {
  readonly repositories: RepositoriesFor<{
    projects: Project
    segments: Segment
    contacts: Contact
    customFields: CustomField
    subscribers: Subscriber
    suppressions: Suppression
    addressPages: DispatchAddressPage
  }>
  readonly contactChanges: Pick<ChangesOfAllContacts, 'pending'>
  readonly audience: AudienceReader
  readonly dispatchResults: Pick<DispatchResults, 'page'>
  readonly clock: Clock
}

export const audienceRecipients = ({ repositories, contactChanges, audience, dispatchResults, clock }: Deps) => {
  const { contacts, customFields, subscribers, suppressions, projects, segments } = repositories

  const addresses = audienceAddressPageLookup({ repositories })

  const namesOf = async (projectId: string): Promise<CustomFieldsAndChanges> => ({
    fields: await collected(customFields.each({ projectId })),
    changes: await contactChanges.pending(projectId),
  })

  const settledOf = async (projectId: string, found: readonly Contact[]): Promise<readonly Contact[]> => {
    const changes = await contactChanges.pending(projectId)
    return found.map((contact) => withPendingContactChanges(contact, changes))
  }

  const suppressedOf = async (projectId: string, emailKey: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await collected(suppressions.each({ projectId, emailKey }))).map((one) => one.emailKey))

  const unengagedOf = async (projectId: string, { excludeUnengaged }: ToMany) => {
    const groups = excludeUnengaged
      ? (await projects.get({ _id: projectId }))?.unengagedContactSegment.groups
      : undefined
    return groups && resolveExclusionSegment(groups, await namesOf(projectId))
  }

  const questionOf = async (
    projectId: string,
    list: Extract<ToMany, { kind: 'list' }>,
    also?: AlsoMet,
  ): Promise<AudienceQuery> => {
    const stored = list.segmentId ? (await segments.get({ _id: list.segmentId, projectId }))?.groups : undefined
    if (list.segmentId && !stored) throw blocked('The segment that narrows the list is gone.')
    const resolved = stored && resolveSegment(stored, await namesOf(projectId))
    const segment = also ? withCondition(resolved, also) : resolved
    const unengaged = await unengagedOf(projectId, list)
    return {
      projectId,
      subscriberListId: list.subscriberListId,
      now: clock().toISOString(),
      ...(segment && { segment }),
      ...(unengaged && { unengaged }),
    }
  }

  const membershipsOf = async (subscriberListId: string, contactIds: readonly string[]) => {
    const now = clock().toISOString()
    return new Map(
      (await collected(subscribers.each({ subscriberListId, contactId: contactIds }))).map((one) => [
        one.contactId,
        subscriberStatusAt(one, now),
      ]),
    )
  }

  const standing = {
    active: undefined,
    paused: 'paused',
    unsubscribed: 'unsubscribed',
    unverified: 'unverified',
  } as const satisfies Record<string, ExclusionReason | undefined>

  const membersOf = async (
    projectId: string,
    subscriberListId: string,
    contactIds: readonly string[],
  ): Promise<readonly { readonly contact: Contact; readonly excluded: ExclusionReason | undefined }[]> => {
    const found = await settledOf(projectId, await collected(contacts.each({ _id: contactIds, projectId })))
    const [memberships, suppressed] = await Promise.all([
      membershipsOf(subscriberListId, contactIds),
      suppressedOf(
        projectId,
        found.map((one) => one.emailKey),
      ),
    ])
    return found.map((contact) => {
      const status = memberships.get(contact._id)
      const excluded = suppressed.has(contact.emailKey) ? 'suppressed' : status ? standing[status] : 'unsubscribed'
      return { contact, excluded }
    })
  }

  /** With the current list status, checked again right before sending. */
  const ofContacts = async (
    projectId: string,
    subscriberListId: string,
    contactIds: readonly string[],
  ): Promise<ReadonlyMap<string, Recipient>> =>
    new Map(
      (await membersOf(projectId, subscriberListId, contactIds)).map(({ contact, excluded }) => [
        contact._id,
        { email: contact.email, contact: addressed(contact), excluded },
      ]),
    )

  const isUnengaged = (contact: Contact, unengaged: AudienceQuery['unengaged']): boolean =>
    unengaged !== undefined && matchesSegment(unengaged, contact, clock())

  const ofAddresses = async (
    projectId: string,
    emails: readonly string[],
    subscriberListId?: string,
    unengaged?: AudienceQuery['unengaged'],
  ): Promise<readonly Recipient[]> => {
    const keys = emails.map(addressKey)
    const stored = await collected(contacts.each({ projectId, emailKey: keys }))
    const found = new Map((await settledOf(projectId, stored)).map((one) => [one.emailKey, one]))
    const ids = [...found.values()].map((one) => one._id)
    const [memberships, suppressed] = await Promise.all([
      subscriberListId ? membershipsOf(subscriberListId, ids) : undefined,
      suppressedOf(projectId, keys),
    ])
    return emails.map((email, place) => {
      const key = keys[place] ?? ''
      const contact = found.get(key)
      const status = contact && memberships?.get(contact._id)
      const excluded = suppressed.has(key)
        ? 'suppressed'
        : !memberships
          ? undefined
          : status
            ? standing[status]
            : 'not-subscribed'
      if (!contact) return { email, contact, excluded }
      const reason = excluded ?? (isUnengaged(contact, unengaged) ? 'unengaged' : undefined)
      return { email, contact: addressed(contact), excluded: reason }
    })
  }

  const pageOfAddresses = async (projectId: string, target: Extract<ToMany, { kind: 'addresses' }>, from: number) => {
    const unengaged = await unengagedOf(projectId, target)
    const emails = await addresses(projectId, target, from)
    const found = await ofAddresses(projectId, emails, target.subscriberListId, unengaged)
    return found.map((one) => ({ ...one, email: one.contact?.email ?? one.email }))
  }

  /** Opens and clicks of machines are not in the marks, so contacts for whom only a machine opened are included. */
  const unopenedPage = async (projectId: string, target: Unopened, after: string | undefined) => {
    const { dispatchId, subscriberListId } = target
    const mails = await dispatchResults.page({ dispatchId, status: ['sent'] }, after, unopenedPageSize)
    const ids = mails.flatMap(({ opens = 0, clicks = 0, contactId }) => (opens + clicks === 0 ? (contactId ?? []) : []))
    const unengaged = await unengagedOf(projectId, target)
    const members = (await membersOf(projectId, subscriberListId, ids)).map(({ contact, excluded }) => ({
      contact,
      excluded: excluded ?? (isUnengaged(contact, unengaged) ? ('unengaged' as const) : undefined),
    }))
    return { members, cursor: mails.at(-1)?._id ?? after ?? '', last: mails.length < unopenedPageSize }
  }

  const countUnopened = async (projectId: string, target: Unopened, also?: AlsoMet): Promise<CountedRecipients> => {
    const reasons: Partial<Record<ExclusionReason, number>> = {}
    let [total, reachable] = [0, 0]
    for (let after: string | undefined; ; ) {
      const { members, cursor, last } = await unopenedPage(projectId, target, after)
      for (const { contact, excluded } of members) {
        if (also && !matchesSegment(withCondition(undefined, also), contact, clock())) continue
        total += 1
        if (excluded) reasons[excluded] = (reasons[excluded] ?? 0) + 1
        else reachable += 1
      }
      if (last) return { total, reachable, reasons }
      after = cursor
    }
  }

  return {
    ofContacts,
    ofAddresses,

    /** `also` is not for addresses. */
    count: async (projectId: string, target: ToMany, also?: AlsoMet): Promise<CountedRecipients> => {
      if (target.kind === 'list') return audience.count(await questionOf(projectId, target, also))
      if (target.kind === 'unopened') return countUnopened(projectId, target, also)
      let reachable = 0
      const excluded: { email: string; reason: ExclusionReason }[] = []
      for (let from = 0; from < audienceAddressCount(target); ) {
        const page = await pageOfAddresses(projectId, target, from)
        for (const { email, excluded: reason } of page) {
          if (!reason) reachable += 1
          else if (excluded.length < mostExcludedShown) excluded.push({ email, reason })
        }
        from += page.length
      }
      return { total: audienceAddressCount(target), reachable, excluded }
    },

    /** `last`: no page follows. */
    page: async (
      projectId: string,
      target: ToMany,
      after: string | undefined,
    ): Promise<{ recipients: readonly Recipient[]; cursor: string; last: boolean }> => {
      if (target.kind === 'addresses') {
        const from = Number(after ?? 0)
        const page = await pageOfAddresses(projectId, target, from)
        const next = from + page.length
        return { recipients: page, cursor: String(next), last: next >= audienceAddressCount(target) }
      }
      if (target.kind === 'unopened') {
        const { members, cursor, last } = await unopenedPage(projectId, target, after)
        const page = members.map(({ contact, excluded }): Recipient => {
          return { email: contact.email, contact: addressed(contact), excluded }
        })
        return { recipients: page, cursor, last }
      }
      const question = await questionOf(projectId, target)
      const found = await settledOf(projectId, await audience.page(question, after, audience.pageSize))
      const suppressed = await suppressedOf(
        projectId,
        found.map((one) => one.emailKey),
      )
      const excludedOf = (contact: Contact): ExclusionReason | undefined => {
        if (suppressed.has(contact.emailKey)) return 'suppressed'
        return isUnengaged(contact, question.unengaged) ? 'unengaged' : undefined
      }
      const page = found.map(
        (contact): Recipient => ({ email: contact.email, contact: addressed(contact), excluded: excludedOf(contact) }),
      )
      return { recipients: page, cursor: found.at(-1)?._id ?? after ?? '', last: found.length < audience.pageSize }
    },
  }
}
export type AudienceRecipients = ReturnType<typeof audienceRecipients>
