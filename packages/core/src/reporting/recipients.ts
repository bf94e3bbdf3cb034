import { z } from 'zod'
import { csvRow, escapedFormulas, exportTextChunks } from '../kernel/csv-cells.js'
import { addressKey } from '../kernel/email-address.js'
import { type ListQuery, listQueryViolations, parsedSortAndFilter, type SortAndFilterQuery } from '../kernel/listing.js'
import { refusalOfViolations } from '../kernel/refusal.js'
import { Count, Instant } from '../kernel/shapes.js'
import { type Violation, wrongFieldViolation } from '../kernel/violation.js'
import type { DeliveryQuery, DeliveryWhere } from '../sending/ledger/deliveries.js'
import {
  type Delivery,
  type DeliveryMark,
  type DeliveryStatus,
  deliveryMarks,
  deliveryStatuses,
} from '../sending/ledger/delivery.js'
import type { DispatchResults } from '../sending/ledger/dispatch-results.js'

/** `excluded`: the reason is among the recipient's errors. */
const shownStatus = {
  queued: 'scheduled',
  sending: 'being-sent',
  uncertain: 'being-sent',
  sent: 'sent',
  failed: 'failed',
  excluded: 'excluded',
} as const satisfies Record<DeliveryStatus, string>

export const recipientStatuses = ['scheduled', 'being-sent', 'sent', 'failed', 'excluded'] as const

export const RecipientStatus = z.enum(recipientStatuses)

/** The ledger's statuses behind a status of the API. */
export const statusesShownAs = (status: z.output<typeof RecipientStatus>): readonly DeliveryStatus[] =>
  deliveryStatuses.filter((one) => shownStatus[one] === status)

export const EmailRecipient = z
  .object({
    email: z.string().describe('Address of the recipient'),
    dispatchId: z.string().describe('Id of the dispatch'),
    deliveryId: z.string().describe('Id of the mail, as in webhook events'),
    status: RecipientStatus.describe('excluded: gets no mail; `errors` says why'),
    createdAt: Instant.describe('When it became a recipient'),
    sentAt: Instant.optional(),
    tags: z.array(z.string()).optional().describe('As given in the send'),
    opens: Count.describe('Number of opens'),
    clicks: Count.describe('Number of clicks'),
    bounced: z.boolean().describe('Whether the mail bounced permanently'),
    complained: z.boolean().describe('Whether the recipient reported it as spam'),
    unsubscribed: z.boolean().describe('Whether the recipient unsubscribed through a link in the mail'),
    paused: z.boolean().describe('Whether the recipient paused through a link in the mail'),
    subscribed: z.boolean().describe('Whether the recipient subscribed through a link in the mail'),
    resubscribed: z.boolean().describe('Whether the recipient resubscribed through a link in the mail'),
    errors: z
      .array(
        z.object({
          name: z.string().describe('Kind of the error, or the code of the relay'),
          message: z.string().describe('Error message'),
        }),
      )
      .describe('Why it was not sent, or bounced'),
  })
  .meta({ id: 'EmailRecipient' })
export type EmailRecipient = z.output<typeof EmailRecipient>

const errorsOf = ({ status, reason, error, returned }: Delivery): EmailRecipient['errors'] => {
  if (status === 'excluded') return [{ name: 'Excluded', message: reason ?? '' }]
  return [error, returned].filter((one) => one !== undefined)
}

export const recipientView = (delivery: Delivery): EmailRecipient => {
  const { _id: deliveryId, dispatchId, email, status, createdAt, sentAt, tags, opens = 0, clicks = 0 } = delivery
  return EmailRecipient.parse({
    ...Object.fromEntries(deliveryMarks.map((mark) => [mark, delivery[mark] !== undefined])),
    email,
    dispatchId,
    deliveryId,
    status: shownStatus[status],
    createdAt,
    sentAt,
    tags,
    opens,
    clicks,
    errors: errorsOf(delivery),
  })
}

export const recipientFilterShape = EmailRecipient.omit({ errors: true }).extend({
  opened: z.boolean(),
  clicked: z.boolean(),
}).shape

export const recipientSorts = ['createdAt', 'sentAt', 'email'] as const

const markOf: Readonly<Record<string, DeliveryMark>> = {
  opened: 'opens',
  clicked: 'clicks',
  ...Object.fromEntries(deliveryMarks.map((mark) => [mark, mark])),
}

const sortField = (sort: string | undefined = 'createdAt') => recipientSorts.find((field) => field === sort)

export const recipientListQueryViolations = ({ sort, filter }: SortAndFilterQuery): readonly Violation[] => [
  ...(sortField(sort) ? [] : [wrongFieldViolation('sort', `expected one of ${recipientSorts.join(', ')}`)]),
  ...listQueryViolations(recipientFilterShape, { filter }),
]

/**
 * Without a status, excluded recipients are included only if the query names an address (gaps.md).
 * @throws Refusal `invalid` for an unknown field
 */
export const recipientDeliveryQuery = (
  of: Pick<DeliveryWhere, 'emailId' | 'projectId'>,
  { sort, ...query }: ListQuery,
): DeliveryQuery => {
  const by = sortField(sort)
  const wrong = recipientListQueryViolations({ sort, filter: query.filter })
  if (!by || wrong.length > 0) throw refusalOfViolations(wrong)
  const { where, sort: ordered } = parsedSortAndFilter(recipientFilterShape, query)
  const { email, dispatchId, deliveryId, status, createdAt, sentAt, tags, ...marks } = where
  const flags = Object.entries(marks).filter(([, value]) => typeof value === 'boolean')
  const counts = Object.entries(marks).filter(([, value]) => typeof value === 'number')
  return {
    where: {
      ...of,
      ...(email !== undefined && { address: addressKey(String(email)) }),
      status: deliveryStatuses.filter((one) =>
        status === undefined ? email !== undefined || one !== 'excluded' : shownStatus[one] === status,
      ),
      ...(dispatchId !== undefined && { dispatchId: String(dispatchId) }),
      ...(deliveryId !== undefined && { _id: String(deliveryId) }),
      ...(createdAt !== undefined && { createdAt: String(createdAt) }),
      ...(sentAt !== undefined && { sentAt: String(sentAt) }),
      ...(tags !== undefined && { tag: String(tags) }),
      marked: Object.fromEntries(flags.map(([field, value]) => [markOf[field], value])),
      times: Object.fromEntries(counts.map(([field, value]) => [markOf[field], value])),
    },
    by,
    order: ordered.order,
    skip: query.skip,
    limit: query.limit,
  }
}

export const recipientFormats = ['csv', 'ndjson'] as const
type RecipientFormat = (typeof recipientFormats)[number]

export const RecipientExportFields = z.strictObject({
  format: z
    .enum(recipientFormats, `expected ${recipientFormats.join(' or ')}`)
    .default('csv')
    .describe('CSV with a header, or one JSON object a line'),
  status: RecipientStatus.optional().describe(
    'Only recipients with this status; default: all, including excluded ones',
  ),
})
export type RecipientExportFields = z.input<typeof RecipientExportFields>

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
  'tags',
] as const

/** A failure's reason and message have their own columns. */
const rowOf = ({ errors: [error], tags, ...recipient }: EmailRecipient): string => {
  const excluded = recipient.status === 'excluded'
  const values: Readonly<Record<string, string | number | boolean | undefined>> = {
    ...recipient,
    tags: tags?.join(', '),
    reason: excluded ? error?.message : error?.name,
    message: excluded ? '' : error?.message,
  }
  return csvRow(
    columns.map((column) => {
      const value = values[column] ?? ''
      return typeof value === 'string' ? escapedFormulas(value) : String(value)
    }),
  )
}

const lineOf: Readonly<Record<RecipientFormat, (one: EmailRecipient) => string>> = {
  csv: rowOf,
  ndjson: (one) => `${JSON.stringify(one)}\n`,
}

/** Each chunk is built when it is read. Cells that begin like a formula are escaped. */
export async function* recipientExportChunks(
  recipients: AsyncIterable<EmailRecipient>,
  format: RecipientFormat,
): AsyncGenerator<string> {
  yield* exportTextChunks(recipients, lineOf[format], format === 'csv' ? csvRow(columns) : '')
}

const pageSize = 500

/** By id, in pages. Recipients added during the export may be missing. */
export async function* exportedRecipients(
  results: Pick<DispatchResults, 'page'>,
  dispatchIds: readonly string[],
  { status }: Pick<RecipientExportFields, 'status'>,
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
