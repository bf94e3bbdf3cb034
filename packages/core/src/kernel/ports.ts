/** The time now. The core never reads a clock of its own. */
export type Clock = () => Date
/** The clock that all processes on a store share: the server's, not this machine's. */
export interface StoreClock {
  now(): Promise<Date>
}
/** A new `_id`: 24 hexadecimal digits, increasing with time within a process. */
export type NewId = () => string
/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>
/** Resolves when whatever else waits for this process has had its turn: to be awaited between the slices of long work. */
export type Pause = () => Promise<void>

/** What a signature is for. Each purpose has a key of its own, so that a signature for one is none for another. */
export type SigningPurpose =
  | 'link'
  | 'captcha'
  | 'challenge'
  | 'operator-token'
  | 'return-address'
  | 'tracking'
  | 'domain-ownership'

/** What needs randomness or a key. All of it is synchronous: tokens are made on the hot path, one per recipient. */
export interface Secrets {
  /** That many random bytes, in base64url. */
  random(bytes: number): string
  /** SHA-256 in hexadecimal. */
  digest(text: string): string
  /** HMAC-SHA256 of the text with a key derived from the newest secret for that purpose (`link` unless given), in base64url. */
  sign(text: string, purpose?: SigningPurpose): string
  /** The text in base64url, a dot, and what `sign` makes of that base64url. */
  signed(text: string, purpose?: SigningPurpose): string
  /** HMAC-SHA256 of the text with a key that somebody else has too, in base64. */
  hmac(key: string | Uint8Array, text: string): string
  /** Whether any of the accepted secrets made that signature for that purpose; compared in constant time. */
  verifies(text: string, signature: string, purpose?: SigningPurpose): boolean
  /** As `verifies`, by the first 16 characters of a signature: 96 bits, for what has no room for all of it. */
  verifiesShort(text: string, start: string, purpose?: SigningPurpose): boolean
  /** Encrypts for storage (AES-256-GCM). */
  seal(plain: string): string
  /** Undoes `seal`. @throws Error when none of the accepted secrets sealed it */
  open(sealed: string): string
}

/** One line for whoever runs the server. Never a secret, never the body of a mail. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

export type FilesAsked = { readonly since?: Date; readonly wanted?: (key: string) => boolean }

/** Bytes by key, for attachments and images. Keys are slash-separated; a put is durable when it resolves and replaces. */
export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>
  get(key: string): Promise<Uint8Array | undefined>
  /** Removes the key and everything below it. */
  remove(key: string): Promise<void>
  /**
   * What lies below the key, in no order: all, or what was put at that instant or later, and of it what `wanted` says yes to. Others are
   * not read.
   */
  each(below: string, options?: FilesAsked): AsyncIterable<{ readonly key: string; readonly bytes: Uint8Array }>
  /** Removes what lies below the key and was last put before that instant; answers how many. */
  prune(below: string, before: Date): Promise<number>
  /** Where everybody can fetch the file, in a store that has an address of its own; without it, the server serves images. */
  publicUrl?(key: string): string
}

/** `n` more of what the key counts, as long as the count stays within `limit` (absent: no limit). */
export type Take = { readonly key: string; readonly n: number; readonly limit?: number | undefined }
export type Give = { readonly key: string; readonly n: number }

/**
 * Counts that several processes share: credit used, mails of a sandbox day, the pace of an account. A key that was never
 * taken from counts 0. No count ever passes a limit that a take named, nor falls below zero, whatever the interleaving.
 */
export interface Counters {
  /** Takes all, or none: then it answers the first that would have passed its limit. */
  take(takes: readonly Take[]): Promise<Take | undefined>
  /** Takes as much of `n` as the limit leaves, and answers how much. For one-second windows: see `expires`. */
  takeUpTo(take: Take, expires: Date): Promise<number>
  give(give: Give): Promise<void>
  used(key: string): Promise<number>
  /** Forgets keys whose `expires` has passed. */
  prune(now: Date): Promise<void>
}

export type JobName = string
export type Job = { readonly name: JobName; readonly data: Readonly<Record<string, string>> }

/**
 * Work for later, at least once: a handler must bear being run twice. One process of many runs a job. A handler that throws
 * is run again with back-off.
 */
export interface Jobs {
  /** Runs the job at that time; an earlier job of the same key is replaced. */
  at(when: Date, key: string, job: Job): Promise<void>
  /** Forgets the job of that key. */
  cancel(key: string): Promise<void>
  /** Runs the job again and again, `seconds` apart, once among all processes. */
  every(seconds: number, name: JobName): Promise<void>
  /** Says what runs a job of this name. To be called before `start`. */
  handle(name: JobName, run: (data: Job['data']) => Promise<void>): void
  /** Starts looking for due jobs. */
  start(): Promise<void>
  /** Takes no further job and waits for those that run. */
  stop(): Promise<void>
}
