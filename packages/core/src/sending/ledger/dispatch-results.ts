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

const failuresOf = (all: readonly ResultCounts[]): readonly FailureCount[] => {
  const byReason = new Map<string, FailureCount>()
  for (const { name, message, mails } of all.flatMap(({ failures }) => failures)) {
    const key = JSON.stringify([name, message])
    byReason.set(key, { name, message, mails: mails + (byReason.get(key)?.mails ?? 0) })
  }
  const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return [...byReason.values()]
    .sort((a, b) => b.mails - a.mails || inOrder(a.name, b.name) || inOrder(a.message, b.message))
    .slice(0, mostListedFailures)
}

const summedResults = (all: readonly ResultCounts[]): ResultCounts => {
  const sum = (of: (counts: ResultCounts) => number) => all.reduce((total, counts) => total + of(counts), 0)
  const reasons = [...new Set(all.flatMap(({ excluded }) => Object.keys(excluded) as ExclusionReason[]))]
  return {
    byStatus: Object.fromEntries(
      deliveryStatuses.map((status) => [status, sum(({ byStatus }) => byStatus[status])]),
    ) as ResultCounts['byStatus'],
    excluded: Object.fromEntries(reasons.map((reason) => [reason, sum(({ excluded }) => excluded[reason] ?? 0)])),
    failures: failuresOf(all),
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
