import type { Core } from '@posthorn/core'
import type { HttpMetrics } from '../metrics.js'
import { answerBudget, type BodyBudget, type ResponseMemoryLimits } from './byte-budgets.js'
import { largeListTurns, listLimiter, streamLimiter, workLimit } from './concurrency.js'
import { ownerLookup } from './owner.js'
import { type RateLimits, requestLimits, standardRateLimits } from './rate-limits.js'
import type { ShareLimits } from './shares.js'

type AdmissionOptions = {
  readonly core: Pick<Core, 'accountOf'>
  readonly rateLimits: Partial<RateLimits>
  readonly bodyBudget: BodyBudget
  readonly answerLimits: ResponseMemoryLimits
  readonly workLimits: ShareLimits
  readonly metrics: HttpMetrics
}

export const admission = ({ core, rateLimits, bodyBudget, answerLimits, workLimits, metrics }: AdmissionOptions) => ({
  ownerOf: ownerLookup(core),
  rate: requestLimits({ ...standardRateLimits, ...rateLimits }),
  bodies: bodyBudget,
  answers: answerBudget(answerLimits),
  /** One address block may hold a whole share. */
  images: answerBudget({ ...answerLimits, share: 8 * answerLimits.share }),
  largeLists: largeListTurns(),
  work: workLimit(workLimits, metrics),
  lists: listLimiter(),
  streams: streamLimiter(),
})
export type Admission = ReturnType<typeof admission>
