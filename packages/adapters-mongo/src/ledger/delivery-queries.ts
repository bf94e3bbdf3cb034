import {
  type Deliveries,
  type DeliveryMark,
  type DeliveryStatus,
  type DeliveryWhere,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  type FailureCount,
  mostListedFailures,
  resultCounter,
} from '@posthorn/core/ports/storage'
import type { Filter } from 'mongodb'
import { retried } from '../connection/retries.js'
import { pageFindOptions, queryInTime } from '../connection/time-limits.js'
import { type DeliveryDocument, deliveryProjection, type LedgerCollections } from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

type Condition<F extends keyof DeliveryWhere> = (wanted: NonNullable<DeliveryWhere[F]>) => Filter<DeliveryDocument>

const ofMarks = <V>(marks: Readonly<Record<string, V>>, condition: (wanted: V) => unknown) =>
  Object.fromEntries(Object.entries(marks).map(([mark, wanted]) => [mark, condition(wanted)]))

const conditions: { readonly [F in keyof DeliveryWhere]-?: Condition<F> } = {
  _id: (_id) => ({ _id }),
  emailId: (emailId) => ({ emailId }),
  address: (address) => ({ _address: address }),
  projectId: (projectId) => ({ projectId }),
  dispatchId: (dispatchId) => ({ dispatchId }),
  status: (several) => ({ status: { $in: several } }),
  reason: (reason) => ({ reason }),
  createdAt: (createdAt) => ({ createdAt }),
  sentAt: (sentAt) => ({ sentAt }),
  tag: (tag) => ({ tags: tag }),
  undelivered: () => ({ $or: [{ status: 'failed' }, { returned: { $exists: true } }] }),
  since: (at) => ({ updatedAt: { $gte: at } }),
  marked: (marks) => ofMarks(marks, (has) => ({ $exists: has })),
  times: (marks) => ofMarks(marks, (n) => (n === 0 ? { $in: [0, null] } : n)),
}

const filterOf = (where: DeliveryWhere): Filter<DeliveryDocument> => ({
  $and: Object.entries(where).flatMap(([field, wanted]) =>
    wanted === undefined ? [] : [conditions[field as keyof DeliveryWhere](wanted as never)],
  ),
})

export const mongoDeliveriesPage =
  ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const filter = filterOf(where)
    const [items, count] = await Promise.all([
      queryInTime(() =>
        deliveries
          .find(filter, {
            ...deliveryProjection,
            sort: { [by]: order, _id: order },
            ...pageFindOptions({ skip, limit }),
            allowDiskUse: true,
          })
          .toArray(),
      ),
      queryInTime(() => deliveries.countDocuments(filter)),
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
    return queryInTime(() =>
      deliveries.find(filter, deliveryProjection).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray(),
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
      const { add, addMark, results } = resultCounter()
      for (const group of groups) {
        add(group._id.status, group._id.reason, group.n)
        for (const mark of deliveryMarks)
          addMark(mark, { mails: group[`${mark}_mails`], times: group[`${mark}_times`] })
      }
      return { ...results(), failures }
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
