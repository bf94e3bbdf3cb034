import type { StoredEmail } from '../emails/email-content.js'

export const campaignStatuses = ['draft', 'archive', 'scheduled', 'being-sent', 'sent', 'error'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Spec, "Campaign". */
export type Campaign = StoredEmail & {
  readonly status: CampaignStatus
  /** IANA name; reads a `scheduledTo` that has no offset of its own. */
  readonly timeZone: string
  readonly subscriberListId: string
  readonly segmentId?: string
  readonly excludeUnengaged: boolean
  readonly scheduledTo?: string
  readonly errorMessage?: string
  /** The run that is under way, or the last one. */
  readonly dispatchId?: string
}
