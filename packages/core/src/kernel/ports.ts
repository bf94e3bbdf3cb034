/** The current time. The core never reads a clock of its own. */
export type Clock = () => Date
/** The store server's clock, which all processes of a store share. */
export interface StoreClock {
  now(): Promise<Date>
}
/** A new `_id`: 24 hexadecimal digits, increasing with time within a process. */
export type NewId = () => string
/** Resolves after the given milliseconds, or as soon as the signal is aborted. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>
/** Yields to the other work of this process; await it between the slices of long work. */
export type Pause = () => Promise<void>

/** The purpose of a signature. Each purpose has its own key, so a signature for one is invalid for another. */
export type SigningPurpose =
  | 'link'
  | 'captcha'
  | 'challenge'
  | 'operator-token'
  | 'return-address'
  | 'tracking'
  | 'domain-ownership'

/** Randomness, signatures and encryption. All methods are synchronous: tokens are made on the hot path, one per recipient. */
export interface Secrets {
  /** Random bytes, in base64url. */
  random(bytes: number): string
  /** SHA-256 in hexadecimal. */
  digest(text: string): string
  /** HMAC-SHA256 of the text with a key derived from the newest secret for that purpose (`link` unless given), in base64url. */
  sign(text: string, purpose?: SigningPurpose): string
  /** The text in base64url, a dot, and the `sign` signature of that base64url. */
  signed(text: string, purpose?: SigningPurpose): string
  /** HMAC-SHA256 of the text with a key shared with another party, in base64. */
  hmac(key: string | Uint8Array, text: string): string
  /** Whether one of the accepted secrets made the signature for that purpose; compared in constant time. */
  verifies(text: string, signature: string, purpose?: SigningPurpose): boolean
  /** Like `verifies`, with the first 16 characters of a signature (96 bits), for tokens without space for all of it. */
  verifiesShort(text: string, start: string, purpose?: SigningPurpose): boolean
  /** Encrypts for storage (AES-256-GCM). */
  seal(plain: string): string
  /** Decrypts. @throws Error if none of the accepted secrets encrypted it */
  open(sealed: string): string
}

/** Writes one line for the operator of the server. Never log a secret or the body of a mail. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

export type FilesAsked = { readonly since?: Date; readonly wanted?: (key: string) => boolean }

/** Bytes by key, for attachments and images. Keys are slash-separated. `put` replaces, and is durable when it resolves. */
export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>
  get(key: string): Promise<Uint8Array | undefined>
  /** Removes the key and everything below it. */
  remove(key: string): Promise<void>
  /**
   * The files below the key, in no order: all, or those written at or after an instant; only those that `wanted` accepts. Others are not
   * read.
   */
  each(below: string, options?: FilesAsked): AsyncIterable<{ readonly key: string; readonly bytes: Uint8Array }>
  /** Removes the files below the key that were last written before that instant; returns their number. */
  prune(below: string, before: Date): Promise<number>
  /** Public URL of the file, for stores that have one; without this method, the server serves images itself. */
  publicUrl?(key: string): string
}

/** Adds `n` to the count of the key if the result stays within `limit` (absent: no limit). */
export type Take = { readonly key: string; readonly n: number; readonly limit?: number | undefined }
export type Give = { readonly key: string; readonly n: number }

/**
 * Counts that several processes share: credit used, mails of a sandbox day, the rate of a sending account. An unused key counts 0. No
 * count ever exceeds a limit that a take names, nor falls below zero, under any concurrency.
 */
export interface Counters {
  /** Takes all or none. If one would exceed its limit, takes none and returns that one. */
  take(takes: readonly Take[]): Promise<Take | undefined>
  /** Takes as much of `n` as the limit permits and returns the amount. For one-second windows: see `expires`. */
  takeUpTo(take: Take, expires: Date): Promise<number>
  give(give: Give): Promise<void>
  used(key: string): Promise<number>
  /** Deletes keys whose `expires` has passed. */
  prune(now: Date): Promise<void>
}

export type JobName = string
export type Job = { readonly name: JobName; readonly data: Readonly<Record<string, string>> }

/**
 * Scheduled work, run at least once: a handler must tolerate repetition. One of the processes runs a job. A handler that throws is retried
 * with back-off.
 */
export interface Jobs {
  /** Schedules the job for that time; replaces an earlier job of the same key. */
  at(when: Date, key: string, job: Job): Promise<void>
  cancel(key: string): Promise<void>
  /** Runs the job every `seconds`, in one of all processes. */
  every(seconds: number, name: JobName): Promise<void>
  /** Registers the handler of jobs with this name. Call it before `start`. */
  handle(name: JobName, run: (data: Job['data']) => Promise<void>): void
  /** Starts polling for due jobs. */
  start(): Promise<void>
  /** Takes no more jobs and waits for the running ones. */
  stop(): Promise<void>
}
