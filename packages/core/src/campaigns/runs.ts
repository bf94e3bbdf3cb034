import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import type { Runtime } from '../kernel/ports.js'
import { Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import { type Dispatch, type DispatchAudience, longestLateness } from '../sending/ledger/dispatch.js'
import { type Campaign, canMoveCampaign, moveCampaign } from './campaign.js'

type Deps = Pick<Runtime, 'jobs' | 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch }>
  readonly acceptor: SendAcceptor
  readonly recipients: AudienceRecipients
  /** Agrees with the store's clock. */
  readonly isClockRight: () => Promise<boolean>
}

export const dispatchAudienceOfCampaign = ({
  subscriberListId,
  segmentId,
  unopenedRun,
  excludeUnengaged,
}: Campaign): Extract<DispatchAudience, { kind: 'list' | 'unopened' }> =>
  unopenedRun === undefined
    ? { kind: 'list', subscriberListId, excludeUnengaged, ...(segmentId && { segmentId }) }
    : { kind: 'unopened', subscriberListId, excludeUnengaged, dispatchId: unopenedRun }

const startJob = 'start-campaign'

/** Starts campaigns once, and ends them. Every step can be repeated after a crash. */
export const campaignRunner = ({
  repositories: { campaigns, dispatches },
  acceptor,
  recipients,
  jobs,
  clock,
  newId,
  log,
  isClockRight,
}: Deps) => {
  const iso = () => clock().toISOString()

  /** A late failure of an earlier run must not fail the current one. */
  const fail = async (id: string, dispatchId: string | undefined, errorMessage: string) => {
    log('warn', 'A campaign ended in error', { campaignId: id, reason: errorMessage })
    const failed = await campaigns.change({ _id: id }, (campaign) =>
      campaign.dispatchId === dispatchId && canMoveCampaign(campaign.status, 'fail')
        ? { ...moveCampaign(campaign, 'fail', iso()), errorMessage }
        : campaign,
    )
    if (dispatchId !== undefined) await acceptor.release(dispatchId)
    return failed
  }

  const finish = (id: string, isMine: (campaign: Campaign) => boolean) =>
    campaigns.change({ _id: id }, (campaign) =>
      isMine(campaign) && canMoveCampaign(campaign.status, 'finish')
        ? moveCampaign(campaign, 'finish', iso())
        : campaign,
    )

  /** Idempotent. */
  const begin = async (campaign: Campaign): Promise<Campaign | undefined> => {
    if (!campaign.dispatchId) return fail(campaign._id, undefined, 'The campaign has no run.')
    const audience = dispatchAudienceOfCampaign(campaign)
    try {
      await acceptor.accept({
        dispatchId: campaign.dispatchId,
        kind: 'campaign',
        email: campaign,
        audience,
        recipients: recipients.count(campaign.projectId, audience).then(({ reachable }) => reachable),
      })
    } catch (error) {
      if (error instanceof Refusal) return fail(campaign._id, campaign.dispatchId, error.message)
      throw error
    }
    return campaign
  }

  /** If due; one of several concurrent callers starts it. A process with a wrong clock leaves it to the next sweep. */
  const start = async (id: string): Promise<Campaign | undefined> => {
    if (!(await isClockRight())) return campaigns.get({ _id: id })
    const now = clock()
    const held = (await campaigns.get({ _id: id }))?.heldDispatchId
    const dispatchId = held ?? newId()
    let isMine = false
    const isDue = ({ status, scheduledTo }: Campaign) =>
      status === 'scheduled' && scheduledTo !== undefined && Date.parse(scheduledTo) <= now.getTime()
    const campaign = await campaigns.change({ _id: id }, (current) => {
      isMine = isDue(current) && current.heldDispatchId === held
      if (!isMine) return current
      const started = without(moveCampaign(current, 'start', now.toISOString()), 'heldDispatchId')
      return { ...started, dispatchId }
    })
    if (!campaign || !isMine) return campaign
    if (now.getTime() - Date.parse(campaign.scheduledTo ?? '') > longestLateness)
      return fail(
        id,
        dispatchId,
        `The campaign was due at ${campaign.scheduledTo} and could not be started within 6 hours.`,
      )
    return begin(campaign)
  }

  jobs.handle(startJob, async ({ campaignId = '' }) => {
    await start(campaignId)
  })

  return {
    start,

    /** Schedules or cancels the start job. */
    plan: async ({ _id, status, scheduledTo }: Campaign): Promise<void> => {
      const key = `${startJob}:${_id}`
      if (status === 'scheduled' && scheduledTo)
        await jobs.at(new Date(scheduledTo), key, { name: startJob, data: { campaignId: _id } })
      else await jobs.cancel(key)
    },

    ended: async (dispatch: Dispatch, errorMessage: string | undefined): Promise<void> => {
      if (dispatch.kind !== 'campaign') return
      if (errorMessage) await fail(dispatch.emailId, dispatch._id, errorMessage)
      else await finish(dispatch.emailId, ({ dispatchId }) => dispatchId === dispatch._id)
    },

    sweep: async (): Promise<void> => {
      for (const { _id, scheduledTo } of await collected(campaigns.each({ status: 'scheduled' })))
        if (scheduledTo && scheduledTo <= iso()) await start(_id)
      for (const campaign of await collected(campaigns.each({ status: 'being-sent' }))) {
        const dispatch = campaign.dispatchId ? await dispatches.get({ _id: campaign.dispatchId }) : undefined
        if (!dispatch || dispatch.stage === 'held') await begin(campaign)
        else if (dispatch.stage === 'finished' || dispatch.stage === 'finishing') await finish(campaign._id, () => true)
        else if (dispatch.stage === 'stopped')
          await fail(campaign._id, dispatch._id, dispatch.errorMessage ?? 'The sending was stopped.')
      }
    },
  }
}
export type CampaignRuns = ReturnType<typeof campaignRunner>
