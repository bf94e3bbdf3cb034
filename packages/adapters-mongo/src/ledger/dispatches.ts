import {
  canMoveDispatch,
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  type ExclusionReason,
  mayRetryDispatch,
  type RetryChoice,
  stageAfterRetry,
} from '@posthorn/core/ports/storage'
import type { Filter } from 'mongodb'
import { retried } from '../connection/retries.js'
import { recordOfDocument } from '../records/documents.js'
import {
  type DeliveryDocument,
  deliveryIdsFilter,
  deliveryProjection,
  type LedgerCollections,
  openStatuses,
} from './ledger-collections.js'
import type { LedgerDocumentChange, LedgerSteps } from './step.js'

type StateDeps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly steps: LedgerSteps }

const pageSize = 1_000

export const dispatchReads = ({
  collections: { deliveries },
  steps,
}: StateDeps): Pick<Deliveries, 'open' | 'untried' | 'tally' | 'each'> => ({
  /** Counts a step that will add deliveries as open. */
  open: async (dispatchId) => {
    await steps.carriedOut()
    const isThere = async () =>
      (await retried(() =>
        deliveries.findOne({ dispatchId, status: { $in: [...openStatuses] } }, { projection: { _id: 1 } }),
      )) !== null
    return (await isThere()) || (await steps.underWay(dispatchId)) || (await isThere())
  },

  untried: async (dispatchId) => {
    await steps.carriedOut()
    const isThere = async (which: Filter<DeliveryDocument>) =>
      (await retried(() =>
        deliveries.findOne({ dispatchId, status: { $in: [...openStatuses] }, ...which }, { projection: { _id: 1 } }),
      )) !== null
    return (
      (await isThere({ attempts: 0 })) ||
      (await steps.underWay(dispatchId)) ||
      (await isThere({ attempts: 0 })) ||
      (await isThere({ error: { $exists: false } }))
    )
  },

  tally: async (dispatchId) => {
    await steps.carriedOut()
    const counts = <K extends string>(match: object, field: string) =>
      retried(() =>
        deliveries
          .aggregate<{ _id: K; n: number }>([{ $match: match }, { $group: { _id: `$${field}`, n: { $sum: 1 } } }])
          .toArray(),
      )
    const [statuses, reasons] = await Promise.all([
      counts<DeliveryStatus>({ dispatchId }, 'status'),
      counts<ExclusionReason>({ dispatchId, status: 'excluded', reason: { $exists: true } }, 'reason'),
    ])
    const numbers = (found: readonly { _id: string; n: number }[]) =>
      Object.fromEntries(found.map(({ _id, n }) => [_id, n]))
    const none = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<DeliveryStatus, number>
    return { byStatus: { ...none, ...numbers(statuses) }, excluded: numbers(reasons) }
  },

  async *each(dispatchId, status) {
    await steps.carriedOut()
    for (let after = ''; ; ) {
      const page = await retried(() =>
        deliveries
          .find({ dispatchId, status, _id: { $gt: after } }, deliveryProjection)
          .sort({ _id: 1 })
          .limit(pageSize)
          .batchSize(pageSize)
          .toArray(),
      )
      yield* page
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last._id
    }
  },
})

type Retried = Pick<Dispatch, '_id' | 'stage' | 'updatedAt' | 'resumes'>

/** The move that resumes the dispatch; none if it is already running. */
const goingOn = ({ _id, stage, updatedAt, resumes }: Retried, now: string): readonly LedgerDocumentChange[] =>
  canMoveDispatch({ stage, ...(resumes && { resumes }) }, 'retry')
    ? [
        {
          in: 'dispatches',
          _id,
          where: { stage, updatedAt },
          set: { stage: stageAfterRetry({ ...(resumes && { resumes }) }), progressAt: now, updatedAt: now },
          unset: ['finishedAt', 'resumes', 'errorMessage', 'stopError'],
        },
      ]
    : []

const queuedAgain = ({ _id, status, attempts, updatedAt }: Delivery, now: string): LedgerDocumentChange => ({
  in: 'deliveries',
  _id,
  where: { status, attempts, updatedAt },
  set: { status: 'queued', attempts: 0, notBefore: now, updatedAt: now },
})

export const dispatchRetryChanges = (
  dispatch: Retried,
  failed: readonly Delivery[],
  now: string,
): readonly LedgerDocumentChange[] => [
  ...goingOn(dispatch, now),
  ...failed.map((delivery) => queuedAgain(delivery, now)),
]

type StopDeps = {
  readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>
  readonly steps: LedgerSteps
}

const stepSize = 1_000

export const dispatchStopsAndRetries = ({
  collections: { deliveries, dispatches },
  steps,
}: StopDeps): Pick<Deliveries, 'stop' | 'retryFailed'> => {
  const withStatus = (dispatchId: string, status: DeliveryStatus, { deliveryId, reasons }: RetryChoice = {}) => {
    const failedSo = reasons?.map(({ name, message }) => ({ 'error.name': name, 'error.message': message }))
    const one = deliveryId === undefined ? {} : { _id: deliveryId }
    const where = { dispatchId, status, ...one, ...(failedSo && { $or: failedSo }) }
    return retried(() =>
      deliveries.find(where, { ...deliveryProjection, limit: stepSize, batchSize: stepSize }).toArray(),
    )
  }

  const areStill = async (status: DeliveryStatus, some: readonly Delivery[]): Promise<boolean> => {
    const where = { ...deliveryIdsFilter(some.map(({ _id }) => _id)), status }
    return (await retried(() => deliveries.countDocuments(where))) === some.length
  }

  return {
    /** Several steps, each consistent by itself; after an interruption the next call continues. */
    stop: async (dispatchId, refund, now, error) => {
      const end = error ? ({ status: 'failed', error } as const) : ({ status: 'excluded', reason: 'stopped' } as const)
      await steps.carriedOut()
      for (let stopped = 0; ; ) {
        const page = await withStatus(dispatchId, 'queued')
        if (page.length === 0) return stopped
        const moves = page.map(
          ({ _id, status, attempts, updatedAt }): LedgerDocumentChange => ({
            in: 'deliveries',
            _id,
            where: { status, attempts, updatedAt },
            set: { ...end, updatedAt: now },
            brings: { gives: [{ key: refund, n: 1 }] },
          }),
        )
        stopped += (await steps.run({ lock: `stop:${dispatchId}`, moves })).made.length
      }
    },

    /** Under a lock; nothing else changes failed deliveries, so every move is made. */
    retryFailed: async ({ dispatchId, credit, now, ...choice }) => {
      if (choice.reasons?.length === 0) return { again: 0 }
      await steps.carriedOut()
      for (let again = 0; ; ) {
        const failed = await withStatus(dispatchId, 'failed', choice)
        const found = await retried(() => dispatches.findOne({ _id: dispatchId }))
        const dispatch = found && recordOfDocument<Dispatch>(found)
        if (!dispatch || !mayRetryDispatch(dispatch, again > 0) || failed.length === 0) return { again }
        const plan = {
          lock: `retry:${dispatchId}`,
          about: dispatchId,
          takes: [{ ...credit, n: failed.length }],
          moves: dispatchRetryChanges(dispatch, failed, now),
        }
        const { refused, made } = await steps.run(plan, async () => !(await areStill('failed', failed)))
        if (refused) return { again, refused }
        again += made.filter((move) => move.in === 'deliveries').length
      }
    },
  }
}

const final: readonly DeliveryStatus[] = ['sent', 'failed', 'excluded']

/** Finds ids first, because a removal takes no limit. */
export const deliveryPruning = ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Pick<Deliveries, 'prune'> => ({
  prune: async (dispatchIds, limit, before) => {
    const of = { dispatchId: { $in: [...dispatchIds] } }
    const isOver = { status: { $in: [...final] }, ...(before !== undefined && { updatedAt: { $lt: before } }) }
    const over = { ...of, ...isOver }
    const options = { projection: { _id: 1 }, limit, batchSize: limit } as const
    const found = await retried(() => deliveries.find(over, options).toArray())
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0) await retried(() => deliveries.deleteMany({ ...deliveryIdsFilter(ids), ...isOver }))
    const left = new Set(await retried(() => deliveries.distinct('dispatchId', of)))
    return { removed: ids.length, gone: dispatchIds.filter((id) => !left.has(id)) }
  },
})
