import { z } from 'zod'
import type { Stored } from '../kernel/repository.js'
import { Instant } from '../kernel/shapes.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'

type Page = { readonly skip: number; readonly limit: number }

/** Until when an email's error log has been read; `_id` is the email's. */
export type ErrorLogReading = Stored & { readonly projectId: string; readonly readAt: string }

/** What goes wrong before a mail is handed over; everything else is the way out's. */
const ofProcessing: readonly string[] = ['RenderFailure', 'DispatchStopped', 'WorkerDied']

/** Why a mail was not sent. */
export const EmailErrorLog = z
  .object({
    createdAt: Instant,
    source: z
      .enum(['processing', 'delivery'])
      .meta({ description: 'Whether the mail could not be made, or not be handed over' }),
    recipient: z.string().meta({ description: 'Whom the mail was for; empty where the whole sending failed' }),
    errorName: z.string().meta({ description: 'Kind of the error, or the code of the relay' }),
    errorMessage: z.string().meta({ description: 'What is known of the error' }),
  })
  .meta({ id: 'EmailErrorLog' })
export type EmailErrorLog = z.output<typeof EmailErrorLog>

/** Why a sending to many was stopped: its own failure, and no recipient's. */
export const stoppedView = ({ finishedAt, updatedAt, errorMessage = '' }: Dispatch): EmailErrorLog =>
  EmailErrorLog.parse({
    createdAt: finishedAt ?? updatedAt,
    source: 'processing',
    recipient: '',
    errorName: 'DispatchStopped',
    errorMessage,
  })

/** How many stopped sendings of an email are told, the newest. */
export const mostStopped = 100

const newestFirst = (a: EmailErrorLog, b: EmailErrorLog) =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0

/** What of the failed deliveries has to be read for a page of both, whichever of the stopped sendings stand in it. */
export const deliveriesFor = ({ skip, limit }: Page, stopped: number): Page => ({
  skip: Math.max(0, skip - stopped),
  limit: limit + stopped,
})

/** The page of both together, the newest first. */
export const pageOfBoth = (
  { skip, limit }: Page,
  stopped: readonly EmailErrorLog[],
  failed: readonly EmailErrorLog[],
): readonly EmailErrorLog[] => {
  const from = skip - deliveriesFor({ skip, limit }, stopped.length).skip
  return [...stopped, ...failed].sort(newestFirst).slice(from, from + limit)
}

export const errorLogView = ({ updatedAt, email, error }: Delivery): EmailErrorLog => {
  const { name, message } = error ?? { name: '', message: '' }
  return EmailErrorLog.parse({
    createdAt: updatedAt,
    source: ofProcessing.includes(name) ? 'processing' : 'delivery',
    recipient: email,
    errorName: name,
    errorMessage: message,
  })
}
