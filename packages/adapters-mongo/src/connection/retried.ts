import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '@posthorn/core/ports'
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb'

/**
 * What passes by itself: a server that is shutting down or is no longer the primary, a network that was cut, a write conflict.
 * https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md#retryable-error
 */
const transientCodes = new Set<unknown>([6, 7, 64, 89, 91, 112, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])

export const isTransient = (error: unknown): boolean =>
  // What happened to a whole batch is told inside of the batch's own error.
  (error instanceof MongoBulkWriteError &&
    (error.errorResponse as unknown) instanceof Error &&
    isTransient(error.errorResponse)) ||
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  // Without the server's word nobody knows, as where a connection is cut; what is left there ends by its own time limit.
  (error instanceof MongoOperationTimeoutError && !isGivenUp(error)) ||
  (error instanceof MongoError && error.hasErrorLabel('RetryableWriteError')) ||
  (error instanceof MongoServerError && transientCodes.has(error.code))

/** The server's own word that it has ended an operation that took too long. */
const maxTimeExpired = 50

/** Whether the server gave the operation up: it is not under way any more, and would take as long again. */
export const isGivenUp = (error: unknown): boolean =>
  (error instanceof MongoServerError && error.code === maxTimeExpired) ||
  (error instanceof StoreUnavailable && isGivenUp(error.cause)) ||
  (error instanceof MongoOperationTimeoutError && isGivenUp(error.cause))

/** How long work is tried again, and how long it is waited in between, in milliseconds. An election takes about ten seconds. */
const patience = 20_000
const pauses = { first: 20, longest: 1_000 }

/**
 * How long the server may work at one operation, in milliseconds: longer than it is away in an election. It is told with each
 * command (`maxTimeMS`), so that what is given up is not left running while it is sent again.
 */
export const operationTime = 12_000
/** How long one try may take, in milliseconds. */
const longest = 15_000

/**
 * What the work comes to, if it comes to anything. The driver (7.8) waits for ever for a socket to drain that was closed just before
 * it wrote to it; its own limits do not hold there.
 * @throws MongoNetworkError after fifteen seconds: nobody knows whether it came through
 */
export const answered = async <T>(work: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MongoNetworkError('The database has not answered for 15 seconds')), longest)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Does the work, and does it again while what it meets is transient, for up to twenty seconds. For work that may be done twice:
 * nobody knows whether the first time came through.
 * @throws StoreUnavailable where it did not pass, and at once where the server gave the operation up
 */
export const retried = async <T>(work: () => Promise<T>): Promise<T> => {
  const until = performance.now() + patience
  for (let wait = pauses.first; ; wait = Math.min(pauses.longest, wait * 2)) {
    try {
      return await answered(work)
    } catch (error) {
      if (isGivenUp(error)) throw new StoreUnavailable(error)
      if (!isTransient(error)) throw error
      if (performance.now() > until) throw new StoreUnavailable(error)
      await pause(wait * (0.5 + Math.random() / 2))
    }
  }
}
