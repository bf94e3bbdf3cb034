import { z } from 'zod'
import type { CustomField } from '../contacts/custom-field.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { ifRefused } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Count } from '../kernel/shapes.js'
import type { MembershipStore } from '../lists/membership-store.js'
import { variablesAndComponentsIn } from '../mail/merge-tags.js'
import { isBuiltInProperty } from '../segments/matches.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import { type ExclusionReason, exclusionReasons } from '../sending/ledger/delivery.js'
import type { Campaign } from './campaign.js'
import { dispatchAudienceOfCampaign } from './runs.js'

/** What sending the campaign now would do. Parts are counted one after the other: a busy list may change in between. */
export const AudiencePreview = z
  .object({
    subscribers: Count.describe(
      'Of the list, in any status, or of those who did not open; the sum of the three that follow',
    ),
    recipients: Count.describe('Contacts who would get the mail'),
    outsideSegment: Count.describe('Active subscribers whom the segment does not contain'),
    excluded: z.partialRecord(z.enum(exclusionReasons), Count).describe('Contacts who would be excluded, by reason'),
    limits: z
      .array(
        z.object({
          name: z
            .enum(['credit', 'sandbox-day', 'month'])
            .describe('Credit of the account, or mails per UTC day or month'),
          left: Count.optional().describe('Mails that may still be sent; absent if unlimited'),
        }),
      )
      .describe('What the recipients are charged to'),
    emptyTags: z
      .array(
        z.object({
          tag: z.string().describe('Such as contact.city'),
          recipients: Count.describe('Recipients without a value'),
        }),
      )
      .describe(
        'Merge tags of the contact, and how many recipients have no value for them: all for a field that does not exist',
      ),
    problem: z.string().optional().describe('Why the campaign cannot be sent; absent if it can'),
  })
  .meta({ id: 'AudiencePreview' })
export type AudiencePreview = z.output<typeof AudiencePreview>

const previewedReasons = [
  'suppressed',
  'unengaged',
  'unsubscribed',
  'paused',
  'unverified',
] as const satisfies readonly ExclusionReason[]

export const ExcludedPreviewQuery = z.strictObject({
  reason: z
    .enum(previewedReasons)
    .default('suppressed')
    .describe(
      'Unsubscribed, paused and unverified ones only with `unopenedOf`, else they are in the list of subscribers',
    ),
  after: z.string().max(100).optional().describe('`next` of the page before'),
})

export const ExcludedPreviewPage = z.object({
  emails: z.array(z.string()).describe('Addresses, in the order of the list'),
  next: z.string().optional().describe('Absent on the last page; a page may be empty and have a next'),
})
export type ExcludedPreviewPage = z.output<typeof ExcludedPreviewPage>

type Deps = {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; customFields: CustomField }>
  readonly recipients: AudienceRecipients
  readonly acceptor: Pick<SendAcceptor, 'sender' | 'quotas'>
  readonly membershipStore: Pick<MembershipStore, 'tally'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
}

/** More merge tags of one email are not counted: each is a query over the list. */
const mostTags = 20
/** Contacts that one request for excluded addresses looks at. */
const mostLookedAt = 10_000
const mostEmails = 100

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** A dry run of a campaign: who would get it, who would not and why, and what it would cost. */
export const audiencePreviews = ({ repositories, recipients, acceptor, membershipStore, counters, clock }: Deps) => {
  const { campaigns, customFields } = repositories

  /** What subject, preview text and document name of the contact, but for the address, which everybody has, and tags. */
  const propertiesIn = async ({ projectId, subject, previewText, document }: Campaign) => {
    const { usedVariables } = variablesAndComponentsIn([subject, previewText, document])
    const fields = new Set((await collected(customFields.each({ projectId }))).map(({ name }) => name))
    return usedVariables
      .flatMap((path) => (path.startsWith('contact.') ? [path.slice('contact.'.length)] : []))
      .filter((name) => name === 'name' || !(isBuiltInProperty(name) || name === 'tags' || name.startsWith('tags.')))
      .slice(0, mostTags)
      .map((property) => ({ property, isKnown: property === 'name' || fields.has(property) }))
  }

  const senderOf = (campaign: Campaign) =>
    acceptor.sender(campaign).then(
      (sender) => ({ sender, problem: undefined }),
      ifRefused(({ message: problem }) => ({ sender: undefined, problem })),
    )

  type Parts = Pick<AudiencePreview, 'subscribers' | 'recipients' | 'outsideSegment' | 'excluded'>

  const partsOf = async (
    { projectId, subscriberListId }: Campaign,
    audience: ReturnType<typeof dispatchAudienceOfCampaign>,
  ): Promise<Parts> => {
    if (audience.kind === 'unopened') {
      const { total, reachable, reasons = {} } = await recipients.count(projectId, audience)
      return { subscribers: total, recipients: reachable, outsideSegment: 0, excluded: { ...reasons } }
    }
    const { segmentId: _, ...list } = audience
    const [byStatus, onList, inSegment, reached] = await Promise.all([
      membershipStore.tally(subscriberListId, clock().toISOString()),
      recipients.count(projectId, { ...list, excludeUnengaged: false }),
      recipients.count(projectId, { ...audience, excludeUnengaged: false }),
      recipients.count(projectId, audience),
    ])
    const { active: __, ...otherStatuses } = byStatus
    const excluded: Parts['excluded'] = {
      ...otherStatuses,
      suppressed: Math.max(0, inSegment.total - inSegment.reachable),
      unengaged: Math.max(0, inSegment.reachable - reached.reachable),
    }
    const outsideSegment = Math.max(0, onList.total - inSegment.total)
    const subscribers = reached.reachable + outsideSegment + sum(Object.values(excluded))
    return { subscribers, recipients: reached.reachable, outsideSegment, excluded }
  }

  return {
    /** @throws Refusal `not-found` */
    audience: async ({ projectId }: Scope, id: string): Promise<AudiencePreview> => {
      const campaign = await getOrNotFound(campaigns, { _id: id, projectId })
      const audience = dispatchAudienceOfCampaign(campaign)
      const [parts, { sender, problem }, properties] = await Promise.all([
        partsOf(campaign, audience),
        senderOf(campaign),
        propertiesIn(campaign),
      ])
      const emptyTags: AudiencePreview['emptyTags'] = []
      for (const { property, isKnown } of properties) {
        const empty = { property, operator: 'is-empty' } as const
        const lacking = isKnown ? (await recipients.count(projectId, audience, empty)).reachable : parts.recipients
        emptyTags.push({ tag: `contact.${property}`, recipients: lacking })
      }
      const quotas = sender ? acceptor.quotas(sender, parts.recipients) : []
      const limits: AudiencePreview['limits'] = []
      for (const { key, name, limit } of quotas) {
        const left = limit === undefined ? undefined : Math.max(0, limit - (await counters.used(key)))
        limits.push({ name, ...(left !== undefined && { left }) })
      }
      return AudiencePreview.parse({
        ...parts,
        excluded: Object.fromEntries(Object.entries(parts.excluded).filter(([, n]) => n > 0)),
        limits,
        emptyTags,
        ...(problem !== undefined && { problem }),
      })
    },

    /** Addresses of those excluded for the reason, in the order of the list. @throws Refusal `not-found`, `invalid` */
    excluded: async (
      { projectId }: Scope,
      id: string,
      query: z.input<typeof ExcludedPreviewQuery>,
    ): Promise<ExcludedPreviewPage> => {
      const { reason, after } = parsed(ExcludedPreviewQuery, query)
      const audience = dispatchAudienceOfCampaign(await getOrNotFound(campaigns, { _id: id, projectId }))
      const emails: string[] = []
      let cursor = after
      for (let seen = 0; seen < mostLookedAt && emails.length < mostEmails; ) {
        const page = await recipients.page(projectId, audience, cursor)
        emails.push(...page.recipients.filter((one) => one.excluded === reason).map((one) => one.email))
        if (page.last) return { emails }
        cursor = page.cursor
        seen += page.recipients.length
      }
      return { emails, ...(cursor !== undefined && { next: cursor }) }
    },
  }
}
