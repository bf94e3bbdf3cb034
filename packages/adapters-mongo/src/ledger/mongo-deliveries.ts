import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  dispatchOf,
  type ExclusionReason,
  figuresOf,
  isNewLink,
  type Lane,
  mayRetry,
  withMark,
  withNames,
} from '@posthorn/core/ports'
import type { Filter } from 'mongodb'
import { retried } from '../connection/retried.js'
import { documentOf, newRevision, recordOf } from '../repository/document.js'
import { claiming, knownClaims, newClaim } from './claims.js'
import { deliveriesPage } from './deliveries-page.js'
import { holding, lockOf } from './held-dispatches.js'
import { keyedMutex } from './keyed-mutex.js'
import { type DeliveryDocument, deliveriesBy, deliveryFields, type LedgerCollections } from './ledger-collections.js'
import { pruning } from './pruning.js'
import { reclaiming } from './reclaims.js'
import { retryMoves } from './retry-moves.js'
import { settleMoves } from './settle-moves.js'
import type { Move, Steps } from './step.js'

type Deps = { readonly collections: LedgerCollections; readonly steps: Steps }

const openStatuses: readonly DeliveryStatus[] = ['queued', 'sending', 'uncertain']
const lanes: readonly Lane[] = ['transactional', 'bulk']

/** How many deliveries one step stops, and one page of a walk has. */
const pageSize = 1_000

/** The delivery ledger. What changes several documents is a step; what changes one, or each by itself, is an update. */
export const mongoDeliveries = ({ collections, steps }: Deps): Deliveries => {
  const { deliveries, dispatches } = collections
  const alone = keyedMutex()
  const known = knownClaims()
  const held = holding({ collections, steps })
  const page = deliveriesPage(collections)

  const isKnown = async (dispatchId: string) =>
    (await retried(() => dispatches.findOne({ _id: dispatchId }, { projection: { _id: 1 } }))) !== null

  /** Some of them. */
  const withStatus = (dispatchId: string, status: DeliveryStatus) =>
    retried(() =>
      deliveries.find({ dispatchId, status }, { ...deliveryFields, limit: pageSize, batchSize: pageSize }).toArray(),
    )

  const areStill = async (status: DeliveryStatus, some: readonly Delivery[]): Promise<boolean> => {
    const where = { ...deliveriesBy(some.map(({ _id }) => _id)), status }
    return (await retried(() => deliveries.countDocuments(where))) === some.length
  }

  /** Those that are somebody's to send have the name of a claim, as if they had been handed out by it. */
  const claimedBy = (made: readonly Delivery[]) => {
    const claim = made.some(({ status }) => status === 'sending') ? newClaim() : undefined
    const rows: readonly DeliveryDocument[] =
      claim === undefined ? made : made.map((row) => (row.status === 'sending' ? { ...row, _claim: claim } : row))
    return { claim, rows }
  }

  /** Which of them the ledger did not have before. */
  const bornOf = async (claim: string, dispatchId: string): Promise<readonly string[]> => {
    const options = { projection: { _id: 1, projectId: 1 }, batchSize: pageSize } as const
    const where = { dispatchId, status: 'sending', _claim: claim } as const
    const found = await retried(() => deliveries.find(where, options).toArray())
    known.add(found, claim)
    return found.map(({ _id }) => _id)
  }

  /** Carries out what was recorded of it, where that has not been done yet. */
  const one = async (id: string) => {
    if (steps.isWaiting(({ _id }) => _id === id)) await steps.carriedOut()
    return stored(id)
  }

  const stored = (id: string) =>
    retried(() => deliveries.findOne({ _id: id, dispatchId: dispatchOf(id) }, deliveryFields))

  /** What is recorded as to be sent again is in no queue before that is carried out. */
  const queued = async () => {
    if (steps.isWaiting(({ set }) => set.status === 'queued')) await steps.carriedOut()
  }

  const { claim, renew } = claiming({ collections, known })

  return {
    hold: held.hold,
    release: held.release,

    accept: async ({ dispatch, deliveries: made, takes, isHeld }) => {
      if (isHeld) return held.begin(dispatch, { about: dispatch._id, takes }, { deliveries: made })
      const plan = {
        lock: lockOf(dispatch._id),
        about: dispatch._id,
        takes,
        brings: { dispatches: [documentOf(dispatch, { _revision: newRevision() })], deliveries: made },
      }
      return (await steps.run(plan, () => isKnown(dispatch._id))).refused
    },

    /** One page after the other where it takes something, so that it is taken by the one that is made. */
    expand: async ({ dispatchId, after, cursor, stage, deliveries: made, creditsHeld, takes, refund, now }) => {
      const where = { stage: 'expanding', cursor: after ?? null } as const
      const isReady = async () =>
        (await retried(() => dispatches.findOne({ _id: dispatchId, ...where }, { projection: { _id: 1 } }))) !== null
      const born = claimedBy(made)
      const move: Move = {
        in: 'dispatches',
        _id: dispatchId,
        where,
        set: { cursor, stage, creditsHeld, progressAt: now, updatedAt: now },
        brings: { deliveries: born.rows, ...(refund && { gives: [refund] }) },
      }
      const locked = takes && { lock: `expand:${dispatchId}`, takes: [takes] }
      // While more pages follow, nobody asks whether all is done.
      const about = stage === 'expanding' ? {} : { about: dispatchId }
      const plan = { ...locked, ...about, moves: [move] }
      // Without a take there is nothing to undo where the cursor was moved meanwhile: the move says so itself.
      const { made: moves, areNew } = await steps.run(plan, takes && (async () => !(await isReady())))
      if (moves.length === 0) return undefined
      if (born.claim === undefined) return []
      if (!areNew) return bornOf(born.claim, dispatchId)
      const leased = born.rows.filter(({ status }) => status === 'sending')
      known.add(leased, born.claim)
      return leased.map(({ _id }) => _id)
    },

    /** Each count and the earliest time are read from the index of their status; only the lane of what is not queued is looked up. */
    backlog: async () => {
      await steps.carriedOut()
      const found = await Promise.all(
        openStatuses.map((status) =>
          retried(() =>
            deliveries
              .aggregate<{ readonly _id: Lane; readonly n: number; readonly oldest: string }>([
                { $match: { status } },
                { $group: { _id: '$lane', n: { $sum: 1 }, oldest: { $min: '$notBefore' } } },
              ])
              .toArray(),
          ),
        ),
      )
      const [queued = [], sending = [], uncertain = []] = found
      return lanes.map((lane) => {
        const count = (groups: typeof queued) => groups.find(({ _id }) => _id === lane)?.n ?? 0
        const oldest = queued.find(({ _id }) => _id === lane)?.oldest
        return {
          lane,
          queued: count(queued),
          sending: count(sending),
          uncertain: count(uncertain),
          ...(oldest !== undefined && { oldest }),
        }
      })
    },

    due: async (now) => {
      await queued()
      // Most often there is nothing, which is one question about both lanes.
      const any = { status: 'queued', lane: { $in: [...lanes] }, notBefore: { $lte: now } } as const
      if (!(await retried(() => deliveries.findOne(any, { projection: { _id: 1 } })))) return []
      const projectsOf = (lane: Lane) =>
        retried(() => deliveries.distinct('projectId', { status: 'queued', lane, notBefore: { $lte: now } }))
      const found = await Promise.all(
        lanes.map(async (lane) => (await projectsOf(lane)).map((projectId) => ({ lane, projectId }))),
      )
      return found.flat()
    },

    claim: async (wanted) => {
      await queued()
      return claim(wanted)
    },

    renew: async (ids, ...given) => {
      const asked = new Set(ids)
      if (steps.isWaiting(({ _id }) => asked.has(_id))) await steps.carriedOut()
      return renew(ids, ...given)
    },

    /** Durable when the step is: the deliveries follow within seconds, those of many batches together. */
    settle: async (settlements) => {
      if (settlements.some(({ _id }) => known.get(_id) === undefined)) await steps.carriedOut()
      const moves = await settleMoves(collections, known, settlements)
      if (moves.length > 0) await steps.runLater(moves)
      known.forget(settlements.map(({ _id }) => _id))
    },

    ...reclaiming({ collections, steps }),
    ...pruning(collections),

    report: async (id, providerMessageId, now, counted) => {
      const found = await one(id)
      if (found?.status !== 'uncertain') return false
      const { status, attempts, updatedAt } = found
      const move: Move = {
        in: 'deliveries',
        _id: id,
        where: { status, attempts, updatedAt },
        set: { status: 'sent', providerMessageId, sentAt: now, updatedAt: now },
        unset: ['error'],
        brings: { figures: figuresOf(counted, now) },
      }
      return (await steps.run({ moves: [move] })).made.length > 0
    },

    reject: async (id, error, now, figures) => {
      const found = await one(id)
      if (found?.status !== 'sent') return false
      const { status, attempts, updatedAt } = found
      const move: Move = {
        in: 'deliveries',
        _id: id,
        where: { status, attempts, updatedAt },
        set: { status: 'failed', error, updatedAt: now },
        unset: ['sentAt'],
        brings: { figures },
      }
      return (await steps.run({ moves: [move] })).made.length > 0
    },

    /** One after the other within a process; another process that was faster is found out by how often there is the mark. */
    mark: ({ _id, mark, name, now, link, counted }) =>
      alone(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return undefined
          const after = withMark(found, mark, name, link)
          if (after === found) return found
          const { [mark]: times = 0, markNames, clickedLinks } = after
          const names = name === undefined ? {} : { markNames: found.markNames ?? null }
          const move: Move = {
            in: 'deliveries',
            _id,
            where: { [mark]: found[mark] ?? null, ...names },
            set: { [mark]: times, ...(name !== undefined && { markNames }), ...(clickedLinks && { clickedLinks }) },
            brings: { figures: figuresOf(counted(times, isNewLink(found, link)), now) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return after
        }
      }),

    countOnce: (_id, counts) =>
      alone(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return
          const { after, fresh } = withNames(
            found,
            counts.map(({ name }) => name),
          )
          if (fresh.size === 0) return
          const move: Move = {
            in: 'deliveries',
            _id,
            where: { markNames: found.markNames ?? null },
            set: { markNames: after.markNames },
            brings: { figures: counts.flatMap((each) => (fresh.has(each.name) ? each.figures : [])) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return
        }
      }),

    get: async (id) => (await one(id)) ?? undefined,

    list: async (query) => {
      await steps.carriedOut()
      return page(query)
    },

    /**
     * A step that brings deliveries counts as some: they will be there in a moment. What is there says yes at once; no is only certain
     * where no step was under way before it was looked for.
     */
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
            .find({ dispatchId, status, _id: { $gt: after } }, deliveryFields)
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

    /** In several steps where there is much: each is right by itself, and the next call goes on. */
    stop: async (dispatchId, refund, now, error) => {
      const end = error ? ({ status: 'failed', error } as const) : ({ status: 'excluded', reason: 'stopped' } as const)
      await steps.carriedOut()
      for (let stopped = 0; ; ) {
        const page = await withStatus(dispatchId, 'queued')
        if (page.length === 0) return stopped
        const moves = page.map(
          ({ _id, status, attempts, updatedAt }): Move => ({
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

    /** One retry of a dispatch after the other: nothing else moves what has failed, so every move of a step is made. */
    retryFailed: async ({ dispatchId, credit, now }) => {
      await steps.carriedOut()
      for (let again = 0; ; ) {
        const failed = await withStatus(dispatchId, 'failed')
        const found = await retried(() => dispatches.findOne({ _id: dispatchId }))
        const dispatch = found && recordOf<Dispatch>(found)
        if (!dispatch || !mayRetry(dispatch) || failed.length === 0) return { again }
        const plan = {
          lock: `retry:${dispatchId}`,
          about: dispatchId,
          takes: [{ ...credit, n: failed.length }],
          moves: retryMoves(dispatch, failed, now),
        }
        const { refused, made } = await steps.run(plan, async () => !(await areStill('failed', failed)))
        if (refused) return { again, refused }
        again += made.filter((move) => move.in === 'deliveries').length
      }
    },
  }
}
