import { without } from '../kernel/merged.js'
import { blocked, invalid } from '../kernel/refusal.js'
import type { Campaign, CampaignStatus } from './campaign.js'

const atRest = ['draft', 'archive', 'scheduled', 'sent', 'error'] as const

/** The status moves of a campaign (spec, "Campaign status"). Clients make the first three, the engine the others. */
export const campaignMoves = {
  draft: { from: atRest, to: 'draft' },
  archive: { from: atRest, to: 'archive' },
  schedule: { from: atRest, to: 'scheduled' },
  start: { from: ['scheduled'], to: 'being-sent' },
  finish: { from: ['being-sent'], to: 'sent' },
  fail: { from: ['scheduled', 'being-sent'], to: 'error' },
  retry: { from: ['sent', 'error'], to: 'being-sent' },
} as const satisfies Record<string, { from: readonly CampaignStatus[]; to: CampaignStatus }>
export type CampaignMove = keyof typeof campaignMoves

export const canMove = (status: CampaignStatus, move: CampaignMove): boolean =>
  (campaignMoves[move].from as readonly CampaignStatus[]).includes(status)

/** The campaign after the move, without an earlier error. @throws Refusal `blocked` if the table does not allow the move */
export const moveCampaign = (campaign: Campaign, move: CampaignMove, now: string): Campaign => {
  if (!canMove(campaign.status, move))
    throw blocked(`A campaign in status ${campaign.status} cannot become ${campaignMoves[move].to}.`)
  return { ...(without(campaign, 'errorMessage') as Campaign), status: campaignMoves[move].to, updatedAt: now }
}

const cutOff = 6 * 60_000

/**
 * Refuses changes while the campaign is being sent, and from 6 minutes before its time (spec: the message says 5 minutes, the cut-off is
 * 6).
 * @throws Refusal `invalid`
 */
export const assertOpenToChange = ({ status, scheduledTo }: Campaign, now: Date): void => {
  const imminent =
    status === 'scheduled' && scheduledTo !== undefined && Date.parse(scheduledTo) - cutOff <= now.getTime()
  if (imminent || status === 'being-sent')
    throw invalid('A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.')
}

/**
 * Detects a repeated schedule request whose first response was lost. To send a sent campaign again, the request must name a time after the
 * last run began (gaps.md, "Emails"). Drafts are exempt, because making a draft shows the intent to send again.
 * @throws Refusal `invalid`
 */
export const assertMeantAgain = (
  { status }: Campaign,
  lastRunAt: string | undefined,
  scheduledTo: string | undefined,
): void => {
  if (lastRunAt === undefined || status === 'draft' || status === 'scheduled') return
  if (scheduledTo === undefined || scheduledTo <= lastRunAt)
    throw invalid(
      `scheduledTo: the campaign was sent; to send it again, give a time after ${lastRunAt}, when that began`,
    )
}
