import { z } from 'zod'
import { type Account, creditCounterKey } from '../accounts/account.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { blocked } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Instant } from '../kernel/shapes.js'
import { creditRefusal } from '../sending/acceptance/quota.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import type { DispatchCompleter } from '../sending/engine/complete.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { deliveryStatuses, exclusionReasons, type RetryChoice } from '../sending/ledger/delivery.js'
import { canMoveDispatch, type Dispatch, isDirectAudience, moveDispatch } from '../sending/ledger/dispatch.js'
import { type Campaign, CampaignView, campaignStatuses, canMoveCampaign, moveCampaign } from './campaign.js'
import { RetryFields } from './retry-preview.js'

export type CampaignControlsDeps = {
  readonly repositories: RepositoriesFor<{ accounts: Account; campaigns: Campaign; dispatches: Dispatch }>
  readonly deliveries: Deliveries
  readonly completion: Pick<DispatchCompleter, 'finishIfDone' | 'stop'>
  readonly recipients: Pick<AudienceRecipients, 'count'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
  readonly wake: () => void
}

/** How far a campaign's last run is: recipients by state, which add up to the audience. */
export const CampaignProgress = z
  .object({
    status: z.enum(campaignStatuses).describe('Of the campaign'),
    errorMessage: z.string().optional().describe('Why it ended in error'),
    waitsFor: z.string().optional().describe('Why sending is waiting; it continues by itself'),
    deliveries: z.record(z.enum(deliveryStatuses), z.int()).describe('Number of recipients by delivery status'),
    excluded: z.partialRecord(z.enum(exclusionReasons), z.int()).describe('Number of excluded recipients by reason'),
    expanding: z.boolean().describe('Whether recipients are still to be added'),
    canContinue: z.boolean().describe('Whether it was stopped and can be continued'),
    recipientsRemovedAt: Instant.optional().describe(
      'When its recipients were deleted; the numbers are from that time',
    ),
  })
  .meta({ id: 'CampaignProgress' })
export type CampaignProgress = z.output<typeof CampaignProgress>

/** Name of the error of recipients who got nothing because a person stopped the campaign. */
export const campaignStoppedErrorName = 'CampaignStopped'

/** Stopped by a person, or because of its channel. */
const isResumable = (dispatch: Dispatch | undefined): dispatch is Dispatch =>
  dispatch?.stage === 'stopped' && dispatch.resumes !== undefined && dispatch.pruned === undefined

/** A campaign and its latest run, which is absent until it is sent. */
export const campaignWithLatestRun =
  ({ campaigns, dispatches }: RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch }>) =>
  async ({ projectId }: Scope, id: string) => {
    const campaign = await getOrNotFound(campaigns, { _id: id, projectId })
    const dispatch = campaign.dispatchId ? await dispatches.get({ _id: campaign.dispatchId }) : undefined
    return { campaign, dispatch }
  }

/** What people see of a campaign that is or was sent, and what they can do about it: stop, continue, retry. */
export const campaignControls = (deps: CampaignControlsDeps) => {
  const { repositories, deliveries, completion, recipients, counters, clock, wake } = deps
  const { campaigns, dispatches, accounts } = repositories
  const runOf = campaignWithLatestRun(repositories)

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
    const from = { key: creditCounterKey(dispatch.accountId), limit: account?.creditGranted ?? 0 }
    const { again, refused } = await deliveries.retryFailed({ dispatchId: dispatch._id, credit: from, ...choice, now })
    if (again === 0 && !refused && isResumable(dispatch)) {
      await dispatches.change({ _id: dispatch._id }, (one) => moveDispatch(one, 'retry', now))
      await completion.finishIfDone(dispatch._id)
    } else if (again === 0) {
      await campaigns.change({ _id, projectId }, (current) =>
        canMoveCampaign(current.status, 'finish')
          ? { ...current, status, ...(errorMessage && { errorMessage }) }
          : current,
      )
      if (refused) throw creditRefusal()
    }
    wake()
    return again
  }

  /** For recipients who are not added yet; without, they would be excluded. @throws Refusal `blocked` */
  const assertCredit = async ({ _id, projectId, accountId, audience, resumes }: Dispatch): Promise<void> => {
    if (resumes !== 'expanding' || isDirectAudience(audience)) return
    const [{ reachable }, { byStatus }, used, account] = await Promise.all([
      recipients.count(projectId, audience),
      deliveries.tally(_id),
      counters.used(creditCounterKey(accountId)),
      accounts.get({ _id: accountId }),
    ])
    const missing = reachable - byStatus.sent - byStatus.queued - byStatus.sending - byStatus.uncertain
    if (used + Math.max(0, missing) > (account?.creditGranted ?? 0)) throw creditRefusal()
  }

  /** What one of the mails was answered, if all that are left were put off. */
  const putOffBy = async ({ _id, stage }: Dispatch): Promise<string | undefined> => {
    if (stage !== 'sending' || (await deliveries.untried(_id))) return undefined
    for await (const { error } of deliveries.each(_id, 'queued')) return error?.message
    return undefined
  }

  return {
    /** @throws Refusal `not-found` */
    progress: async (scope: Scope, id: string): Promise<CampaignProgress> => {
      const { campaign, dispatch } = await runOf(scope, id)
      const { status, errorMessage, dispatchId } = campaign
      const { byStatus, excluded } = dispatch?.pruned?.counts ?? (await deliveries.tally(dispatchId ?? ''))
      const canContinue = status !== 'being-sent' && isResumable(dispatch)
      const expanding = canContinue
        ? dispatch.resumes === 'expanding'
        : status === 'being-sent' && (dispatch === undefined || dispatch.stage === 'expanding')
      const waitsFor =
        status === 'being-sent' && dispatch ? (dispatch.waitsFor ?? (await putOffBy(dispatch))) : undefined
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
      const stage = dispatch?.stage
      if (campaign.status !== 'being-sent' && stage !== 'finishing')
        throw blocked('Only a campaign that is being sent can be stopped.')
      if (!dispatch || !(stage === 'expanding' || stage === 'sending' || stage === 'finishing'))
        throw blocked('The campaign is just starting, stopping or ending. Please try again.')
      const { person } = scope
      const reason = person ? `Stopped by ${person.name}.` : 'Stopped by a request.'
      await completion.stop(dispatch._id, reason, { error: campaignStoppedErrorName })
      return CampaignView.parse((await runOf(scope, id)).campaign)
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
      await retry(campaign, dispatch, stopError?.name === campaignStoppedErrorName ? { reasons: [stopError] } : {})
      return CampaignView.parse((await runOf(scope, id)).campaign)
    },
  }
}
