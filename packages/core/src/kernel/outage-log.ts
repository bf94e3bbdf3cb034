import type { Log, Sleep } from './ports.js'
import { StoreUnavailable } from './refusal.js'

/** In ms. */
const lookInterval = 1_000
/** In ms. Operations may fail this long after the store is back; they belong to the outage. */
const lateFailures = 20_000

const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && error.cause !== undefined && isOutage(error.cause))

/**
 * Logs the start and end of each outage of the store and counts the failures between, which would be one line per
 * loop and second.
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
        { first: message, error: fields?.error },
      )
      void end(answers)
    }) satisfies Log as Log,
    /** Until this call, everything is logged unchanged. */
    watch: (ready: () => Promise<boolean>): void => {
      answers = ready
    },
    close: (): void => ending.abort(),
  }
}
