import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb'
import { isDuplicateKey } from './duplicate-keys.js'

/**
 * A stopping or former primary, a broken network, a write conflict.
 * https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md#retryable-error
 */
const transientCodes = new Set<unknown>([6, 7, 64, 89, 91, 112, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])

export const isTransient = (error: unknown): boolean =>
  // An error of a whole batch is wrapped in the batch's error.
  (error instanceof MongoBulkWriteError &&
    (error.errorResponse as unknown) instanceof Error &&
    isTransient(error.errorResponse)) ||
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  // No response: the outcome is unknown.
  (error instanceof MongoOperationTimeoutError && !isMongoTimeLimitError(error)) ||
  (error instanceof MongoError && error.hasErrorLabel('RetryableWriteError')) ||
  (error instanceof MongoServerError && transientCodes.has(error.code))

/** MaxTimeMSExpired: the server ended an operation that took too long. */
const maxTimeExpired = 50

/** A retry would take as long. */
export const isMongoTimeLimitError = (error: unknown): boolean =>
  (error instanceof MongoServerError && error.code === maxTimeExpired) ||
  (error instanceof StoreUnavailable && isMongoTimeLimitError(error.cause)) ||
  (error instanceof MongoOperationTimeoutError && isMongoTimeLimitError(error.cause))

/** In ms: total time and pauses. An election takes about 10 s. */
const patience = 20_000
const pauses = { first: 20, longest: 1_000 }

/** In ms, longer than an election. Sent as `maxTimeMS`, to end abandoned operations. */
export const mostOperationTime = 12_000
const longest = 15_000

/**
 * Limits a try to 15 s: the driver (7.8) may wait forever for a socket that closed just before a write.
 * @throws MongoNetworkError; the outcome is then unknown
 */
export const withTimeLimit = async <T>(work: () => Promise<T>): Promise<T> => {
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
 * Only for idempotent work: retries transient errors for 20 s.
 * @throws StoreUnavailable if they persist or the server ended the operation
 */
export const retried = async <T>(work: () => Promise<T>): Promise<T> => {
  const until = performance.now() + patience
  for (let wait = pauses.first; ; wait = Math.min(pauses.longest, wait * 2)) {
    try {
      return await withTimeLimit(work)
    } catch (error) {
      if (isMongoTimeLimitError(error)) throw new StoreUnavailable(error)
      if (!isTransient(error)) throw error
      if (performance.now() > until) throw new StoreUnavailable(error)
      await pause(wait * (0.5 + Math.random() / 2))
    }
  }
}

/** If another process inserts the document at the same moment, the server refuses one of the two, which retries. */
export const retriedUpsert = async <T>(upsert: () => Promise<T>): Promise<T> => {
  try {
    return await upsert()
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return upsert()
  }
}
