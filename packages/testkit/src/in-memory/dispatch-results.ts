import {
  compareByCodePoint,
  type Delivery,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  resultCounter,
} from '@posthorn/core/ports/storage'
import type { InMemoryLedger } from './deliveries.js'

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
      const { add, addFailure, addMark, results } = resultCounter()
      for (const row of [...new Set(dispatchIds)].flatMap(rowsOf)) {
        const { status, reason, error } = row
        add(status, reason, 1)
        if (status === 'failed' && error) addFailure({ ...error, mails: 1 })
        for (const mark of deliveryMarks) {
          const times = row[mark]
          if (times !== undefined) addMark(mark, { mails: 1, times })
        }
      }
      return results()
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
