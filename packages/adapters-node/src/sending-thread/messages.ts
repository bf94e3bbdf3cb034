import type { MailBatch, MailResult, SharedTransmissionCounts } from '@posthorn/core/ports/runtime'
import type { Mail, MailOutcome } from '@posthorn/core/ports/transport'

/** Mails of one dispatch. JSON, because parsing it is faster than cloning objects. */
export type ThreadBatch = Omit<MailBatch, 'email' | 'mailer' | 'signal' | 'mails' | 'unconfirmed'> & {
  readonly mails: string
}

/** How far a mail has come; in shared memory, so that it is known after the thread died. */
export const threadMailStages = { waiting: 0, making: 1, handedOver: 2 } as const

/** To the thread. `progress` has one byte per mail, in order. */
export type ThreadCommand =
  | { readonly kind: 'open'; readonly options: unknown }
  | {
      readonly kind: 'batch'
      readonly id: number
      readonly batch: ThreadBatch
      /** The content comes the first time, as JSON: V8 stores a cloned object with the only key 1000 as an array of 1,500. */
      readonly email: number
      readonly source?: string | undefined
      readonly progress: SharedArrayBuffer
      /** Count the channel's unconfirmed mails; the thread increments them. */
      readonly unconfirmed: SharedTransmissionCounts
    }
  /** Some mails are no longer unconfirmed. */
  | { readonly kind: 'freed' }
  | { readonly kind: 'stop'; readonly id: number }
  /** Compiled outside the thread. */
  | { readonly kind: 'mail'; readonly id: number; readonly mail: Mail; readonly progress: SharedArrayBuffer }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** The last message: finish the mails in flight. */
  | { readonly kind: 'close' }

type Log = readonly [
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
]

export type ThreadBatchResults = readonly (readonly [batch: number, results: readonly MailResult[]])[]

export type ThreadMessage =
  | { readonly kind: 'results'; readonly results: string }
  /** The thread dropped that batch's prepared email. */
  | { readonly kind: 'unprepared'; readonly id: number }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: MailOutcome }
  | { readonly kind: 'log'; readonly line: Log }
  | { readonly kind: 'question'; readonly id: number; readonly question: unknown }

const error = { name: 'SendingThreadDied', message: 'The thread that was sending this mail ended.' }

/** Of a dead thread's mails, only a transmitted one may have left. */
export const deadThreadOutcome = (step: number | undefined): MailOutcome =>
  step === threadMailStages.handedOver ? { kind: 'unknown', error } : { kind: 'deferred', error, throttled: false }

/** A mail being compiled may have killed the thread: its attempt counts, and delays the next. */
export const resultOfLostMail = (deliveryId: string, step: number | undefined): MailResult =>
  step === threadMailStages.waiting
    ? { deliveryId, kind: 'not-started' }
    : { deliveryId, kind: 'answered', outcome: deadThreadOutcome(step) }
