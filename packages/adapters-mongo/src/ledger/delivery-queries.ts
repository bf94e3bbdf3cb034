import {
  type Deliveries,
  type DeliveryMark,
  type DeliveryMarkCount,
  type DeliveryStatus,
  type DeliveryWhere,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  type FailureCount,
  mostListedFailures,
} from '@posthorn/core/ports/storage'
import type { Document, Filter } from 'mongodb'
import { retried } from '../connection/retries.js'
import { listTooSlowMessage, pageFindOptions, queryInTime } from '../connection/time-limits.js'
import { type DeliveryDocument, deliveryProjection, type LedgerCollections } from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

const filterOf = ({
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
}: DeliveryWhere): Filter<DeliveryDocument> => {
  const conditions: readonly Document[] = [
    ...(status === undefined ? [] : [{ status: { $in: status } }]),
    ...(reason === undefined ? [] : [{ reason }]),
    ...(createdAt === undefined ? [] : [{ createdAt }]),
    ...(sentAt === undefined ? [] : [{ sentAt }]),
    ...(tag === undefined ? [] : [{ tags: tag }]),
    ...(undelivered === undefined ? [] : [{ $or: [{ status: 'failed' }, { returned: { $exists: true } }] }]),
    ...(since === undefined ? [] : [{ updatedAt: { $gte: since } }]),
    ...Object.entries(marked).map(([mark, has]) => ({ [mark]: { $exists: has } })),
    ...Object.entries(times).map(([mark, n]) => ({ [mark]: n === 0 ? { $in: [0, null] } : n })),
  ]
  return {
    projectId,
    ...(emailId !== undefined && { emailId }),
    ...(address !== undefined && { _address: address }),
    ...(_id !== undefined && { _id }),
    ...(dispatchId !== undefined && { dispatchId }),
    ...(conditions.length > 0 && { $and: conditions as Filter<DeliveryDocument>[] }),
  }
}

export const mongoDeliveriesPage =
  ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const filter = filterOf(where)
    const [items, count] = await Promise.all([
      queryInTime(
        retried(() =>
          deliveries
            .find(filter, {
              ...deliveryProjection,
              sort: { [by]: order, _id: order },
              ...pageFindOptions({ skip, limit }),
              allowDiskUse: true,
            })
            .toArray(),
        ),
        listTooSlowMessage,
      ),
      queryInTime(
        retried(() => deliveries.countDocuments(filter)),
        listTooSlowMessage,
      ),
    ])
    return { items, count }
  }

export const newestDeliveries =
  ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Deliveries['newest'] =>
  ({ projectId, failed, from = '', before: { createdAt, _id }, limit }) => {
    const filter: Filter<DeliveryDocument> = {
      projectId,
      createdAt: { $gte: from, $lte: createdAt },
      $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }],
      ...(failed && { status: 'failed' as const }),
    }
    return queryInTime(
      retried(() =>
        deliveries.find(filter, deliveryProjection).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray(),
      ),
      listTooSlowMessage,
    )
  }

type Group = { readonly _id: { readonly status: DeliveryStatus; readonly reason?: ExclusionReason | null } } & {
  readonly n: number
} & Readonly<Record<`${DeliveryMark}_${'mails' | 'times'}`, number>>

const sumsOf = Object.fromEntries(
  deliveryMarks.flatMap((mark) => [
    [`${mark}_mails`, { $sum: { $cond: [{ $gt: [`$${mark}`, null] }, 1, 0] } }],
    [`${mark}_times`, { $sum: `$${mark}` }],
  ]),
)

/** By the index on dispatches: a cluster queries few shards. */
export const mongoDispatchResults = (
  { deliveries }: Pick<LedgerCollections, 'deliveries'>,
  steps: Pick<LedgerSteps, 'carriedOut'>,
): DispatchResults => {
  const groupsOf = (dispatchIds: readonly string[]) =>
    retried(() =>
      deliveries
        .aggregate<Group>([
          { $match: { dispatchId: { $in: [...dispatchIds] } } },
          { $group: { _id: { status: '$status', reason: '$reason' }, n: { $sum: 1 }, ...sumsOf } },
        ])
        .toArray(),
    )

  const failuresOf = (dispatchIds: readonly string[]) =>
    retried(() =>
      deliveries
        .aggregate<FailureCount>([
          { $match: { dispatchId: { $in: [...dispatchIds] }, status: 'failed', error: { $exists: true } } },
          { $group: { _id: { name: '$error.name', message: '$error.message' }, mails: { $sum: 1 } } },
          { $sort: { mails: -1, '_id.name': 1, '_id.message': 1 } },
          { $limit: mostListedFailures },
          { $project: { _id: 0, name: '$_id.name', message: '$_id.message', mails: 1 } },
        ])
        .toArray(),
    )

  return {
    count: async (dispatchIds) => {
      await steps.carriedOut()
      const [groups, failures] = await Promise.all([groupsOf(dispatchIds), failuresOf(dispatchIds)])
      const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<
        DeliveryStatus,
        number
      >
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      const marks = Object.fromEntries(
        deliveryMarks.map((mark): [DeliveryMark, DeliveryMarkCount] => [
          mark,
          {
            mails: groups.reduce((sum, group) => sum + group[`${mark}_mails`], 0),
            times: groups.reduce((sum, group) => sum + group[`${mark}_times`], 0),
          },
        ]),
      ) as Record<DeliveryMark, DeliveryMarkCount>
      for (const { _id, n } of groups) {
        byStatus[_id.status] += n
        if (_id.status === 'excluded' && _id.reason) excluded[_id.reason] = (excluded[_id.reason] ?? 0) + n
      }
      return { byStatus, excluded, failures, marks }
    },

    page: async ({ dispatchId, status = deliveryStatuses }, after = '', limit) => {
      await steps.carriedOut()
      return retried(() =>
        deliveries
          .find({ dispatchId, status: { $in: [...status] }, _id: { $gt: after } }, deliveryProjection)
          .sort({ _id: 1 })
          .limit(limit)
          .batchSize(limit)
          .toArray(),
      )
    },
  }
}
