import { z } from 'zod'
import type { Stored } from '../kernel/repository.js'
import { Instant } from '../kernel/shapes.js'
import type { Delivery } from '../sending/delivery.js'

/** Until when an email's error log has been read; `_id` is the email's. */
export type ErrorLogReading = Stored & { readonly projectId: string; readonly readAt: string }

/** How long errors are told, in milliseconds. */
export const errorLogAge = 30 * 24 * 60 * 60_000

/** What goes wrong before a mail is handed over; everything else is the way out's. */
const ofProcessing: readonly string[] = ['RenderFailure', 'DispatchStopped', 'WorkerDied']

/** Why a mail was not sent. */
export const EmailErrorLog = z
  .object({
    createdAt: Instant,
    source: z
      .enum(['processing', 'delivery'])
      .meta({ description: 'Whether the mail could not be made, or not be handed over' }),
    recipient: z.string().meta({ description: 'Whom the mail was for' }),
    errorName: z.string().meta({ description: 'Kind of the error, or the code of the relay' }),
    errorMessage: z.string().meta({ description: 'What is known of the error' }),
  })
  .meta({ id: 'EmailErrorLog' })
export type EmailErrorLog = z.output<typeof EmailErrorLog>

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
