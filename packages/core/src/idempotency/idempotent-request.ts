import { invalid } from '../kernel/refusal.js'
import type { InProject } from '../kernel/shapes.js'

/**
 * A request with an `Idempotency-Key`, kept for 24 hours. Its `_id` is also the id of the dispatch or record that the request creates, so
 * that a repetition after a crash creates the same one.
 */
export type IdempotentRequest = InProject & {
  /** Digest of the key and the kind of caller: a page of an Origin never matches the requests of an API key. */
  readonly key: string
  /** Digest of the request's content: the same key with another fingerprint is a different request. */
  readonly fingerprint: string
  /** The worker that executes the request; another may take over after `leaseUntil`. */
  readonly worker: string
  readonly leaseUntil: string
  /** Number of executions started. */
  readonly tries: number
  /** Whether it has succeeded. */
  readonly isDone: boolean
  /** The result of a completed request, as JSON; absent if it was too large to keep. */
  readonly answer?: string
}

/** Keys are kept for 24 hours (in ms; gaps.md, "Sends"). */
export const keyAge = 24 * 60 * 60_000

/** After 60 s (in ms), another worker executes the request again; no live process takes that long. */
export const requestLease = 60_000

/** Longest stored result, in characters. A larger one is not stored; a repetition reads the created record instead. */
export const largestAnswer = 16 * 1024

/** Storage that a project may use per UTC day, in kB, at least one per key. Pages of its Origins get much less. */
export const dailyKilobytes = { full: 1_000_000, origin: 10_000 } as const

/** The counter of used storage. Counts of at most two days exist. */
export const keptKey = (projectId: string, way: keyof typeof dailyKilobytes, now: string) =>
  `idempotency:${way}:${projectId}:${now.slice(0, 10)}`

const printable = /^[\x20-\x7e]{1,255}$/

/** @throws Refusal `invalid` unless it is 1 to 255 printable characters of ASCII */
export const assertKey = (key: string): void => {
  if (!printable.test(key)) throw invalid('Idempotency-Key: expected 1 to 255 printable ASCII characters')
}
