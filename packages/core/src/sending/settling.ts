import type { Deliveries, Settlement } from './ports.js'

const batchSize = 200

/**
 * Stage 7 of a sending: outcomes are recorded in batches. A batch is written as soon as it is full, and by `flush`, which the
 * worker calls at least every 100 ms; what is recorded while a batch is being written goes with the next.
 */
export const settling = (deliveries: Deliveries, recorded: (settlements: readonly Settlement[]) => Promise<void>) => {
  let waiting: Settlement[] = []
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await deliveries.settle(batch)
      } catch (error) {
        waiting = [...batch, ...waiting]
        throw error
      }
      await recorded(batch)
    }
  }

  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  return {
    /** Puts an outcome on record with the next batch; resolves at once unless that fills one. */
    settle: async (settlement: Settlement): Promise<void> => {
      waiting.push(settlement)
      if (waiting.length >= batchSize) await flush()
    },
    /** Resolves when everything settled so far is durable. @throws what the store threw; the outcomes are kept for the next try */
    flush,
  }
}
