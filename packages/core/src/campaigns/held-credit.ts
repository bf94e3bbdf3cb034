import { collected } from '../kernel/listing.js'
import type { Runtime } from '../kernel/ports.js'
import { blocked } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import type { Campaign } from './campaign.js'
import { dispatchAudienceOfCampaign } from './runs.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch }>
  readonly acceptor: SendAcceptor
  readonly recipients: AudienceRecipients
}

type Sender = Awaited<ReturnType<SendAcceptor['sender']>>

export type CreditReservation = {
  readonly heldDispatchId: string
  /** The schedule was not stored: restores the earlier credit. */
  readonly undo: () => Promise<void>
  /** The schedule was stored: returns surplus credit. */
  readonly settle: () => Promise<void>
}

export const changedMeanwhile = () => blocked('The campaign has just changed. Please try again.')

/** In ms. Before that, a request may still be storing the schedule. */
const orphanTime = 10 * 60_000

const isSameAudience = (one: Campaign, other: Campaign) =>
  JSON.stringify(dispatchAudienceOfCampaign(one)) === JSON.stringify(dispatchAudienceOfCampaign(other))

/**
 * Credit is taken before a schedule is stored and returned after it is removed (gaps.md, "Credit of a schedule"). After a crash, too much is held,
 * never too little; `sweep` returns it.
 */
export const campaignCreditReservations = ({ repositories, acceptor, recipients, clock, newId }: Deps) => {
  const { campaigns, dispatches } = repositories

  const isAwaited = async (dispatchId: string, campaignId: string): Promise<boolean> => {
    const campaign = await campaigns.get({ _id: campaignId })
    if (campaign?.status === 'scheduled') return campaign.heldDispatchId === dispatchId
    return campaign?.status === 'being-sent' && campaign.dispatchId === dispatchId
  }

  return {
    /** @throws Refusal `blocked` if another request has changed the held credit */
    assertSame: (current: Campaign, before: Campaign): void => {
      if (current.heldDispatchId !== before.heldDispatchId) throw changedMeanwhile()
    },

    /**
     * For all recipients; unchanged for the same audience.
     * @throws Refusal `blocked` if the credit is insufficient; then nothing has changed
     */
    keep: async (
      campaign: Campaign,
      before: Campaign | undefined,
      sender: Sender,
      reachable: number,
    ): Promise<CreditReservation> => {
      const audience = dispatchAudienceOfCampaign(campaign)
      const known = before?.heldDispatchId
      const there = known === undefined ? undefined : await dispatches.get({ _id: known, stage: 'held' })
      const heldDispatchId = there?._id ?? newId()
      const hold = (n: number) =>
        acceptor.hold(sender, { dispatchId: heldDispatchId, emailId: campaign._id, audience, recipients: n })
      if (there && before && isSameAudience(campaign, before))
        return { heldDispatchId, undo: async () => {}, settle: async () => {} }
      await hold(Math.max(reachable, there?.creditsHeld ?? 0))
      return {
        heldDispatchId,
        undo: () => (there ? hold(there.creditsHeld) : acceptor.release(heldDispatchId)),
        settle: () => hold(reachable),
      }
    },

    release: async (dispatchId: string | undefined): Promise<void> => {
      if (dispatchId !== undefined) await acceptor.release(dispatchId)
    },

    /** Returns credit held without a schedule. */
    sweep: async (): Promise<void> => {
      const before = new Date(clock().getTime() - orphanTime).toISOString()
      for (const { _id, emailId, updatedAt } of await collected(dispatches.each({ stage: 'held' })))
        if (updatedAt < before && !(await isAwaited(_id, emailId))) await acceptor.release(_id)
    },

    reachable: async (campaign: Campaign): Promise<number> =>
      (await recipients.count(campaign.projectId, dispatchAudienceOfCampaign(campaign))).reachable,
  }
}
export type CampaignCreditReservations = ReturnType<typeof campaignCreditReservations>
