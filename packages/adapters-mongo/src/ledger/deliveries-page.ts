import type { Deliveries, DeliveryWhere } from '@posthorn/core/ports/storage'
import type { Document, Filter } from 'mongodb'
import { inTime, tooLong } from '../connection/in-time.js'
import { pageRange } from '../connection/page-range.js'
import { retried } from '../connection/retried.js'
import { type DeliveryDocument, deliveryFields, type LedgerCollections } from './ledger-collections.js'

const filterOf = ({
  emailId,
  projectId,
  email,
  status,
  reason,
  sentAt,
  undelivered,
  since,
  marked = {},
  times = {},
}: DeliveryWhere): Filter<DeliveryDocument> => {
  const conditions: readonly Document[] = [
    ...(email === undefined ? [] : [{ email }]),
    ...(status === undefined ? [] : [{ status: { $in: status } }]),
    ...(reason === undefined ? [] : [{ reason }]),
    ...(sentAt === undefined ? [] : [{ sentAt }]),
    ...(undelivered === undefined ? [] : [{ $or: [{ status: 'failed' }, { returned: { $exists: true } }] }]),
    ...(since === undefined ? [] : [{ updatedAt: { $gte: since } }]),
    ...Object.entries(marked).map(([mark, has]) => ({ [mark]: { $exists: has } })),
    ...Object.entries(times).map(([mark, n]) => ({ [mark]: n === 0 ? { $in: [0, null] } : n })),
  ]
  return { projectId, emailId, ...(conditions.length > 0 && { $and: conditions as Filter<DeliveryDocument>[] }) }
}

/** A page of an email's deliveries, read by the index on `emailId`. */
export const deliveriesPage =
  ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const filter = filterOf(where)
    const [items, count] = await Promise.all([
      inTime(
        retried(() =>
          deliveries
            .find(filter, {
              ...deliveryFields,
              sort: { [by]: order, _id: order },
              ...pageRange({ skip, limit }),
              allowDiskUse: true,
            })
            .toArray(),
        ),
        tooLong,
      ),
      inTime(
        retried(() => deliveries.countDocuments(filter)),
        tooLong,
      ),
    ])
    return { items, count }
  }
