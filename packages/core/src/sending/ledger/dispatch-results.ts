import {
  type Delivery,
  type DeliveryMark,
  type DeliveryStatus,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
} from './delivery.js'

/** Mails that failed for one reason: of one name and one text, which begins with the relay's reply code where a relay refused. */
export type FailureCount = { readonly name: string; readonly message: string; readonly mails: number }

/** Mails that have a mark, and how often all of them together have it. */
export type MarkCount = { readonly mails: number; readonly times: number }

/** What the mails of some dispatches came to. */
export type ResultCounts = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
  /** The `mostFailures` most frequent, the most frequent first, then by name and message: what failed beyond them is in `byStatus`. */
  readonly failures: readonly FailureCount[]
  readonly marks: Readonly<Record<DeliveryMark, MarkCount>>
}

/** How many reasons for failing are told apart: they are the relays' words. */
export const mostFailures = 50

/** Which rows of the ledger a walk is through: one dispatch's, of these statuses; of all where none is named. */
export type ResultWalk = {
  readonly dispatchId: string
  readonly status?: readonly DeliveryStatus[] | undefined
}

/** Asks the ledger how dispatches went: counted by the store, as they are now. */
export interface DispatchResults {
  count(dispatchIds: readonly string[]): Promise<ResultCounts>
  /** The next rows after that `_id`, in `_id` order: fewer than `limit` where none follows. */
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
    .slice(0, mostFailures)
}

/** What all of them together came to. */
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

/** What the mails of these dispatches came to: as the ledger has them, or as they were when it was rid of them. */
export const resultsOf = async (
  results: Pick<DispatchResults, 'count'>,
  dispatches: readonly { readonly _id: string; readonly pruned?: { readonly counts: ResultCounts } }[],
): Promise<ResultCounts> => {
  const there = await results.count(dispatches.filter(({ pruned }) => !pruned).map(({ _id }) => _id))
  const gone = dispatches.flatMap(({ pruned }) => (pruned ? [pruned.counts] : []))
  return gone.length === 0 ? there : summedResults([there, ...gone])
}
