/** The core's only clock. */
export type Clock = () => Date
/** The clock that all processes of a store share. */
export interface StoreClock {
  now(): Promise<Date>
}
/** Milliseconds since any moment, such as the start of the process. Setting the machine's clock does not change it. */
export type MonotonicClock = () => number
/** 24 hexadecimal digits, increasing within a process. */
export type NewId = () => string
/** Resolves after the milliseconds, or when the signal is aborted. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>
/** Yields to other work; await it between slices of long work. */
export type YieldToEventLoop = () => Promise<void>

/** Each purpose has its own key: a signature for one is invalid for another. */
export type SigningPurpose =
  | 'link'
  | 'captcha'
  | 'challenge'
  | 'operator-token'
  | 'return-address'
  | 'tracking'
  | 'domain-ownership'

/** Synchronous: tokens are made on the hot path, one per recipient. */
export interface Secrets {
  /** Base64url. */
  random(bytes: number): string
  /** SHA-256 in hexadecimal. */
  digest(text: string): string
  /** HMAC-SHA256 with a key derived from the newest secret for the purpose (default `link`), in base64url. */
  sign(text: string, purpose?: SigningPurpose): string
  /** The text in base64url, a dot, and the signature of that base64url. */
  signed(text: string, purpose?: SigningPurpose): string
  /** HMAC-SHA256 with a key shared with another party, in base64. */
  hmac(key: string | Uint8Array, text: string): string
  /** Whether an accepted secret made the signature; compared in constant time. */
  verifies(text: string, signature: string, purpose?: SigningPurpose): boolean
  /** Like `verifies`, with the first 16 characters (96 bits) of a signature. */
  verifiesShort(text: string, start: string, purpose?: SigningPurpose): boolean
  /** Encrypts for storage (AES-256-GCM). */
  seal(plain: string): string
  /** Decrypts. @throws Error if none of the accepted secrets encrypted it */
  open(sealed: string): string
}

/** Writes a line for the operator. Never log a secret or the body of a mail. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

type FileFilter = { readonly since?: Date; readonly wanted?: (key: string) => boolean }

/** Bytes by slash-separated key, for attachments and images. `put` replaces, and is durable when it resolves. */
export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>
  get(key: string): Promise<Uint8Array | undefined>
  /** Removes the key and everything below it. */
  remove(key: string): Promise<void>
  /** The files below the key, in no order; only those that `wanted` accepts are read. */
  each(below: string, options?: FileFilter): AsyncIterable<{ readonly key: string; readonly bytes: Uint8Array }>
  /** Removes files below the key last written before then; returns their number. */
  prune(below: string, before: Date): Promise<number>
  /** Without this method, the server serves images itself. */
  publicUrl?(key: string): string
}

/** Adds `n` to the key's count if the result stays within `limit`. */
export type CounterTake = { readonly key: string; readonly n: number; readonly limit?: number | undefined }
export type CounterGive = { readonly key: string; readonly n: number }

/**
 * Counts shared by processes: credit, mails of a sandbox day, rates. An unused key counts 0. No count exceeds a
 * limit or falls below zero under any concurrency.
 */
export interface Counters {
  /** Takes all or none; returns the one that would exceed its limit. */
  take(takes: readonly CounterTake[]): Promise<CounterTake | undefined>
  /** Takes as much of `n` as the limit permits and returns the amount. */
  takeUpTo(take: CounterTake, expires: Date): Promise<number>
  give(give: CounterGive): Promise<void>
  used(key: string): Promise<number>
  /** Deletes keys whose `expires` has passed. */
  prune(now: Date): Promise<void>
}

type JobName = string
export type Job = { readonly name: JobName; readonly data: Readonly<Record<string, string>> }

/**
 * Scheduled work, run at least once by one process: handlers must tolerate repetition. A handler that throws is
 * retried with back-off.
 */
export interface Jobs {
  /** Replaces an earlier job of the same key. */
  at(when: Date, key: string, job: Job): Promise<void>
  cancel(key: string): Promise<void>
  /** Runs in one of all processes. */
  every(seconds: number, name: JobName): Promise<void>
  /** Call before `start`. */
  handle(name: JobName, run: (data: Job['data']) => Promise<void>): void
  start(): Promise<void>
  /** Waits for the running jobs. */
  stop(): Promise<void>
}

/** What the core takes from the platform that it runs on. */
export type Runtime = {
  readonly clock: Clock
  readonly newId: NewId
  readonly sleep: Sleep
  readonly secrets: Secrets
  readonly log: Log
  readonly jobs: Jobs
  readonly files: Files
}
