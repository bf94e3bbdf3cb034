import { z } from 'zod'
import { EmailView, emailContentShape, type StoredEmail } from '../emails/email-content.js'
import { changesOf } from '../kernel/merged.js'
import { Id, Instant } from '../kernel/shapes.js'
import { instantOf, isTimeZone } from '../kernel/zoned-time.js'

export const campaignStatuses = ['draft', 'archive', 'scheduled', 'being-sent', 'sent', 'error'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

const askable = z.enum(['draft', 'archive', 'scheduled'])

/** Spec, "Campaign". */
export const CampaignFields = z
  .strictObject({
    ...emailContentShape,
    excludeUnengaged: z
      .boolean()
      .default(false)
      .meta({ description: 'Leaves out contacts in the project’s unengagedContactSegment' }),
    status: askable.default('draft').meta({
      description: '`scheduled` sends it at `scheduledTo`, which it then needs, and at once where that is past',
    }),
    timeZone: z
      .string()
      .refine(isTimeZone, { error: ({ input }) => `${String(input)} is not an IANA time zone` })
      .meta({ description: 'IANA time zone; reads a scheduledTo without an offset', example: 'Europe/Vienna' }),
    subscriberListId: Id,
    segmentId: z.string().optional().meta({ description: 'Narrows the list; an empty string removes it' }),
    scheduledTo: z
      .string()
      .refine((text) => instantOf(text, 'UTC') !== undefined, 'expected an ISO 8601 date and time')
      .optional()
      .meta({
        description: 'When to send; needed by the status `scheduled`; now, where it is past',
        example: '2026-12-24T18:00:00',
      }),
  })
  .meta({ id: 'CampaignFields' })
export type CampaignFields = z.input<typeof CampaignFields>

export const CampaignChanges = changesOf(CampaignFields)
export type CampaignChanges = z.input<typeof CampaignChanges>

/** A campaign in responses (spec, "Campaigns"). */
export const CampaignView = EmailView.extend({
  excludeUnengaged: z.boolean().meta({ description: 'Whether the project’s unengaged contacts are left out' }),
  status: z.enum(campaignStatuses).meta({ description: 'Where the campaign stands' }),
  timeZone: z.string().meta({ description: 'IANA zone of a `scheduledTo` without an offset' }),
  subscriberListId: Id,
  segmentId: Id.optional(),
  scheduledTo: Instant.optional(),
  errorMessage: z.string().optional().meta({ description: 'Why its status is error' }),
}).meta({ id: 'Campaign', description: 'An email to a subscriber list, at once or at a time' })
export type CampaignView = z.output<typeof CampaignView>

export type Campaign = StoredEmail & {
  readonly status: CampaignStatus
  readonly timeZone: string
  readonly subscriberListId: string
  readonly segmentId?: string
  readonly excludeUnengaged: boolean
  readonly scheduledTo?: string
  readonly errorMessage?: string
  /** While scheduled: the dispatch that holds the campaign's credit and becomes its run. */
  readonly heldDispatchId?: string
  /** The current or last run. */
  readonly dispatchId?: string
}
