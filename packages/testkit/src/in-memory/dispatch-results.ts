import {
  compareByCodePoint,
  type Delivery,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  type FailureCount,
  mostListedFailures,
} from '@posthorn/core/ports/storage'
import type { InMemoryLedger } from './deliveries.js'

const mostFrequentFirst = (a: FailureCount, b: FailureCount) =>
  b.mails - a.mails || compareByCodePoint(a.name, b.name) || compareByCodePoint(a.message, b.message)

const failuresIn = (rows: readonly Delivery[]): readonly FailureCount[] => {
  const byReason = new Map<string, FailureCount>()
  for (const { status, error } of rows) {
    if (status !== 'failed' || !error) continue
    const { name, message } = error
    const key = JSON.stringify([name, message])
    byReason.set(key, { name, message, mails: (byReason.get(key)?.mails ?? 0) + 1 })
  }
  return [...byReason.values()].sort(mostFrequentFirst).slice(0, mostListedFailures)
}

export const inMemoryDispatchResults = ({ rows, ofDispatch }: InMemoryLedger): DispatchResults => {
  /** Sorted again when the number of rows has changed. */
  const sortedIds = new Map<string, readonly string[]>()
  const idsOf = (dispatchId: string): readonly string[] => {
    const ids = ofDispatch.get(dispatchId) ?? new Set()
    const known = sortedIds.get(dispatchId)
    if (known?.length === ids.size) return known
    const sorted = [...ids].sort(compareByCodePoint)
    sortedIds.set(dispatchId, sorted)
    return sorted
  }
  const rowsOf = (dispatchId: string) => idsOf(dispatchId).flatMap((id) => rows.get(id) ?? [])

  /** The index of the first id after the given one. */
  const placeAfter = (ids: readonly string[], after: string): number => {
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareByCodePoint(ids[middle] ?? '', after) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    count: async (dispatchIds) => {
      const all = [...new Set(dispatchIds)].flatMap(rowsOf)
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      for (const { status, reason } of all)
        if (status === 'excluded' && reason) excluded[reason] = (excluded[reason] ?? 0) + 1
      const statuses = deliveryStatuses.map((one) => [one, all.filter(({ status }) => status === one).length] as const)
      const marks = deliveryMarks.map((mark) => {
        const times = all.flatMap((row) => row[mark] ?? [])
        return [mark, { mails: times.length, times: times.reduce((sum, n) => sum + n, 0) }] as const
      })
      return {
        byStatus: Object.fromEntries(statuses),
        excluded,
        failures: failuresIn(all),
        marks: Object.fromEntries(marks),
      } as Awaited<ReturnType<DispatchResults['count']>>
    },

    page: async ({ dispatchId, status = deliveryStatuses }, after = '', limit) => {
      const ids = idsOf(dispatchId)
      const found: Delivery[] = []
      for (let at = placeAfter(ids, after); at < ids.length && found.length < limit; at += 1) {
        const row = rows.get(ids[at] ?? '')
        if (row && status.includes(row.status)) found.push(row)
      }
      return structuredClone(found)
    },
  }
}
