import { invalid } from '../kernel/refusal.js'
import type { InProject } from '../kernel/shapes.js'

/** `_id` is also that of the created record: a repetition after a crash creates the same. */
export type IdempotentRequest = InProject & {
  /** Digest of the key and the kind of caller: pages of an Origin never match requests of an API key. */
  readonly key: string
  /** Digest of the content; another fingerprint is another request. */
  readonly fingerprint: string
  /** Executes the request; another may take over after `leaseUntil`. */
  readonly worker: string
  readonly leaseUntil: string
  readonly tries: number
  readonly isDone: boolean
  /** Sealed JSON: it may contain a secret. Absent if too large. */
  readonly answer?: string
  /** JSON: another attempt continues from it, with the same answer. */
  readonly progress?: string
}

/** In ms (gaps.md, "Sends"). */
export const idempotencyKeyAge = 24 * 60 * 60_000

/** In ms. Then another worker executes the request again; no live process takes that long. */
export const idempotentRequestLeaseTime = 60_000

/** In characters. For a larger one, a repetition reads the created record. */
export const largestStoredAnswer = 128 * 1024

/** In kB per project and UTC day, at least one per key. */
export const dailyAnswerKilobytes = { full: 1_000_000, origin: 10_000 } as const

/** Counts of at most two days exist. */
export const idempotencyAnswersCounterKey = (projectId: string, way: keyof typeof dailyAnswerKilobytes, now: string) =>
  `idempotency:${way}:${projectId}:${now.slice(0, 10)}`

const printable = /^[\x20-\x7e]{1,255}$/

/** @throws Refusal `invalid` unless 1 to 255 printable ASCII characters */
export const assertIdempotencyKey = (key: string): void => {
  if (!printable.test(key)) throw invalid('Idempotency-Key: expected 1 to 255 printable ASCII characters')
}
