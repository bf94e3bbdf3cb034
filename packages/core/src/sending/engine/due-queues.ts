import type { Clock } from '../../kernel/ports.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import type { Lane } from '../channels/lane.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import type { Queue } from '../ledger/delivery.js'
import { lookout } from './lookout.js'

type Deps = { readonly deliveries: Pick<Deliveries, 'due'>; readonly clock: Clock; readonly wakeUp: WakeUp }

/** How old the store's last answer to what is due may be, and where there was nothing for long. A wake-up asks at once. */
const lookTimes = { first: 3_000, longest: 5_000 }

/** What is due as far as is known: what the store answered, and what this worker has made or put off since. */
export const dueQueues = ({ deliveries, clock, wakeUp }: Deps) => {
  const answered = lookout({
    ask: () => deliveries.due(clock().toISOString()),
    isNothing: (queues) => queues.length === 0,
    clock,
    wakeUp,
    times: lookTimes,
  })
  /** Queues, by their projects, that this worker has made deliveries for, and not had all of. */
  const made = new Map<string, Queue>()
  /** Queues of that answer of which this worker has had all there was. */
  const drained = new WeakSet<Queue>()
  /** When the first is due, in epoch milliseconds, of what this worker has put off since it asked. */
  let dueAgain = Number.POSITIVE_INFINITY

  return {
    of: async (lane: Lane): Promise<readonly Queue[]> => {
      if (dueAgain <= clock().getTime()) {
        dueAgain = Number.POSITIVE_INFINITY
        answered.forget()
      }
      const due = (await answered.answer()).filter((one) => one.lane === lane && !drained.has(one))
      const known = new Map(due.map((one) => [one.projectId, one]))
      if (lane === 'bulk') for (const [projectId, queue] of made) known.set(projectId, queue)
      return [...known.values()]
    },

    /** Rows of the project's were queued here. */
    made: (projectId: string): void => {
      made.set(projectId, { lane: 'bulk', projectId })
    },

    /** All that was in it has been claimed. */
    drained: (queue: Queue): void => {
      drained.add(queue)
      if (made.get(queue.projectId) === queue) made.delete(queue.projectId)
    },

    /** What was put off among these is due again at its time. */
    recorded: (settlements: readonly Settlement[]): void => {
      for (const { to, notBefore } of settlements)
        if (to === 'queued' && notBefore) dueAgain = Math.min(dueAgain, Date.parse(notBefore))
    },

    /** The next who wants to know asks the store. */
    forget: (): void => answered.forget(),
  }
}
export type DueQueues = ReturnType<typeof dueQueues>
