import { z } from 'zod'
import { without } from '../kernel/merged.js'
import { versionedChangesSchemaOf } from '../kernel/project-resource.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { Id, Instant } from '../kernel/shapes.js'
import { isTimeZone, zonedInstantOf } from '../kernel/zoned-time.js'
import { type EmailRecord, ListEmailView, listEmailShape } from '../mail/content.js'

export const campaignStatuses = ['draft', 'archive', 'scheduled', 'being-sent', 'sent', 'error'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

const askable = z.enum(['draft', 'archive', 'scheduled'])

/** Spec, "Campaign". */
export const CampaignFields = z
  .strictObject({
    ...listEmailShape,
    status: askable
      .default('draft')
      .describe('`scheduled` sends it at `scheduledTo`, which is then required; a past time means now'),
    timeZone: z
      .string()
      .refine(isTimeZone, { error: ({ input }) => `${String(input)} is not an IANA time zone` })
      .meta({ description: 'IANA time zone; reads a scheduledTo without an offset', example: 'Europe/Vienna' }),
    subscriberListId: Id,
    segmentId: z.string().optional().describe('Narrows the list; an empty string removes it'),
    unopenedOf: z
      .string()
      .optional()
      .describe(
        'Id of a campaign that was sent to the list: only its recipients who neither opened nor clicked get this one. Not with a segment; an empty string removes it',
      ),
    scheduledTo: z
      .string()
      .refine((text) => zonedInstantOf(text, 'UTC') !== undefined, 'expected an ISO 8601 date and time')
      .optional()
      .meta({
        description: 'When to send; required for the status `scheduled`; a past time means now',
        example: '2026-12-24T18:00:00',
      }),
  })
  .meta({ id: 'CampaignFields' })
export type CampaignFields = z.input<typeof CampaignFields>

export const CampaignChanges = versionedChangesSchemaOf(CampaignFields)
export type CampaignChanges = z.input<typeof CampaignChanges>

/** A campaign in responses (spec, "Campaigns"). */
export const CampaignView = ListEmailView.extend({
  status: z.enum(campaignStatuses).describe('Status of the campaign'),
  timeZone: z.string().describe('IANA zone of a `scheduledTo` without an offset'),
  subscriberListId: Id,
  segmentId: Id.optional(),
  unopenedOf: Id.optional(),
  scheduledTo: Instant.optional(),
  updatedBy: z.string().optional().describe('Person who changed it last; absent for a key'),
  errorMessage: z.string().optional().describe('Why the campaign failed'),
}).meta({ id: 'Campaign', description: 'An email to a subscriber list, sent now or at a given time' })
export type CampaignView = z.output<typeof CampaignView>

export type Campaign = EmailRecord & {
  readonly status: CampaignStatus
  readonly timeZone: string
  readonly subscriberListId: string
  readonly segmentId?: string
  readonly unopenedOf?: string
  /** With `unopenedOf`: the last dispatch of that campaign when this one was narrowed to it. */
  readonly unopenedRun?: string
  readonly updatedBy?: string
  readonly excludeUnengaged: boolean
  readonly scheduledTo?: string
  readonly errorMessage?: string
  /** While scheduled: the dispatch that holds the credit and becomes the run. */
  readonly heldDispatchId?: string
  /** Current or last run. */
  readonly dispatchId?: string
}

const atRest = ['draft', 'archive', 'scheduled', 'sent', 'error'] as const

/** Spec, "Campaign status". Clients make the first three moves, the engine the others. */
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

export const canMoveCampaign = (status: CampaignStatus, move: CampaignMove): boolean =>
  (campaignMoves[move].from as readonly CampaignStatus[]).includes(status)

/**
 * Clears an earlier error.
 * @throws Refusal `blocked` if the table does not allow the move
 */
export const moveCampaign = (campaign: Campaign, move: CampaignMove, now: string): Campaign => {
  if (!canMoveCampaign(campaign.status, move))
    throw blocked(`A campaign in status ${campaign.status} cannot become ${campaignMoves[move].to}.`)
  return { ...without(campaign, 'errorMessage'), status: campaignMoves[move].to, updatedAt: now }
}

const cutOff = 6 * 60_000

/**
 * Refuses changes while sending, and from 6 minutes before the start (spec: the message says 5).
 * @throws Refusal `invalid`
 */
export const assertOpenToChange = ({ status, scheduledTo }: Campaign, now: Date): void => {
  const imminent =
    status === 'scheduled' && scheduledTo !== undefined && Date.parse(scheduledTo) - cutOff <= now.getTime()
  if (imminent || status === 'being-sent')
    throw invalid('A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.')
}

/**
 * Detects a repeated schedule request whose first response was lost: sending a sent campaign again needs a time after the last run began (gaps.md,
 * "Emails").
 * @throws Refusal `invalid`
 */
export const assertNotDuplicateSchedule = (
  { status }: Campaign,
  lastRunAt: string | undefined,
  scheduledTo: string | undefined,
): void => {
  if (lastRunAt === undefined || status === 'draft' || status === 'scheduled') return
  if (scheduledTo === undefined || scheduledTo <= lastRunAt)
    throw invalid(`scheduledTo: the campaign was last sent at ${lastRunAt}; to send it again, give a later time`)
}
