import {
  addressKey,
  compareByCodePoint,
  compareValues,
  type Delivery,
  type DeliveryMark,
  type DeliveryQuery,
  type DeliveryWhere,
  type NewestDeliveriesQuery,
  type Page,
} from '@posthorn/core/ports/storage'

const entries = <V>(marks: { readonly [M in DeliveryMark]?: V }) => Object.entries(marks) as [DeliveryMark, V][]

const fits =
  ({
    _id,
    emailId,
    address,
    projectId,
    dispatchId,
    status,
    reason,
    createdAt,
    sentAt,
    tag,
    undelivered,
    since,
    marked = {},
    times = {},
  }: DeliveryWhere) =>
  (row: Delivery): boolean =>
    (_id === undefined || row._id === _id) &&
    (emailId === undefined || row.emailId === emailId) &&
    (address === undefined || addressKey(row.email) === address) &&
    row.projectId === projectId &&
    (dispatchId === undefined || row.dispatchId === dispatchId) &&
    (status === undefined || status.includes(row.status)) &&
    (reason === undefined || row.reason === reason) &&
    (createdAt === undefined || row.createdAt === createdAt) &&
    (sentAt === undefined || row.sentAt === sentAt) &&
    (tag === undefined || row.tags?.includes(tag) === true) &&
    (undelivered === undefined || row.status === 'failed' || row.returned !== undefined) &&
    (since === undefined || row.updatedAt >= since) &&
    entries(marked).every(([mark, has]) => (row[mark] !== undefined) === has) &&
    entries(times).every(([mark, n]) => (row[mark] ?? 0) === n)

export const inMemoryDeliveriesPage = (
  rows: readonly Delivery[],
  { where, by, order, skip, limit }: DeliveryQuery,
): Page<Delivery> => {
  const direction = order === 'asc' ? 1 : -1
  const all = rows
    .filter(fits(where))
    .sort((a, b) => direction * (compareValues(a[by], b[by]) || compareByCodePoint(a._id, b._id)))
  return { items: all.slice(skip, skip + limit), count: all.length }
}

export const inMemoryNewestDeliveries = (
  rows: readonly Delivery[],
  { projectId, failed, from = '', before, limit }: NewestDeliveriesQuery,
): readonly Delivery[] => {
  const order = (a: Pick<Delivery, 'createdAt' | '_id'>, b: Pick<Delivery, 'createdAt' | '_id'>) =>
    compareByCodePoint(b.createdAt, a.createdAt) || compareByCodePoint(b._id, a._id)
  return rows
    .filter((row) => row.projectId === projectId && row.createdAt >= from && order(before, row) < 0)
    .filter(({ status }) => !failed || status === 'failed')
    .sort(order)
    .slice(0, limit)
}
