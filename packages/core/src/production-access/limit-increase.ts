import { z } from 'zod'
import { blocked } from '../kernel/refusal.js'
import { Instant } from '../kernel/shapes.js'

export const increaseStatuses = ['pending', 'approved', 'declined'] as const
export type IncreaseStatus = (typeof increaseStatuses)[number]

/** The status moves of a limit increase; the operator makes both. */
export const increaseMoves = {
  approve: { from: ['pending'], to: 'approved' },
  decline: { from: ['pending'], to: 'declined' },
} as const satisfies Record<string, { from: readonly IncreaseStatus[]; to: IncreaseStatus }>
export type IncreaseMove = keyof typeof increaseMoves

const limit = z.int().min(0)

/** Spec, "Limits". */
export const LimitIncreaseFields = z
  .strictObject({
    monthlyLimit: limit.meta({ description: 'Mails per month, more than now; 0 = unlimited' }),
    reason: z.string().trim().min(10).max(5000).meta({ description: 'At least 10 characters' }),
  })
  .meta({ id: 'LimitIncreaseFields', description: 'A wish for a higher monthly limit' })
export type LimitIncreaseFields = z.input<typeof LimitIncreaseFields>

/** One entry of `limitIncreases` (gaps.md, "Production access"). */
export const LimitIncrease = z
  .object({
    requestedLimit: limit.meta({ description: 'Mails per month; 0 = unlimited' }),
    approvedLimit: limit.optional().meta({ description: 'What was approved, which may be less; 0 = unlimited' }),
    reason: z.string().meta({ description: 'As the project gave it' }),
    status: z.enum(increaseStatuses).meta({ description: 'What became of it' }),
    createdAt: Instant,
  })
  .meta({ id: 'LimitIncrease', description: 'A wish for a higher monthly limit, and what became of it' })
export type LimitIncrease = z.output<typeof LimitIncrease>

const canMoveIncrease = (status: IncreaseStatus, move: IncreaseMove): boolean =>
  (increaseMoves[move].from as readonly IncreaseStatus[]).includes(status)

export const pendingIncrease = (increases: readonly LimitIncrease[]): LimitIncrease | undefined =>
  increases.find(({ status }) => status === 'pending')

/**
 * The increases with the newest one moved; `approvedLimit` is the limit that the operator granted.
 * @throws Refusal `blocked` if there is none, or the table does not allow the move
 */
export const movedIncreases = (
  increases: readonly LimitIncrease[],
  move: IncreaseMove,
  approvedLimit?: number,
): readonly LimitIncrease[] => {
  const newest = increases.at(-1)
  if (!newest || !canMoveIncrease(newest.status, move)) throw blocked('There is no limit increase to review.')
  return [
    ...increases.slice(0, -1),
    { ...newest, status: increaseMoves[move].to, ...(approvedLimit !== undefined && { approvedLimit }) },
  ]
}

/** The increases with a pending one declined. */
export const settledIncreases = (increases: readonly LimitIncrease[]): readonly LimitIncrease[] =>
  pendingIncrease(increases) ? movedIncreases(increases, 'decline') : increases
