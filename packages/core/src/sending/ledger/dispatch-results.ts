import { compareByCodePoint } from '../../kernel/collections.js'
import {
  type Delivery,
  type DeliveryMark,
  type DeliveryStatus,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
} from './delivery.js'

export type FailureCount = { readonly name: string; readonly message: string; readonly mails: number }

export type DeliveryMarkCount = { readonly mails: number; readonly times: number }

export type ResultCounts = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
  /** The most frequent first. */
  readonly failures: readonly FailureCount[]
  readonly marks: Readonly<Record<DeliveryMark, DeliveryMarkCount>>
}

/** Relays' texts are unbounded. */
export const mostListedFailures = 50

type ResultWalk = {
  readonly dispatchId: string
  readonly status?: readonly DeliveryStatus[] | undefined
}

export interface DispatchResults {
  count(dispatchIds: readonly string[]): Promise<ResultCounts>
  /** In `_id` order; fewer than `limit` at the end. */
  page(walk: ResultWalk, after: string | undefined, limit: number): Promise<readonly Delivery[]>
}

/** Different failures that are counted. */
const mostFailures = 1_000

/** Adds up deliveries, as stores find them. */
export const resultCounter = () => {
  const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<DeliveryStatus, number>
  const excluded: Partial<Record<ExclusionReason, number>> = {}
  const failures = new Map<string, FailureCount>()
  const marks = Object.fromEntries(deliveryMarks.map((mark) => [mark, { mails: 0, times: 0 }])) as Record<
    DeliveryMark,
    { mails: number; times: number }
  >
  return {
    /** `n` deliveries that are alike. */
    add: (status: DeliveryStatus, reason: ExclusionReason | null | undefined, n: number): void => {
      byStatus[status] += n
      if (status === 'excluded' && reason) excluded[reason] = (excluded[reason] ?? 0) + n
    },
    addFailure: ({ name, message, mails }: FailureCount): void => {
      const key = JSON.stringify([name, message])
      const known = failures.get(key)
      if (known || failures.size < mostFailures)
        failures.set(key, { name, message, mails: mails + (known?.mails ?? 0) })
    },
    addMark: (mark: DeliveryMark, { mails, times }: DeliveryMarkCount): void => {
      marks[mark].mails += mails
      marks[mark].times += times
    },
    tally: (): Pick<ResultCounts, 'byStatus' | 'excluded'> => ({ byStatus, excluded }),
    results: (): ResultCounts => ({
      byStatus,
      excluded,
      failures: [...failures.values()]
        .sort(
          (a, b) => b.mails - a.mails || compareByCodePoint(a.name, b.name) || compareByCodePoint(a.message, b.message),
        )
        .slice(0, mostListedFailures),
      marks,
    }),
  }
}

const summedResults = (all: readonly ResultCounts[]): ResultCounts => {
  const sum = (of: (counts: ResultCounts) => number) => all.reduce((total, counts) => total + of(counts), 0)
  const { addFailure, results } = resultCounter()
  for (const { failures } of all) failures.forEach(addFailure)
  const reasons = [...new Set(all.flatMap(({ excluded }) => Object.keys(excluded) as ExclusionReason[]))]
  return {
    byStatus: Object.fromEntries(
      deliveryStatuses.map((status) => [status, sum(({ byStatus }) => byStatus[status])]),
    ) as ResultCounts['byStatus'],
    excluded: Object.fromEntries(reasons.map((reason) => [reason, sum(({ excluded }) => excluded[reason] ?? 0)])),
    failures: results().failures,
    marks: Object.fromEntries(
      deliveryMarks.map((mark) => [
        mark,
        { mails: sum(({ marks }) => marks[mark].mails), times: sum(({ marks }) => marks[mark].times) },
      ]),
    ) as ResultCounts['marks'],
  }
}

/** From the ledger or, for pruned deliveries, as stored at removal. */
export const resultCountsOf = async (
  results: Pick<DispatchResults, 'count'>,
  dispatches: readonly { readonly _id: string; readonly pruned?: { readonly counts: ResultCounts } }[],
): Promise<ResultCounts> => {
  const there = await results.count(dispatches.filter(({ pruned }) => !pruned).map(({ _id }) => _id))
  const gone = dispatches.flatMap(({ pruned }) => (pruned ? [pruned.counts] : []))
  return gone.length === 0 ? there : summedResults([there, ...gone])
}
