import { invalid } from '../kernel/refusal.js'
import type { InProject } from '../kernel/shapes.js'

/**
 * A request with an `Idempotency-Key`, kept for 24 hours. Its `_id` is also the id of what the request makes, a dispatch or a record,
 * so that a request that is done again after a crash makes the same thing.
 */
export type IdempotentRequest = InProject & {
  /** Digest of the key and of the way in: a page of an Origin never meets the requests of an API key. */
  readonly key: string
  /** Digest of what was asked: another one under the same key is another request. */
  readonly fingerprint: string
  /** Whoever carries it out; somebody else does when `leaseUntil` has passed. */
  readonly worker: string
  readonly leaseUntil: string
  /** How often it was begun. */
  readonly tries: number
  /** Whether it has succeeded. */
  readonly isDone: boolean
  /** The result of a request that is done, as JSON; absent where it was too large to keep. */
  readonly answer?: string
}

/** How long a key is kept, in milliseconds (gaps.md, "Sends"). */
export const keyAge = 24 * 60 * 60_000

/** How long a request may take before it is carried out anew, in milliseconds: longer than any takes whose process lives. */
export const requestLease = 60_000

/** Larger results are not kept: what the request made is read again. In characters. */
export const largestAnswer = 16 * 1024

/** How much a project may have kept of one UTC day, in kilobytes: one at least for each key. Of pages of its Origins, much less. */
export const dailyKilobytes = { full: 1_000_000, origin: 10_000 } as const

/** Counts them. Two days are kept at the most. */
export const keptKey = (projectId: string, way: keyof typeof dailyKilobytes, now: string) =>
  `idempotency:${way}:${projectId}:${now.slice(0, 10)}`

const printable = /^[\x20-\x7e]{1,255}$/

/** @throws Refusal `invalid` unless it is 1 to 255 printable characters of ASCII */
export const assertKey = (key: string): void => {
  if (!printable.test(key)) throw invalid('Idempotency-Key: expected 1 to 255 printable ASCII characters')
}
