import { z } from 'zod'
import { csvRow, guarded } from '../kernel/csv-cells.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import type { DispatchResults } from '../sending/ledger/dispatch-results.js'
import { type EmailRecipient, RecipientStatus, recipientView, statusesShownAs } from './recipient.js'

export const recipientFormats = ['csv', 'ndjson'] as const
export type RecipientFormat = (typeof recipientFormats)[number]

export const RecipientExport = z.strictObject({
  format: z
    .enum(recipientFormats, `expected ${recipientFormats.join(' or ')}`)
    .default('csv')
    .meta({ description: 'CSV with a header, or one JSON object a line' }),
  status: RecipientStatus.optional().meta({ description: 'Only these; everybody unless given, also who was left out' }),
})
export type RecipientExport = z.input<typeof RecipientExport>

const columns = [
  'email',
  'status',
  'reason',
  'message',
  'sentAt',
  'opens',
  'clicks',
  'bounced',
  'complained',
  'unsubscribed',
  'paused',
  'subscribed',
  'resubscribed',
  'createdAt',
  'dispatchId',
  'deliveryId',
] as const

/** A line of CSV; the reason and message of a failure or exclusion have their own columns. */
const rowOf = ({ errors: [error], ...recipient }: EmailRecipient): string => {
  const excluded = recipient.status === 'excluded'
  const values: Readonly<Record<string, string | number | boolean | undefined>> = {
    ...recipient,
    reason: excluded ? error?.message : error?.name,
    message: excluded ? '' : error?.message,
  }
  return csvRow(
    columns.map((column) => {
      const value = values[column] ?? ''
      return typeof value === 'string' ? guarded(value) : String(value)
    }),
  )
}

const lineOf: Readonly<Record<RecipientFormat, (one: EmailRecipient) => string>> = {
  csv: rowOf,
  ndjson: (one) => `${JSON.stringify(one)}\n`,
}

/** In characters. */
const chunkSize = 32 * 1024

/** The recipients as chunks of text, each built when the consumer reads it. Cells that begin like a formula are escaped. */
export async function* recipientTexts(
  recipients: AsyncIterable<EmailRecipient>,
  format: RecipientFormat,
): AsyncGenerator<string> {
  const line = lineOf[format]
  let text = format === 'csv' ? csvRow(columns) : ''
  for await (const one of recipients) {
    text += line(one)
    if (text.length < chunkSize) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

const pageSize = 500

/** All recipients of these dispatches, ordered by id and read in pages. Recipients added during the export may be missing. */
export async function* exportedRecipients(
  results: Pick<DispatchResults, 'page'>,
  dispatchIds: readonly string[],
  { status }: Pick<RecipientExport, 'status'>,
): AsyncGenerator<EmailRecipient> {
  const statuses = status && statusesShownAs(status)
  for (const dispatchId of dispatchIds)
    for (let after: string | undefined; ; ) {
      const page: readonly Delivery[] = await results.page({ dispatchId, status: statuses }, after, pageSize)
      for (const one of page) yield recipientView(one)
      after = page.at(-1)?._id
      if (page.length < pageSize) break
    }
}
