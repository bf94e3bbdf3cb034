import { type Account, creditCounterKey } from '../accounts/account.js'
import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import type { Clock } from '../kernel/ports.js'
import { ifRefused } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import { creditRefusal } from '../sending/acceptance/quota.js'
import type { DispatchCompleter } from '../sending/engine/complete.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { type Dispatch, moveDispatch } from '../sending/ledger/dispatch.js'
import { type Campaign, canMoveCampaign, moveCampaign } from './campaign.js'
import { campaignStoppedErrorName } from './campaign-controls.js'
import type { CampaignUseCases } from './campaigns.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ accounts: Account; campaigns: Campaign; dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'retryFailed'>
  readonly acceptor: Pick<SendAcceptor, 'release'>
  readonly completion: Pick<DispatchCompleter, 'finishIfDone' | 'stop'>
  readonly campaignUseCases: Pick<CampaignUseCases, 'resume' | 'update'>
  readonly clock: Clock
}

/** Marks what a restore held back: `release` continues nothing else. */
const heldBackMessage = 'Held back after a restore, as it may have been sent since the backup.'

/** `refused`: with the reason of each; they stay held back. */
export type ReleasedSends = {
  readonly campaigns: number
  readonly sends: number
  readonly refused: readonly { readonly campaignId: string; readonly reason: string }[]
}

/** How many are held back after a restore. */
export type HeldSendCounts = { readonly campaigns: number; readonly sends: number }

type HeldIn = RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch }>

/** Campaigns and sends to lists that a restore held back and that are still held. Excludes mails to single addresses. */
export const heldSendCountsIn = async ({ campaigns, dispatches }: HeldIn): Promise<HeldSendCounts> => {
  const held = new Set<string>()
  let sends = 0
  for await (const { _id, errorMessage } of campaigns.each({ status: 'error' }))
    if (errorMessage === heldBackMessage) held.add(_id)
  for await (const { _id, kind, emailId, stopError } of dispatches.each({ stage: 'stopped' })) {
    if (stopError?.message !== heldBackMessage) continue
    const campaign = kind === 'campaign' ? await campaigns.get({ _id: emailId }) : undefined
    if (campaign?.dispatchId === _id) held.add(campaign._id)
    else sends += 1
  }
  return { campaigns: held.size, sends }
}

/** Sends of a store that was restored from a backup. Holding them back needs a store that no process sends from. */
export const restoredSends = ({ repositories, deliveries, acceptor, completion, campaignUseCases, clock }: Deps) => {
  const { accounts, campaigns, dispatches } = repositories
  const iso = () => clock().toISOString()

  const holdCampaign = async (id: string, isHeld: (campaign: Campaign) => boolean): Promise<boolean> => {
    let credit: string | undefined
    let isMine = false
    await campaigns.change({ _id: id }, (current) => {
      isMine = canMoveCampaign(current.status, 'fail') && isHeld(current)
      if (!isMine) return current
      credit = current.heldDispatchId ?? current.dispatchId
      const failed = without(moveCampaign(current, 'fail', iso()), 'heldDispatchId')
      return { ...failed, errorMessage: heldBackMessage }
    })
    if (isMine && credit !== undefined) await acceptor.release(credit)
    return isMine
  }

  const isUnderWay = async ({ dispatchId }: Campaign): Promise<boolean> => {
    const stage = dispatchId === undefined ? undefined : (await dispatches.get({ _id: dispatchId }))?.stage
    return stage !== undefined && stage !== 'held'
  }

  /** @throws Refusal `blocked` without credit */
  const releaseDispatch = async ({ _id: dispatchId, accountId, stopError }: Dispatch): Promise<void> => {
    const now = iso()
    const limit = (await accounts.get({ _id: accountId }))?.creditGranted ?? 0
    const credit = { key: creditCounterKey(accountId), limit }
    const reasons = stopError ? [stopError] : []
    const { again, refused } = await deliveries.retryFailed({ dispatchId, credit, reasons, now })
    if (refused) throw creditRefusal()
    if (again > 0) return
    await dispatches.change({ _id: dispatchId }, (one) => moveDispatch(one, 'retry', now))
    await completion.finishIfDone(dispatchId)
  }

  const scopeOf = ({ projectId }: { readonly projectId: string }): Scope => ({ projectId, caller: 'operator' })

  return {
    /** Stops what was under way, and campaigns that were due until then. Returns the number of campaigns and of other sends. */
    hold: async (until: string): Promise<HeldSendCounts> => {
      const held = new Set<string>()
      let sends = 0
      const open = await collected(dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }))
      for (const { _id, kind, emailId } of open) {
        await completion.stop(_id, heldBackMessage, { error: campaignStoppedErrorName })
        if (kind === 'campaign') held.add(emailId)
        else sends += 1
      }
      for (const campaign of await collected(campaigns.each({ status: ['scheduled', 'being-sent'] }))) {
        if (campaign.status === 'being-sent' && (await isUnderWay(campaign))) continue
        const isHeld = ({ status, scheduledTo = '' }: Campaign) => status === 'being-sent' || scheduledTo <= until
        if (await holdCampaign(campaign._id, isHeld)) held.add(campaign._id)
      }
      return { campaigns: held.size, sends }
    },

    /** Continues what `hold` stopped, and starts what was due; with new credit. May be repeated. */
    release: async (): Promise<ReleasedSends> => {
      const refused: { campaignId: string; reason: string }[] = []
      const released = new Set<string>()
      let sends = 0
      const attempt = (campaignId: string, run: () => Promise<unknown>): Promise<boolean> =>
        run().then(
          () => true,
          ifRefused(({ message: reason }) => {
            refused.push({ campaignId, reason })
            return false
          }),
        )
      for (const dispatch of await collected(dispatches.each({ stage: 'stopped' }))) {
        if (dispatch.stopError?.message !== heldBackMessage) continue
        const campaign = dispatch.kind === 'campaign' ? await campaigns.get({ _id: dispatch.emailId }) : undefined
        if (campaign?.dispatchId === dispatch._id) {
          if (await attempt(campaign._id, () => campaignUseCases.resume(scopeOf(campaign), campaign._id)))
            released.add(campaign._id)
        } else if (await attempt(dispatch.emailId, () => releaseDispatch(dispatch))) sends += 1
      }
      const tried = new Set(refused.map(({ campaignId }) => campaignId))
      for (const campaign of await collected(campaigns.each({ status: 'error' }))) {
        const { _id, errorMessage, scheduledTo = '' } = campaign
        if (errorMessage !== heldBackMessage || tried.has(_id)) continue
        const now = iso()
        const again = { status: 'scheduled', scheduledTo: scheduledTo > now ? scheduledTo : now } as const
        if (await attempt(_id, () => campaignUseCases.update(scopeOf(campaign), _id, again))) released.add(_id)
      }
      return { campaigns: released.size, sends, refused }
    },
  }
}
