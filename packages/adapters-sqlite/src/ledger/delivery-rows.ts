import { type Delivery, type DeliveryMark, type DeliveryMarkCounts, deliveryMarks } from '@posthorn/core/ports/storage'
import type { SqlParameter, SqlRow } from '../database/connection.js'

type Column = readonly [name: string, of: (delivery: Delivery) => SqlParameter | undefined]

const columns: readonly Column[] = [
  ['_id', (one) => one._id],
  ['dispatch_id', (one) => one.dispatchId],
  ['project_id', (one) => one.projectId],
  ['email_id', (one) => one.emailId],
  ['lane', (one) => one.lane],
  ['email', (one) => one.email],
  ['contact_id', (one) => one.contactId],
  ['status', (one) => one.status],
  ['attempts', (one) => one.attempts],
  ['not_before', (one) => one.notBefore],
  ['worker', (one) => one.worker],
  ['lease_until', (one) => one.leaseUntil],
  ['reason', (one) => one.reason],
  ['error_name', (one) => one.error?.name],
  ['error_message', (one) => one.error?.message],
  ['provider_message_id', (one) => one.providerMessageId],
  ['subject', (one) => one.subject],
  ['created_at', (one) => one.createdAt],
  ['updated_at', (one) => one.updatedAt],
  ['sent_at', (one) => one.sentAt],
  ...deliveryMarks.map((mark: DeliveryMark): Column => [mark, (one) => one[mark]]),
  ['mark_names', (one) => one.markNames && JSON.stringify(one.markNames)],
  ['returned', (one) => one.returned && JSON.stringify(one.returned)],
  ['clicked_links', (one) => one.clickedLinks && JSON.stringify(one.clickedLinks)],
  ['happened', (one) => one.happened && JSON.stringify(one.happened)],
  ['tags', (one) => one.tags && JSON.stringify(one.tags)],
]

const insertInto = (some: readonly Column[]) =>
  `INSERT OR IGNORE INTO deliveries (${some.map(([name]) => name).join(', ')})`

export const insertDeliverySql = `${insertInto(columns)} VALUES (${columns.map(() => '?').join(', ')}) RETURNING _id`

export const deliveryValuesOf = (delivery: Delivery): readonly SqlParameter[] =>
  columns.map(([, of]) => of(delivery) ?? null)

/** Columns that can have a value before the first attempt. */
const bornWith = new Set(
  [
    '_id',
    'dispatch_id',
    'project_id',
    'email_id',
    'lane',
    'email',
    'contact_id',
    'status',
    'attempts',
    'not_before',
  ].concat(['worker', 'lease_until', 'reason', 'created_at', 'updated_at', 'tags']),
)
const bornColumns = columns.filter(([name]) => bornWith.has(name))

const bornFields: ReadonlySet<string> = new Set<keyof Delivery>([
  ...(['_id', 'dispatchId', 'projectId', 'emailId', 'lane', 'email', 'contactId', 'status', 'attempts'] as const),
  ...(['notBefore', 'worker', 'leaseUntil', 'reason', 'createdAt', 'updatedAt', 'tags'] as const),
])

/** Whether the delivery has neither an attempt nor a mark. */
export const isNewborn = (delivery: Delivery): boolean => {
  for (const field in delivery)
    if (!bornFields.has(field) && delivery[field as keyof Delivery] !== undefined) return false
  return true
}

export const insertNewDeliverySql = `${insertInto(bornColumns)} VALUES (${bornColumns.map(() => '?').join(', ')})`

export const newDeliveryValuesOf = (delivery: Delivery): readonly SqlParameter[] =>
  bornColumns.map(([, of]) => of(delivery) ?? null)

/** Differ between the rows of a page. */
const ownColumns = bornColumns.filter(([name]) => ['_id', 'email', 'contact_id'].includes(name))
const sharedColumns = bornColumns.filter((column) => !ownColumns.includes(column))

/** Inserts the missing rows of a JSON array; returns their ids. */
export const insertNewDeliveriesSql = `${insertInto([...sharedColumns, ...ownColumns])}
  SELECT ${sharedColumns.map((_, index) => `?${index + 2}`).join(', ')},
    ${ownColumns.map((_, index) => `value ->> ${index}`).join(', ')} FROM json_each(?1) WHERE true RETURNING _id`

/** Rows with equal shared columns; `own` is JSON with the others. */
type NewbornRows = { readonly own: string; readonly shared: readonly SqlParameter[] }

export const newDeliveryRowsOf = (deliveries: readonly Delivery[]): readonly NewbornRows[] => {
  const alike = new Map<
    string,
    { readonly own: (readonly SqlParameter[])[]; readonly shared: readonly SqlParameter[] }
  >()
  for (const delivery of deliveries) {
    const shared = sharedColumns.map(([, of]) => of(delivery) ?? null)
    const own = ownColumns.map(([, of]) => of(delivery) ?? null)
    const key = shared.join('\0')
    const those = alike.get(key)
    if (those) those.own.push(own)
    else alike.set(key, { own: [own], shared })
  }
  return [...alike.values()].map(({ own, shared }) => ({ own: JSON.stringify(own), shared }))
}

const marksOf = (row: SqlRow): DeliveryMarkCounts =>
  Object.fromEntries(deliveryMarks.flatMap((mark) => (row[mark] === null ? [] : [[mark, Number(row[mark])]])))

export const deliveryOfRow = (row: SqlRow): Delivery => {
  const delivery = {
    _id: row._id,
    dispatchId: row.dispatch_id,
    projectId: row.project_id,
    ...(row.email_id !== null && { emailId: row.email_id }),
    lane: row.lane,
    email: row.email,
    ...(row.contact_id !== null && { contactId: row.contact_id }),
    status: row.status,
    attempts: row.attempts,
    notBefore: row.not_before,
    ...(row.worker !== null && { worker: row.worker }),
    ...(row.lease_until !== null && { leaseUntil: row.lease_until }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(typeof row.tags === 'string' && { tags: JSON.parse(row.tags) }),
    ...(row.error_name !== null && { error: { name: row.error_name, message: row.error_message } }),
    ...(row.provider_message_id !== null && { providerMessageId: row.provider_message_id }),
    ...(row.subject !== null && { subject: row.subject }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.sent_at !== null && { sentAt: row.sent_at }),
    ...marksOf(row),
    ...(typeof row.mark_names === 'string' && { markNames: JSON.parse(row.mark_names) }),
    ...(typeof row.returned === 'string' && { returned: JSON.parse(row.returned) }),
    ...(typeof row.clicked_links === 'string' && { clickedLinks: JSON.parse(row.clicked_links) }),
    ...(typeof row.happened === 'string' && { happened: JSON.parse(row.happened) }),
  }
  return delivery as Delivery
}
