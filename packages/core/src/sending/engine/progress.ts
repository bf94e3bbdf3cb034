import type { Clock } from '../../kernel/ports.js'
import type { Settlement } from '../ledger/deliveries.js'
import { dispatchOf } from '../ledger/delivery.js'
import type { DispatchEnds } from './dispatch-ends.js'

type Deps = {
  readonly ends: Pick<DispatchEnds, 'moved'>
  /** The dispatches of which this worker has more. */
  readonly open: () => Iterable<string>
  readonly clock: Clock
}

/** How often the progress of a dispatch is noted while this worker has more of it. */
const progressTime = 10_000

/** Notes the progress of dispatches as their outcomes become durable: now and then, and when this worker has had all of one. */
export const progress = ({ ends, open, clock }: Deps) => {
  const notedAt = new Map<string, number>()

  return async (settlements: readonly Settlement[]): Promise<void> => {
    if (settlements.length === 0) return
    const more = new Set(open())
    for (const dispatchId of new Set(settlements.map(({ _id }) => dispatchOf(_id)))) {
      const now = clock().getTime()
      if (more.has(dispatchId) && now - (notedAt.get(dispatchId) ?? 0) < progressTime) continue
      if (more.has(dispatchId)) notedAt.set(dispatchId, now)
      else notedAt.delete(dispatchId)
      await ends.moved(dispatchId)
    }
  }
}
