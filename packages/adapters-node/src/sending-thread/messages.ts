import type { MailBatch, MailResult, UnconfirmedCells } from '@posthorn/core/ports/runtime'
import type { Mail, MailOutcome } from '@posthorn/core/ports/transport'

/** Mails of one dispatch as posted to the thread: JSON, because parsing it is faster than cloning objects. */
export type ThreadBatch = Omit<MailBatch, 'email' | 'mailer' | 'signal' | 'mails' | 'unconfirmed'> & {
  readonly mails: string
}

/** How far a mail has come; shared memory, so that it is known even after the thread died. */
export const progress = { waiting: 0, making: 1, handedOver: 2 } as const

/** Messages to the thread. `progress` has one byte for each mail, in their order. */
export type Order =
  /** The first message: options of the thread's mailer. */
  | { readonly kind: 'open'; readonly options: unknown }
  | {
      readonly kind: 'batch'
      readonly id: number
      readonly batch: ThreadBatch
      /**
       * Identifies the prepared email. Its content follows the first time, as JSON: a cloned object may take a thousand times its text,
       * because V8 stores an object with the only key 1000 as an array of 1,500.
       */
      readonly email: number
      readonly source?: string | undefined
      readonly progress: SharedArrayBuffer
      /** Cells that count the channel's unconfirmed mails; the thread increments them, this side stores the outcomes. */
      readonly unconfirmed: UnconfirmedCells
    }
  /** Some mails are no longer unconfirmed. */
  | { readonly kind: 'freed' }
  /** Begin no more mails of that batch. */
  | { readonly kind: 'stop'; readonly id: number }
  /** A mail compiled outside the thread. */
  | { readonly kind: 'mail'; readonly id: number; readonly mail: Mail; readonly progress: SharedArrayBuffer }
  /** Answer to the question of that id. */
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** The last message: finish the mails in flight. */
  | { readonly kind: 'close' }

type Log = readonly [
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
]

/** Results by batch. */
export type BatchResults = readonly (readonly [batch: number, results: readonly MailResult[]])[]

/** Messages from the thread. */
export type Answer =
  /** JSON of `BatchResults`. */
  | { readonly kind: 'results'; readonly results: string }
  /** The thread has forgotten that batch's prepared email. */
  | { readonly kind: 'unprepared'; readonly id: number }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: MailOutcome }
  | { readonly kind: 'log'; readonly line: Log }
  /** A question of the thread's mailer. */
  | { readonly kind: 'question'; readonly id: number; readonly question: unknown }
