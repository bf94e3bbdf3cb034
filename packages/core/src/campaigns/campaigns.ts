import type { z } from 'zod'
import {
  type EmailReferences,
  emailReferenceTargets,
  emailTemplateRule,
  mergeGivenFields,
} from '../emails/email-resource.js'
import { FindText, ListQueryFields, listRecordsPage } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsedBy } from '../kernel/parsed.js'
import type { NewId } from '../kernel/ports.js'
import { assertBasedOn, projectResource } from '../kernel/project-resource.js'
import type { ReferenceGuard } from '../kernel/references.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound, type Page, type RepositoriesFor, type Where } from '../kernel/repository.js'
import { assertMay, type Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { isTimeZone, sameWallTimeInZone, zonedInstantOf } from '../kernel/zoned-time.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { checkContent } from '../mail/content.js'
import { withMergeTagWarnings } from '../mail/merge-tags.js'
import type { Segment } from '../segments/segment.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import { type Dispatch, subscriberListIdOf } from '../sending/ledger/dispatch.js'
import {
  assertNotDuplicateSchedule,
  assertOpenToChange,
  type Campaign,
  CampaignChanges,
  CampaignFields,
  type CampaignMove,
  CampaignView,
  moveCampaign,
} from './campaign.js'
import { type CampaignControlsDeps, campaignControls, campaignWithLatestRun } from './campaign-controls.js'
import { type CampaignCreditReservations, type CreditReservation, changedMeanwhile } from './held-credit.js'
import type { CampaignRuns } from './runs.js'

type Deps = CampaignControlsDeps & {
  readonly repositories: RepositoriesFor<{
    campaigns: Campaign
    dispatches: Dispatch
    senderIdentities: SenderIdentity
    subscriberLists: SubscriberList
    segments: Segment
  }>
  readonly references: ReferenceGuard
  readonly acceptor: SendAcceptor
  readonly credit: CampaignCreditReservations
  readonly runs: CampaignRuns
  readonly newId: NewId
}

/** `filter[name]` is exact. */
export const CampaignQuery = ListQueryFields.extend({
  find: FindText.describe('Only campaigns whose name contains this text, in lower or upper case'),
})
type CampaignQuery = z.output<typeof CampaignQuery>

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

/** Spec, "Campaigns". */
export const campaignUseCases = (deps: Deps) => {
  const { repositories, references, acceptor, credit, runs, clock, newId } = deps
  const { campaigns, subscriberLists, segments, senderIdentities, dispatches } = repositories
  const runOf = campaignWithLatestRun(repositories)

  const { get, stored, show } = projectResource(campaigns, CampaignView)

  const scheduledInstant = (scheduledTo: string | undefined, timeZone: string): string | undefined => {
    if (!isTimeZone(timeZone)) throw invalid(`timeZone: ${timeZone} is not an IANA time zone`)
    if (scheduledTo === undefined || scheduledTo === '') return undefined
    const instant = zonedInstantOf(scheduledTo, timeZone)
    if (!instant) throw invalid('scheduledTo: expected an ISO 8601 date and time')
    return instant
  }

  /** The wall-clock time stays when the time zone changes. A past run stays the same instant. */
  const keptTime = ({ scheduledTo, timeZone, status }: Campaign, nextZone: string): string | undefined => {
    scheduledInstant(undefined, nextZone)
    return scheduledTo && timeZone !== nextZone && (status === 'draft' || status === 'scheduled')
      ? sameWallTimeInZone(scheduledTo, timeZone, nextZone)
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
    if (subscriberListId) await getOrNotFound(subscriberLists, { _id: subscriberListId, projectId })
    if (segmentId) await getOrNotFound(segments, { _id: segmentId, projectId })
    checkContent(campaign)
    if (senderIdentity) await getOrNotFound(senderIdentities, { _id: senderIdentity, projectId })
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
    if (run && subscriberListIdOf(run.audience) !== subscriberListId)
      throw invalid('unopenedOf: the campaign was sent to another list')
  }

  /** Its own or the project's first; not removable while the schedule is written. */
  const defaultSender = async ({ projectId, status, senderIdentity }: Campaign): Promise<string | undefined> => {
    if (status !== 'scheduled' || senderIdentity) return senderIdentity
    const first = { where: { projectId }, sort: { by: 'position', order: 'asc' }, skip: 0, limit: 1 } as const
    return (await senderIdentities.list(first)).items[0]?._id
  }

  /** While `write` runs, nobody can delete the list, segment or sender that the campaign uses: all of them if it becomes a draft or is scheduled, else those in the request. */
  const using = async <T>(
    campaign: Campaign,
    named: EmailReferences & { readonly status?: string | undefined },
    write: () => Promise<T>,
  ): Promise<T> => {
    const used =
      named.status === 'draft' || named.status === 'scheduled'
        ? { ...campaign, senderIdentity: await defaultSender(campaign) }
        : named
    return references.use(emailReferenceTargets(campaign.projectId, used, repositories), write)
  }

  /**
   * What a sent or archived campaign refers to can be deleted, so that references must still be the checked ones.
   * @throws Refusal `blocked`
   */
  const assertSameReferences = (current: Campaign, before: Campaign): void => {
    if (current.status !== 'sent' && current.status !== 'archive') return
    const isSame = (['subscriberListId', 'segmentId', 'senderIdentity'] as const).every(
      (field) => current[field] === before[field],
    )
    if (!isSame) throw changedMeanwhile()
  }

  /** Checks content, sender and credit, and holds credit for all recipients. */
  const keepCredit = async (campaign: Campaign, before?: Campaign): Promise<CreditReservation> => {
    const { scheduledTo } = campaign
    if (!scheduledTo) throw invalid('Missing required field: scheduledTo')
    const isDue = () => Date.parse(scheduledTo) <= clock().getTime()
    const [sender, reachable] = await Promise.all([acceptor.sender(campaign, isDue()), credit.reachable(campaign)])
    if (isDue()) await acceptor.withinQuota(sender, reachable)
    return credit.keep(campaign, before, sender, reachable)
  }

  /**
   * Stores a campaign. The credit of a schedule is taken before it is stored, and returned if it was not stored, or if it
   * belonged to an earlier schedule.
   */
  const storeWithCredit = async (
    intended: Campaign,
    before: Campaign | undefined,
    store: (withReservation: (campaign: Campaign) => Campaign) => Promise<Campaign>,
  ): Promise<Campaign> => {
    const kept = intended.status === 'scheduled' ? await keepCredit(intended, before) : undefined
    const withReservation = (campaign: Campaign): Campaign => {
      const rest = without(campaign, 'heldDispatchId')
      return kept && campaign.status === 'scheduled' ? { ...rest, heldDispatchId: kept.heldDispatchId } : rest
    }
    const after = await store(withReservation).catch(async (error: unknown) => {
      await kept?.undo()
      throw error
    })
    if (!before) return after
    if (after.status === 'scheduled') await kept?.settle()
    if (after.heldDispatchId !== before.heldDispatchId) await credit.release(before.heldDispatchId)
    return after
  }

  /** Schedules the start; starts a due campaign. */
  const follow = async (campaign: Campaign): Promise<CampaignView> => {
    if (campaign.status === 'scheduled' && Date.parse(campaign.scheduledTo ?? '') <= clock().getTime())
      return show(await runs.start(campaign._id))
    await runs.plan(campaign)
    return show(campaign)
  }

  return {
    list: async ({ projectId }: Scope, query: CampaignQuery): Promise<Page<CampaignView>> => {
      const { items, count } = await listRecordsPage(campaigns, { projectId, ...nameIn(query) }, CampaignView, query)
      return { items: items.map(show), count }
    },

    /** @throws Refusal `not-found` */
    get,

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
      } = await parsedBy(CampaignFields, input, emailTemplateRule())
      assertMaySchedule(scope, status)
      const run = await runBehind(scope, given.unopenedOf)
      const instant = scheduledInstant(scheduledTo, given.timeZone)
      const asked = mergeGivenFields<Campaign>(
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
          ...stamps(clock().toISOString()),
        },
        given,
      )
      const campaign = notBeforeNow(asked)
      assertNarrowed(campaign, run)
      await assertReferences(campaign, given)
      const made = await storeWithCredit(campaign, undefined, async (withReservation) => {
        const reserved = withReservation(campaign)
        await using(reserved, reserved, () => campaigns.add(reserved))
        return reserved
      })
      return withMergeTagWarnings(await follow(made), made)
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
        emailTemplateRule(async () => (await campaigns.get({ _id: id, projectId: scope.projectId }))?.type),
      )
      const scheduledTo = asked === null ? '' : asked
      const before = await stored(scope, id)
      const named = await runBehind(scope, given.unopenedOf)
      const { unopenedRun: knownRun } = before
      const run = named ?? (knownRun === undefined ? undefined : await dispatches.get({ _id: knownRun }))
      const lastRun = before.dispatchId ? await dispatches.get({ _id: before.dispatchId }) : undefined
      /** Runs twice: on the campaign as read, to check it before credit is taken, and in the store on the current one. */
      const changed = (current: Campaign): Campaign => {
        assertMaySchedule(scope, current.status, status)
        assertBasedOn(current, basedOn)
        assertOpenToChange(current, clock())
        credit.assertSame(current, before)
        if (status) assertSameReferences(current, before)
        const merged = mergeGivenFields(current, given)
        const instant =
          scheduledTo === undefined
            ? keptTime(current, merged.timeZone)
            : scheduledInstant(scheduledTo, merged.timeZone)
        if (status === 'scheduled') {
          if (current.dispatchId !== before.dispatchId) throw changedMeanwhile()
          assertNotDuplicateSchedule(current, lastRun?.createdAt, scheduledTo === undefined ? undefined : instant)
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
      const after = await storeWithCredit(intended, before, (withReservation) =>
        using(intended, { ...given, status }, async () =>
          orNotFound(
            campaigns,
            await campaigns.change({ _id: id, projectId: scope.projectId }, (one) => withReservation(changed(one))),
          ),
        ),
      )
      return withMergeTagWarnings(await follow(after), after)
    },

    /**
     * The ledger keeps its runs.
     * @throws Refusal `not-found`, `invalid` within the cut-off
     */
    remove: async (scope: Scope, id: string): Promise<CampaignView> => {
      const campaign = await stored(scope, id)
      assertMaySchedule(scope, campaign.status)
      assertOpenToChange(campaign, clock())
      const removed = await campaigns.remove({ _id: id, projectId: scope.projectId, status: campaign.status })
      if (!removed) throw changedMeanwhile()
      await credit.release(removed.heldDispatchId)
      await runs.plan({ ...removed, status: 'archive' })
      return show(removed)
    },

    ...campaignControls(deps),
  }
}
export type CampaignUseCases = ReturnType<typeof campaignUseCases>
