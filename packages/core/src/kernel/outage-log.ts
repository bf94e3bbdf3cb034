import type { Log, Sleep } from './ports.js'
import { StoreUnavailable } from './refusal.js'

/** Milliseconds between two checks of a store that does not respond. */
const lookInterval = 1_000
/** Operations in progress may fail up to 20 s after the store is back (in ms); they still belong to the outage. */
const lateFailures = 20_000

const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && error.cause !== undefined && isOutage(error.cause))

/**
 * Writes two log lines per outage of the store: when it starts and when it ends. Failures caused by the outage are counted and not logged;
 * otherwise every loop of a worker would log one per second.
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
    /** Sets how to check that the store responds. Before this call, everything is logged unchanged. */
    watch: (ready: () => Promise<boolean>): void => {
      answers = ready
    },
    close: (): void => ending.abort(),
  }
}
