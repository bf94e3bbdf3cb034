import type { Mail, MailBatch, MailOutcome, MailResult, UnconfirmedCells } from '@posthorn/core/ports'

/** Mails of one dispatch, as they are told to the thread: as JSON, which is read and written faster than objects are cloned. */
export type ThreadBatch = Omit<MailBatch, 'email' | 'mailer' | 'signal' | 'mails' | 'unconfirmed'> & {
  readonly mails: string
}

/** How far a mail has come, which is known even when the thread has died. */
export const progress = { waiting: 0, making: 1, handedOver: 2 } as const

/** What a thread is told. `progress` has a byte for each mail, in their order. */
export type Order =
  /** The first: what its mailer is opened with. */
  | { readonly kind: 'open'; readonly options: unknown }
  | {
      readonly kind: 'batch'
      readonly id: number
      readonly batch: ThreadBatch
      /**
       * Names what the mails are made from, which comes along the first time, as JSON: an object that is cloned may take a thousand
       * times its text, as V8 keeps one whose only key is 1000 as an array of 1,500.
       */
      readonly email: number
      readonly source?: string | undefined
      readonly progress: SharedArrayBuffer
      /** Its channel's mails in doubt, which are counted there and recorded here. */
      readonly unconfirmed: UnconfirmedCells
    }
  /** Some of those in doubt are not any more. */
  | { readonly kind: 'freed' }
  /** Of that batch, none is begun any more. */
  | { readonly kind: 'stop'; readonly id: number }
  /** A mail that was made elsewhere. */
  | { readonly kind: 'mail'; readonly id: number; readonly mail: Mail; readonly progress: SharedArrayBuffer }
  /** What was asked, under that id. */
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** The last: what is on its way is waited for. */
  | { readonly kind: 'close' }

type Log = readonly [
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
]

/** Results by their batches. */
export type BatchResults = readonly (readonly [batch: number, results: readonly MailResult[]])[]

/** What a thread answers. */
export type Answer =
  /** The JSON of `BatchResults`. */
  | { readonly kind: 'results'; readonly results: string }
  /** What that batch's mails are made from is not known any more. */
  | { readonly kind: 'unprepared'; readonly id: number }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: MailOutcome }
  | { readonly kind: 'log'; readonly line: Log }
  /** What its mailer asks the other side. */
  | { readonly kind: 'question'; readonly id: number; readonly question: unknown }
