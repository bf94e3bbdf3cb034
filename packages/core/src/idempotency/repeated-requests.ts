import { z } from 'zod'
import { newestRecords } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import { ifKeyTaken, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, type InProject, Instant } from '../kernel/shapes.js'
import type { IdempotentRequest } from './idempotent-request.js'

/** Answered again without being executed again. `_id`: that of the idempotent request. */
export type RepeatedRequest = InProject & {
  readonly operation: string
  readonly key: string
  readonly repeats: number
  readonly repeatedAt: string
}

/** In ms, after the first request. */
export const repeatedRequestAge = 7 * 24 * 60 * 60_000
const mostShown = 200

export const RepeatedRequestView = z.object({
  _id: Id,
  operation: z.string().describe('The operation’s id in the OpenAPI document'),
  key: z.string().describe('The `Idempotency-Key`'),
  repeats: z.int(),
  createdAt: Instant.describe('Of the first request'),
  repeatedAt: Instant.describe('Of the last repetition'),
})
export type RepeatedRequestView = z.output<typeof RepeatedRequestView>

type Deps = {
  readonly repositories: RepositoriesFor<{ repeatedRequests: RepeatedRequest }>
  readonly clock: Clock
}

export type RequestRepetition = Pick<RepeatedRequest, 'operation' | 'key'>

export const repeatedRequestUseCases = ({ repositories: { repeatedRequests }, clock }: Deps) => {
  const note = async (request: IdempotentRequest, { operation, key }: RequestRepetition): Promise<void> => {
    const { _id, projectId, createdAt } = request
    const now = clock().toISOString()
    const counted = await repeatedRequests.change({ _id }, (one) => ({
      ...one,
      repeats: one.repeats + 1,
      repeatedAt: now,
      updatedAt: now,
    }))
    if (counted) return
    const first = { _id, projectId, operation, key, repeats: 1, repeatedAt: now, createdAt, updatedAt: now }
    // A concurrent repetition stored it first.
    await repeatedRequests.add(first).catch(ifKeyTaken(() => note(request, { operation, key })))
  }
  return {
    note,

    /** The 200 most recently repeated, of the last seven days. */
    list: async ({ projectId }: Scope): Promise<readonly RepeatedRequestView[]> => {
      const items = await newestRecords(repeatedRequests, { projectId }, 'repeatedAt', mostShown)
      return items.map((one) => RepeatedRequestView.parse(one))
    },
  }
}
