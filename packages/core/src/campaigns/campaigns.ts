import { z } from 'zod'
import { type Account, creditKey } from '../accounts/account.js'
import { emailTargets, mergeGiven, type NamedByEmail, templatesFit } from '../emails/email-resource.js'
import { ListQueryFields, listPage } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed, parsedBy } from '../kernel/parsed.js'
import type { Clock, Counters, NewId } from '../kernel/ports.js'
import type { References } from '../kernel/references.js'
import { blocked, invalid } from '../kernel/refusal.js'
import type { Page, RepositoriesFor, Where } from '../kernel/repository.js'
import { found, foundIn } from '../kernel/repository.js'
import { assertMay, type Scope } from '../kernel/scope.js'
import { Instant, stamps } from '../kernel/shapes.js'
import { instantOf, isTimeZone, sameWallTime } from '../kernel/zoned-time.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { checkContent } from '../mail/content.js'
import { withWarnings } from '../mail/merge-tags.js'
import type { Segment } from '../segments/segment.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { Acceptor } from '../sending/acceptance/acceptance.js'
import type { Recipients } from '../sending/audience/recipients.js'
import type { Completion } from '../sending/engine/complete.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { deliveryStatuses, exclusionReasons, type RetryChoice } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import { canMoveDispatch, isDirect, listIdOf, moveDispatch } from '../sending/ledger/dispatch.js'
import {
  assertBasedOn,
  assertMeantAgain,
  assertOpenToChange,
  type Campaign,
  CampaignChanges,
  CampaignFields,
  type CampaignMove,
  CampaignView,
  campaignStatuses,
  canMove,
  moveCampaign,
} from './campaign.js'
import type { CreditReservations, Kept } from './held-credit.js'
import { RetryFields } from './retry-preview.js'
import type { CampaignRuns } from './runs.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    campaigns: Campaign
    dispatches: Dispatch
    senderIdentities: SenderIdentity
    subscriberLists: SubscriberList
    segments: Segment
  }>
  readonly references: References
  readonly deliveries: Deliveries
  readonly acceptor: Acceptor
  readonly completion: Pick<Completion, 'finishIfDone' | 'stop'>
  readonly recipients: Pick<Recipients, 'count'>
  readonly counters: Pick<Counters, 'used'>
  readonly credit: CreditReservations
  readonly runs: CampaignRuns
  readonly clock: Clock
  readonly newId: NewId
  readonly wake: () => void
}

/** `filter[name]` is exact. */
export const CampaignQuery = ListQueryFields.extend({
  find: z
    .string('expected a single value')
    .trim()
    .max(200, 'expected at most 200 characters')
    .optional()
    .meta({ description: 'Only campaigns whose name contains this text, in lower or upper case' }),
})
type CampaignQuery = z.output<typeof CampaignQuery>

/** How far a campaign's last run is: recipients by state, which add up to the audience. */
export const CampaignProgress = z
  .object({
    status: z.enum(campaignStatuses).meta({ description: 'Of the campaign' }),
    errorMessage: z.string().optional().meta({ description: 'Why it ended in error' }),
    waitsFor: z.string().optional().meta({ description: 'Why sending is waiting; it continues by itself' }),
    deliveries: z
      .record(z.enum(deliveryStatuses), z.int())
      .meta({ description: 'Number of recipients by delivery status' }),
    excluded: z
      .partialRecord(z.enum(exclusionReasons), z.int())
      .meta({ description: 'Number of excluded recipients by reason' }),
    expanding: z.boolean().meta({ description: 'Whether recipients are still to be added' }),
    canContinue: z.boolean().meta({ description: 'Whether it was stopped and can be continued' }),
    recipientsRemovedAt: Instant.optional().meta({
      description: 'When its recipients were deleted; the numbers are from that time',
    }),
  })
  .meta({ id: 'CampaignProgress' })
export type CampaignProgress = z.output<typeof CampaignProgress>

/** Name of the error of recipients who got nothing because a person stopped the campaign. */
export const campaignStopped = 'CampaignStopped'

const moveOf = { draft: 'draft', archive: 'archive', scheduled: 'schedule' } as const satisfies Record<
  string,
  CampaignMove
>

/** A person who may not send neither schedules a campaign nor changes a scheduled one. @throws Refusal `forbidden` */
const assertMaySchedule = (scope: Scope, ...statuses: readonly (string | undefined)[]): void => {
  if (statuses.includes('scheduled')) assertMay(scope, 'emails.send')
}

/** A field takes one condition, and `find` and `filter[name]` may both be given. */
const nameIn = ({ find, filter: { name } = {} }: CampaignQuery): Where<Campaign> => {
  if (!find) return {}
  if (name === undefined) return { name: { containing: find } }
  return name.toLowerCase().includes(find.toLowerCase()) ? {} : { name: [] }
}

/** Stopped by a person, or because of its channel. */
const isResumable = (dispatch: Dispatch | undefined): dispatch is Dispatch =>
  dispatch?.stage === 'stopped' && dispatch.resumes !== undefined && dispatch.pruned === undefined

/** Spec, "Campaigns". */
export const campaignUseCases = (deps: Deps) => {
  const { repositories, references, deliveries, acceptor, completion, recipients, counters, credit } = deps
  const { runs, clock, newId, wake } = deps
  const { campaigns, subscriberLists, segments, senderIdentities, dispatches, accounts } = repositories

  const view = (campaign: Campaign | undefined): CampaignView => CampaignView.parse(found(campaigns, campaign))

  const campaignOf = ({ projectId }: Scope, id: string): Promise<Campaign> => foundIn(campaigns, { _id: id, projectId })

  const scheduledInstant = (scheduledTo: string | undefined, timeZone: string): string | undefined => {
    if (!isTimeZone(timeZone)) throw invalid(`timeZone: ${timeZone} is not an IANA time zone`)
    if (scheduledTo === undefined || scheduledTo === '') return undefined
    const instant = instantOf(scheduledTo, timeZone)
    if (!instant) throw invalid('scheduledTo: expected an ISO 8601 date and time')
    return instant
  }

  /** The wall-clock time stays when the time zone changes. A past run stays the same instant. */
  const keptTime = ({ scheduledTo, timeZone, status }: Campaign, nextZone: string): string | undefined => {
    scheduledInstant(undefined, nextZone)
    return scheduledTo && timeZone !== nextZone && (status === 'draft' || status === 'scheduled')
      ? sameWallTime(scheduledTo, timeZone, nextZone)
      : scheduledTo
  }

  /** A past time means now: only a time that passed while scheduled makes a campaign late. */
  const notBeforeNow = (campaign: Campaign): Campaign => {
    const now = clock().toISOString()
    return campaign.status === 'scheduled' && campaign.scheduledTo !== undefined && campaign.scheduledTo < now
      ? { ...campaign, scheduledTo: now }
      : campaign
  }

  /** References that the request names; all if the campaign becomes scheduled. Others may be deleted (gaps.md section 6). */
  const assertReferences = async (campaign: Campaign, named: CampaignChanges): Promise<void> => {
    const { projectId } = campaign
    const { subscriberListId, segmentId, senderIdentity } = campaign.status === 'scheduled' ? campaign : named
    if (subscriberListId) await foundIn(subscriberLists, { _id: subscriberListId, projectId })
    if (segmentId) await foundIn(segments, { _id: segmentId, projectId })
    checkContent(campaign)
    if (senderIdentity) await foundIn(senderIdentities, { _id: senderIdentity, projectId })
  }

  /**
   * The last dispatch of the campaign that `unopenedOf` names.
   * @throws Refusal `invalid`, `not-found`, `blocked`
   */
  const runBehind = async (scope: Scope, unopenedOf: string | null | undefined): Promise<Dispatch | undefined> => {
    if (!unopenedOf) return undefined
    const { dispatch } = await runOf(scope, unopenedOf)
    if (!dispatch || dispatch.stage === 'held') throw invalid('unopenedOf: the campaign has not been sent')
    if (dispatch.pruned) throw blocked('The recipients of that campaign have been removed.')
    return dispatch
  }

  /** @throws Refusal `invalid` */
  const assertNarrowed = ({ subscriberListId, segmentId, unopenedOf }: Campaign, run: Dispatch | undefined): void => {
    if (unopenedOf !== undefined && segmentId !== undefined) throw invalid('unopenedOf: not possible with a segment')
    if (run && listIdOf(run.audience) !== subscriberListId)
      throw invalid('unopenedOf: the campaign was sent to another list')
  }

  /** Its own or the project's first; not removable while the schedule is written. */
  const defaultSender = async ({ projectId, status, senderIdentity }: Campaign): Promise<string | undefined> => {
    if (status !== 'scheduled' || senderIdentity) return senderIdentity
    const first = { where: { projectId }, sort: { by: 'position', order: 'asc' }, skip: 0, limit: 1 } as const
    return (await senderIdentities.list(first)).items[0]?._id
  }

  /** Writes while the references cannot be removed: all if the request makes it draft or scheduled, else the named ones. */
  const using = async <T>(
    campaign: Campaign,
    named: NamedByEmail & { readonly status?: string | undefined },
    write: () => Promise<T>,
  ): Promise<T> => {
    const used =
      named.status === 'draft' || named.status === 'scheduled'
        ? { ...campaign, senderIdentity: await defaultSender(campaign) }
        : named
    return references.use(emailTargets(campaign.projectId, used, repositories), write)
  }

  /**
   * Only the checked references are protected from removal.
   * @throws Refusal `blocked`
   */
  const assertSameReferences = (current: Campaign, before: Campaign): void => {
    if (current.status !== 'sent' && current.status !== 'archive') return
    const isSame = (['subscriberListId', 'segmentId', 'senderIdentity'] as const).every(
      (field) => current[field] === before[field],
    )
    if (!isSame) throw blocked('The campaign has just changed. Please try again.')
  }

  /** Checks content, sender and credit, and holds credit for all recipients. */
  const keepCredit = async (campaign: Campaign, before?: Campaign): Promise<Kept> => {
    const { scheduledTo } = campaign
    if (!scheduledTo) throw invalid('Missing required field: scheduledTo')
    const isDue = () => Date.parse(scheduledTo) <= clock().getTime()
    const [sender, reachable] = await Promise.all([acceptor.sender(campaign, isDue()), credit.reachable(campaign)])
    if (isDue()) await acceptor.withinQuota(sender, reachable)
    return credit.keep(campaign, before, sender, reachable)
  }

  const stored = async <T>(kept: Kept | undefined, store: () => Promise<T>): Promise<T> => {
    try {
      return await store()
    } catch (error) {
      await kept?.undo()
      throw error
    }
  }

  const withHeld = (campaign: Campaign, kept: Kept | undefined): Campaign => {
    const rest = without(campaign, 'heldDispatchId') as Campaign
    return kept && campaign.status === 'scheduled' ? { ...rest, heldDispatchId: kept.heldDispatchId } : rest
  }

  /** Schedules the start; starts a due campaign. */
  const follow = async (campaign: Campaign): Promise<CampaignView> => {
    if (campaign.status === 'scheduled' && Date.parse(campaign.scheduledTo ?? '') <= clock().getTime())
      return view(await runs.start(campaign._id))
    await runs.plan(campaign)
    return view(campaign)
  }

  const runOf = async (scope: Scope, id: string) => {
    const campaign = await campaignOf(scope, id)
    const dispatch = campaign.dispatchId ? await dispatches.get({ _id: campaign.dispatchId }) : undefined
    return { campaign, dispatch }
  }

  /** Queues failed mails, and resumes a stopped run. @throws Refusal `blocked`; then nothing has changed */
  const retry = async (
    { _id, projectId, status, errorMessage }: Campaign,
    dispatch: Dispatch,
    choice: RetryChoice = {},
  ): Promise<number> => {
    const now = clock().toISOString()
    await campaigns.change({ _id, projectId }, (current) => {
      if (current.status === 'being-sent') throw blocked('The campaign is being sent. Retry when it has ended.')
      return moveCampaign(current, 'retry', now)
    })
    const account = await accounts.get({ _id: dispatch.accountId })
    const from = { key: creditKey(dispatch.accountId), limit: account?.creditGranted ?? 0 }
    const { again, refused } = await deliveries.retryFailed({ dispatchId: dispatch._id, credit: from, ...choice, now })
    if (again === 0 && !refused && isResumable(dispatch)) {
      await dispatches.change({ _id: dispatch._id }, (one) => moveDispatch(one, 'retry', now))
      await completion.finishIfDone(dispatch._id)
    } else if (again === 0) {
      await campaigns.change({ _id, projectId }, (current) =>
        canMove(current.status, 'finish') ? { ...current, status, ...(errorMessage && { errorMessage }) } : current,
      )
      if (refused) throw blocked('Insufficient credits available')
    }
    wake()
    return again
  }

  /** For recipients who are not added yet; without, they would be excluded. @throws Refusal `blocked` */
  const assertCredit = async ({ _id, projectId, accountId, audience, resumes }: Dispatch): Promise<void> => {
    if (resumes !== 'expanding' || isDirect(audience)) return
    const [{ reachable }, { byStatus }, used, account] = await Promise.all([
      recipients.count(projectId, audience),
      deliveries.tally(_id),
      counters.used(creditKey(accountId)),
      accounts.get({ _id: accountId }),
    ])
    const missing = reachable - byStatus.sent - byStatus.queued - byStatus.sending - byStatus.uncertain
    if (used + Math.max(0, missing) > (account?.creditGranted ?? 0)) throw blocked('Insufficient credits available')
  }

  return {
    list: async ({ projectId }: Scope, query: CampaignQuery): Promise<Page<CampaignView>> => {
      const { items, count } = await listPage(campaigns, { projectId, ...nameIn(query) }, CampaignView, query)
      return { items: items.map(view), count }
    },

    get: async (scope: Scope, id: string): Promise<CampaignView> => view(await campaignOf(scope, id)),

    /**
     * A scheduled one with a past time starts now.
     * @throws Refusal `invalid`, `not-found`, `blocked`; then nothing is stored
     */
    create: async (scope: Scope, input: CampaignFields): Promise<CampaignView> => {
      const { projectId, requestId } = scope
      const {
        status,
        scheduledTo,
        type = 'visual',
        feeds = [],
        ...given
      } = await parsedBy(CampaignFields, input, templatesFit())
      assertMaySchedule(scope, status)
      const now = clock().toISOString()
      const run = await runBehind(scope, given.unopenedOf)
      const instant = scheduledInstant(scheduledTo, given.timeZone)
      const asked = mergeGiven<Campaign>(
        {
          _id: requestId ?? newId(),
          projectId,
          name: given.name,
          subject: given.subject,
          timeZone: given.timeZone,
          subscriberListId: given.subscriberListId,
          excludeUnengaged: given.excludeUnengaged,
          type,
          feeds,
          status,
          ...(instant && { scheduledTo: instant }),
          ...(run && { unopenedRun: run._id }),
          ...(scope.person && { updatedBy: scope.person.name }),
          ...stamps(now),
        },
        given,
      )
      const campaign = notBeforeNow(asked)
      assertNarrowed(campaign, run)
      await assertReferences(campaign, given)
      const kept = status === 'scheduled' ? await keepCredit(campaign) : undefined
      const made = withHeld(campaign, kept)
      await stored(kept, () => using(made, made, () => campaigns.add(made)))
      return withWarnings(await follow(made), made)
    },

    /** Merges the given fields. @throws Refusal `invalid` (also within the cut-off), `not-found`, `blocked`; then nothing has changed */
    update: async (scope: Scope, id: string, input: CampaignChanges): Promise<CampaignView> => {
      const {
        status,
        scheduledTo: asked,
        basedOn,
        ...given
      } = await parsedBy(
        CampaignChanges,
        input,
        templatesFit(async () => (await campaigns.get({ _id: id, projectId: scope.projectId }))?.type),
      )
      const scheduledTo = asked === null ? '' : asked
      const before = await campaignOf(scope, id)
      const named = await runBehind(scope, given.unopenedOf)
      const { unopenedRun: knownRun } = before
      const run = named ?? (knownRun === undefined ? undefined : await dispatches.get({ _id: knownRun }))
      const lastRun = before.dispatchId ? await dispatches.get({ _id: before.dispatchId }) : undefined
      const changed = (current: Campaign): Campaign => {
        assertMaySchedule(scope, current.status, status)
        assertBasedOn(current, basedOn)
        assertOpenToChange(current, clock())
        credit.assertSame(current, before)
        if (status) assertSameReferences(current, before)
        const merged = mergeGiven(current, given)
        const instant =
          scheduledTo === undefined
            ? keptTime(current, merged.timeZone)
            : scheduledInstant(scheduledTo, merged.timeZone)
        if (status === 'scheduled') {
          if (current.dispatchId !== before.dispatchId)
            throw blocked('The campaign has just changed. Please try again.')
          assertMeantAgain(current, lastRun?.createdAt, scheduledTo === undefined ? undefined : instant)
        }
        const { scheduledTo: _, updatedBy: __, unopenedRun: currentRun, ...rest } = merged
        const unopenedRun = named?._id ?? currentRun
        const next: Campaign = {
          ...rest,
          ...(rest.unopenedOf !== undefined && unopenedRun !== undefined && { unopenedRun }),
          ...(instant && { scheduledTo: instant }),
          ...(scope.person && { updatedBy: scope.person.name }),
          updatedAt: clock().toISOString(),
        }
        assertNarrowed(next, next.unopenedRun === run?._id ? run : undefined)
        const moved = status ? moveCampaign(next, moveOf[status], next.updatedAt) : next
        return status || instant !== current.scheduledTo ? notBeforeNow(moved) : moved
      }
      const intended = changed(before)
      await assertReferences(intended, given)
      const kept = intended.status === 'scheduled' ? await keepCredit(intended, before) : undefined
      const write = async () =>
        found(
          campaigns,
          await campaigns.change({ _id: id, projectId: scope.projectId }, (one) => withHeld(changed(one), kept)),
        )
      const after = await stored(kept, () => using(intended, { ...given, status }, write))
      if (kept && after.status === 'scheduled') await kept.settle()
      if (after.heldDispatchId !== before.heldDispatchId) await credit.release(before.heldDispatchId)
      return withWarnings(await follow(after), after)
    },

    /**
     * The ledger keeps its runs.
     * @throws Refusal `not-found`, `invalid` within the cut-off
     */
    remove: async (scope: Scope, id: string): Promise<CampaignView> => {
      const campaign = await campaignOf(scope, id)
      assertMaySchedule(scope, campaign.status)
      assertOpenToChange(campaign, clock())
      const removed = await campaigns.remove({ _id: id, projectId: scope.projectId, status: campaign.status })
      if (!removed) throw blocked('The campaign has just changed. Please try again.')
      await credit.release(removed.heldDispatchId)
      await runs.plan({ ...removed, status: 'archive' })
      return view(removed)
    },

    /** @throws Refusal `not-found` */
    progress: async (scope: Scope, id: string): Promise<CampaignProgress> => {
      const { status, errorMessage, dispatchId } = await campaignOf(scope, id)
      const dispatch = dispatchId ? await dispatches.get({ _id: dispatchId }) : undefined
      const { byStatus, excluded } = dispatch?.pruned?.counts ?? (await deliveries.tally(dispatchId ?? ''))
      const canContinue = status !== 'being-sent' && isResumable(dispatch)
      const expanding = canContinue
        ? dispatch.resumes === 'expanding'
        : status === 'being-sent' && (dispatch === undefined || dispatch.stage === 'expanding')
      const waitsFor = status === 'being-sent' ? dispatch?.waitsFor : undefined
      const recipientsRemovedAt = dispatch?.pruned?.at
      return CampaignProgress.parse({
        ...{ status, errorMessage, waitsFor, excluded, expanding, canContinue, recipientsRemovedAt },
        deliveries: byStatus,
      })
    },

    /**
     * Resends the latest run's failed mails for new credit; returns their number. A run stopped because of its channel also continues.
     * @throws Refusal `invalid`, `not-found`, `blocked`
     */
    retryFailed: async (scope: Scope, id: string, input: RetryFields = {}): Promise<number> => {
      const choice = parsed(RetryFields, input)
      const { campaign, dispatch } = await runOf(scope, id)
      if (!dispatch || !canMoveDispatch(dispatch, 'retry'))
        throw blocked('Failed mails can be retried only after the sending of the campaign has ended.')
      if (Object.keys(choice).length > 0 && isResumable(dispatch))
        throw blocked('The campaign is stopped. Continue it first; then failed mails can be retried by reason.')
      const again = await retry(campaign, dispatch, choice)
      if (again === 0 && choice.deliveryId !== undefined)
        throw blocked('This mail did not fail in the latest run of the campaign, so it is not sent again.')
      return again
    },

    /**
     * Mails in transfer are finished; nobody else gets one until the campaign is continued.
     * @throws Refusal `not-found`, `blocked`
     */
    stop: async (scope: Scope, id: string): Promise<CampaignView> => {
      const { campaign, dispatch } = await runOf(scope, id)
      if (campaign.status !== 'being-sent') throw blocked('Only a campaign that is being sent can be stopped.')
      if (dispatch?.stage !== 'expanding' && dispatch?.stage !== 'sending')
        throw blocked('The campaign is just starting, stopping or ending. Please try again.')
      const { person } = scope
      const reason = person ? `Stopped by ${person.name}.` : 'Stopped by a request.'
      await completion.stop(dispatch._id, reason, { error: campaignStopped })
      return view(await campaignOf(scope, id))
    },

    /**
     * Sends to those who got nothing because the campaign was stopped, for new credit.
     * @throws Refusal `not-found`, `blocked`
     */
    resume: async (scope: Scope, id: string): Promise<CampaignView> => {
      const { campaign, dispatch } = await runOf(scope, id)
      if (!isResumable(dispatch)) throw blocked('Only a campaign that was stopped can be continued.')
      const { stopError } = dispatch
      await assertCredit(dispatch)
      await retry(campaign, dispatch, stopError?.name === campaignStopped ? { reasons: [stopError] } : {})
      return view(await campaignOf(scope, id))
    },
  }
}
export type CampaignUseCases = ReturnType<typeof campaignUseCases>
