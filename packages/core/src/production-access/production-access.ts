import { z } from 'zod'
import { requestStatuses } from './access-request.js'
import { LimitIncrease } from './limit-increase.js'

/** Mails per second that are reported if no limit is known, because the specification requires an integer (gaps.md). */
export const unlimitedRate = 10_000

const SendingRate = z
  .object({
    region: z.string().meta({ description: 'Region in which it sends' }),
    ratePerSecond: z.int().meta({ description: 'Mails per second; 0: nothing may be sent; 10000: no limit is known' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why nothing may be sent now; absent while something may, and of a restricted project' }),
  })
  .meta({ id: 'SendingRate', description: 'How fast the project may send in a region' })

/** Spec, "Production access status". */
export const ProductionAccess = z
  .object({
    requestStatus: z.enum(requestStatuses).meta({ description: 'none: no request has been submitted' }),
    domainStatus: z
      .enum(['none', 'pending', 'verified'])
      .meta({ description: 'none: no domain; verified: at least one is' }),
    verifiedDomain: z.string().meta({ description: 'Empty where none is verified' }),
    monthlyLimit: z.int().meta({ description: 'Mails per month; 0 = unlimited' }),
    sendingRates: z.array(SendingRate).meta({
      description:
        'One per region; of a project that sends through its own account, per region in which it has senders',
    }),
    limitIncreases: z.array(LimitIncrease).meta({ description: 'The newest last' }),
    restricted: z.boolean().meta({ description: 'Whether the project may not send at all' }),
    restrictedReason: z.string().optional().meta({ description: 'Present only while restricted' }),
  })
  .meta({
    id: 'ProductionAccess',
    description: 'How far a project is on its way out of the sandbox, and what it may do',
  })
export type ProductionAccess = z.output<typeof ProductionAccess>
