import { z } from 'zod'
import { blocked } from '../kernel/refusal.js'
import { Count, Id, type InProject, Instant, recordView, WebUrl } from '../kernel/shapes.js'

export const limitIncreaseStatuses = ['pending', 'approved', 'declined'] as const
export type LimitIncreaseStatus = (typeof limitIncreaseStatuses)[number]

/** The operator makes both moves. */
export const limitIncreaseMoves = {
  approve: { from: ['pending'], to: 'approved' },
  decline: { from: ['pending'], to: 'declined' },
} as const satisfies Record<string, { from: readonly LimitIncreaseStatus[]; to: LimitIncreaseStatus }>
export type LimitIncreaseMove = keyof typeof limitIncreaseMoves

/** Spec, "Limits". */
export const LimitIncreaseFields = z
  .strictObject({
    monthlyLimit: Count.describe('Mails per month, more than now; 0 = unlimited'),
    reason: z.string().trim().min(10).max(5000).describe('At least 10 characters'),
  })
  .meta({ id: 'LimitIncreaseFields', description: 'A request for a higher monthly limit' })
export type LimitIncreaseFields = z.input<typeof LimitIncreaseFields>

/** gaps.md, "Production access". */
export const LimitIncrease = z
  .object({
    requestedLimit: Count.describe('Mails per month; 0 = unlimited'),
    approvedLimit: Count.optional().describe('The approved limit, which may be lower; 0 = unlimited'),
    reason: z.string().describe('As the project gave it'),
    status: z.enum(limitIncreaseStatuses).describe('What became of it'),
    answer: z.string().optional().describe('What the operator wrote about the decision'),
    createdAt: Instant,
  })
  .meta({ id: 'LimitIncrease', description: 'A request for a higher monthly limit, and its outcome' })
export type LimitIncrease = z.output<typeof LimitIncrease>

const canMoveIncrease = (status: LimitIncreaseStatus, move: LimitIncreaseMove): boolean =>
  (limitIncreaseMoves[move].from as readonly LimitIncreaseStatus[]).includes(status)

export const pendingLimitIncrease = (increases: readonly LimitIncrease[]): LimitIncrease | undefined =>
  increases.find(({ status }) => status === 'pending')

/** `approvedLimit` and `answer` are the operator's. @throws Refusal `blocked` if the move is not allowed */
export const decideLimitIncrease = (
  increases: readonly LimitIncrease[],
  move: LimitIncreaseMove,
  decision: { readonly approvedLimit?: number; readonly answer?: string | undefined } = {},
): readonly LimitIncrease[] => {
  const newest = increases.at(-1)
  if (!newest || !canMoveIncrease(newest.status, move)) throw blocked('There is no limit increase to review.')
  return [...increases.slice(0, -1), { ...newest, status: limitIncreaseMoves[move].to, ...decision }]
}

export const declinePendingIncrease = (increases: readonly LimitIncrease[]): readonly LimitIncrease[] =>
  pendingLimitIncrease(increases) ? decideLimitIncrease(increases, 'decline') : increases

export const accessRequestStatuses = ['none', 'pending', 'approved', 'declined', 'revoked'] as const
/** `none` is never stored. */
export type AccessRequestStatus = (typeof accessRequestStatuses)[number]

/** Spec, "Production-access request status"; gaps.md, "Production access". The project makes the first two moves. */
export const accessRequestMoves = {
  apply: { from: ['none'], to: 'pending' },
  applyAgain: { from: ['declined', 'revoked'], to: 'pending' },
  approve: { from: ['none', 'pending', 'declined', 'revoked'], to: 'approved' },
  decline: { from: ['pending'], to: 'declined' },
  revoke: { from: ['approved'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly AccessRequestStatus[]; to: Exclude<AccessRequestStatus, 'none'> }>
export type AccessRequestMove = keyof typeof accessRequestMoves

export const canMoveAccessRequest = (status: AccessRequestStatus, move: AccessRequestMove): boolean =>
  (accessRequestMoves[move].from as readonly AccessRequestStatus[]).includes(status)

/** @throws Refusal `blocked` if the table does not allow the move */
export const accessRequestStatusAfter = <M extends AccessRequestMove>(
  status: AccessRequestStatus,
  move: M,
): (typeof accessRequestMoves)[M]['to'] => {
  const { to } = accessRequestMoves[move]
  if (!canMoveAccessRequest(status, move))
    throw blocked(
      status === 'none'
        ? `The project has not asked for production access, so that cannot be ${to}.`
        : `The production access is ${status}, so it cannot be ${to}.`,
    )
  return to
}

const answer = (description: string) => z.string().trim().min(1).max(5000).describe(description)

/** Without a scheme: `shop.example.com:8080/about`. */
const startsWithHost = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\.?(?::\d+)?(?:[/?#]|$)/u

export const AccessApplication = z
  .strictObject({
    volume: z.int().min(1).describe('Expected mails per month'),
    whyBluefox: answer('Why this service'),
    typeOfEmails: answer('What kinds of mail are to be sent'),
    contactsSource: answer('Where the contacts come from'),
    productDescription: answer('What the product is'),
    website: z
      .string()
      .trim()
      .max(2000)
      .overwrite((text) => (startsWithHost.test(text) ? `https://${text}` : text))
      .refine((text) => WebUrl.safeParse(text).success, 'expected an http or https URL')
      .describe('An http or https URL; without a scheme, https is meant'),
  })
  .meta({ id: 'AccessApplication', description: 'An application for production access' })
export type AccessApplication = z.input<typeof AccessApplication>

const monthlyLimit = Count.describe('Mails per month; 0 = unlimited')

export const DeclineFields = z.strictObject({
  answer: z.string().trim().max(5000).optional().describe('For the applicant to read'),
})
export type DeclineFields = z.input<typeof DeclineFields>
/** By default the requested limit. */
export const ApprovalFields = DeclineFields.extend({ monthlyLimit: monthlyLimit.optional() })
export type ApprovalFields = z.input<typeof ApprovalFields>
export const MonthlyLimitFields = z.strictObject({ monthlyLimit })
export type MonthlyLimitFields = z.input<typeof MonthlyLimitFields>

/** One per project; applying again replaces it. */
export type AccessRequest = InProject & {
  readonly status: Exclude<AccessRequestStatus, 'none'>
  /** Absent if approved without a request. */
  readonly application?: z.output<typeof AccessApplication>
  /** What the operator wrote about the last decision, if anything. */
  readonly answer?: string
  /** Newest last; at most one is pending. */
  readonly limitIncreases: readonly LimitIncrease[]
}

export const AccessApplicationReceipt = z
  .object({ _id: Id, status: z.literal('pending').describe('It waits for its review') })
  .meta({ id: 'AppliedForAccess', description: 'A request that is now waiting for its review' })
export type AccessApplicationReceipt = z.output<typeof AccessApplicationReceipt>

export const AccessRequestView = recordView({
  projectId: Id,
  status: z.enum(accessRequestStatuses),
  application: AccessApplication.optional(),
  answer: z.string().optional(),
  limitIncreases: z.array(LimitIncrease),
})
export type AccessRequestView = z.output<typeof AccessRequestView>
