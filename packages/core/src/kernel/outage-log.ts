import type { Log, Sleep } from './ports.js'
import { StoreUnavailable } from './store-unavailable.js'

/** Milliseconds between two looks at a store that does not answer. */
const lookInterval = 1_000
/** Operations that were under way fail up to this much later, in milliseconds: they belong to the outage that is over. */
const lateFailures = 20_000

const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && error.cause !== undefined && isOutage(error.cause))

/**
 * A log that has two lines for an outage of the store: its start, and its end. Whatever fails because the store does not answer is
 * counted and left out; every loop of a worker fails every second otherwise.
 */
export const outageLog = (log: Log, sleep: Sleep) => {
  let answers: (() => Promise<boolean>) | undefined
  let failures: number | undefined
  const ending = new AbortController()

  const end = async (isThere: () => Promise<boolean>): Promise<void> => {
    do await sleep(lookInterval, ending.signal)
    while (!ending.signal.aborted && !(await isThere().catch(() => false)))
    if (ending.signal.aborted) return
    log('info', 'The database answers again', { failures })
    await sleep(lateFailures, ending.signal)
    failures = undefined
  }

  return {
    log: ((level, message, fields) => {
      if (!answers || !isOutage(fields?.error)) return log(level, message, fields)
      if (failures !== undefined) {
        failures += 1
        return
      }
      failures = 1
      log(
        'error',
        'The database does not answer. What needs it is tried again, and not logged until the database answers',
        {
          first: message,
          error: fields?.error,
        },
      )
      void end(answers)
    }) satisfies Log as Log,
    /** How to see whether the store answers. Before this, everything is logged as it is. */
    watch: (ready: () => Promise<boolean>): void => {
      answers = ready
    },
    close: (): void => ending.abort(),
  }
}
