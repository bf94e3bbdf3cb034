import { z } from 'zod'

/** The idempotency headers of every POST of a project (gaps.md, "Sends"). */
export const idempotency = {
  request: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x20-\x7e]+$/)
      .optional()
      .meta({
        description:
          'Of your own making, for 24 hours: the same key and body get the first answer again, and nothing is done twice',
        example: 'order-4711-receipt',
      }),
  }),
  answer: z.object({
    'Idempotency-Replayed': z
      .literal('true')
      .optional()
      .meta({ description: 'The answer is that of an earlier request with the same Idempotency-Key' }),
  }),
}
