import type { Core } from '@posthorn/core'
import type { HttpMetrics } from '../metrics.js'
import { type BodyBudget, type ResponseMemoryLimits, responseMemoryBudget } from './byte-budgets.js'
import {
  largeListResponseTurns,
  listConcurrencyLimiter,
  requestWorkLimiter,
  streamConcurrencyLimiter,
} from './concurrency.js'
import { requestOwnerLookup } from './owner.js'
import { type RateLimits, requestRateLimits, standardRateLimits } from './rate-limits.js'
import type { ShareLimits } from './shares.js'

type AdmissionOptions = {
  readonly core: Pick<Core, 'accountOf'>
  readonly rateLimits: Partial<RateLimits>
  readonly bodyBudget: BodyBudget
  readonly answerLimits: ResponseMemoryLimits
  readonly workLimits: ShareLimits
  readonly metrics: HttpMetrics
}

export const admissionControls = ({
  core,
  rateLimits,
  bodyBudget,
  answerLimits,
  workLimits,
  metrics,
}: AdmissionOptions) => ({
  ownerOf: requestOwnerLookup(core),
  rate: requestRateLimits({ ...standardRateLimits, ...rateLimits }),
  bodies: bodyBudget,
  answers: responseMemoryBudget(answerLimits),
  /** One address block may hold a whole share. */
  images: responseMemoryBudget({ ...answerLimits, share: 8 * answerLimits.share }),
  largeLists: largeListResponseTurns(),
  work: requestWorkLimiter(workLimits, metrics),
  lists: listConcurrencyLimiter(),
  streams: streamConcurrencyLimiter(),
})
export type Admission = ReturnType<typeof admissionControls>
