import { type Deliveries, type Delivery, type Dispatch, moveDispatch } from '@posthorn/core/ports/storage'
import { statementRunner } from '../database/connection.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import type { ContactSegmentIndex } from '../segment-index/segment-index.js'
import { dispatchAcceptances } from './acceptance.js'
import { newestDeliveries, sqliteDeliveriesPage } from './delivery-queries.js'
import {
  deliveryOfRow,
  deliveryValuesOf,
  insertDeliverySql,
  insertNewDeliveriesSql,
  insertNewDeliverySql,
  isNewborn,
  newDeliveryRowsOf,
  newDeliveryValuesOf,
} from './delivery-rows.js'
import { deliveryPruning, dispatchReads, dispatchStopsAndRetries } from './dispatches.js'
import { lateOutcomes, ledgerMarkWrites, settlementWriter } from './outcomes.js'
import { deliveryQueues } from './queues.js'
import type { CounterSteps } from './sqlite-counters.js'
import type { FiguresWithinCommit } from './sqlite-figures.js'
import type { WorkerLivenessLocks } from './worker-locks.js'

type Deps = {
  readonly database: SqliteDatabase
  readonly dispatches: SqliteRepository<Dispatch>
  readonly counters: CounterSteps
  readonly figures: FiguresWithinCommit
  readonly locks: WorkerLivenessLocks
  readonly index: Pick<ContactSegmentIndex, 'noteReceived'>
}

export const sqliteDeliveries = ({ database, dispatches, counters, figures, locks, index }: Deps): Deliveries => {
  const { statement, write } = database

  const changed = statementRunner(statement)
  const settle = settlementWriter({ database, counters, figures, index })

  const add = (deliveries: readonly Delivery[]): readonly string[] => {
    const added = deliveries.every(isNewborn)
      ? newDeliveryRowsOf(deliveries).flatMap(({ own, shared }) =>
          statement(insertNewDeliveriesSql).all(own, ...shared),
        )
      : deliveries.flatMap((delivery) => statement(insertDeliverySql).all(...deliveryValuesOf(delivery)))
    const leased = new Set(deliveries.flatMap(({ _id, status }) => (status === 'sending' ? [_id] : [])))
    return leased.size === 0 ? [] : added.flatMap(({ _id }) => (leased.has(String(_id)) ? [String(_id)] : []))
  }

  /** As `add`, without the cost of JSON. */
  const addNewborn = (delivery: Delivery): readonly string[] => {
    const { changes } = statement(insertNewDeliverySql).run(...newDeliveryValuesOf(delivery))
    return Number(changes) > 0 && delivery.status === 'sending' ? [delivery._id] : []
  }

  const addAll = (deliveries: readonly Delivery[]): readonly string[] => {
    const [only, ...others] = deliveries
    return only && others.length === 0 && isNewborn(only) ? addNewborn(only) : add(deliveries)
  }

  const holdLocks = (deliveries: readonly Delivery[]): void => {
    for (const { worker } of deliveries) if (worker !== undefined) locks.hold(worker)
  }

  const { accept, acceptAll } = dispatchAcceptances({ write, dispatches, counters, add: addAll })

  return {
    accept: (acceptance) => {
      holdLocks(acceptance.deliveries)
      return accept(acceptance)
    },

    acceptAll: (_id, all) => {
      holdLocks(all.flatMap(({ deliveries }) => deliveries))
      return acceptAll(all)
    },

    hold: ({ dispatch, key, limit }) =>
      write(() => {
        const there = dispatches.within.get({ _id: dispatch._id })
        if (there && there.stage !== 'held') return undefined
        const more = dispatch.creditsHeld - (there?.creditsHeld ?? 0)
        const refused = more > 0 ? counters.take([{ key, n: more, limit }]) : undefined
        if (refused) return refused
        if (more < 0) counters.give({ key, n: -more })
        if (there) dispatches.within.change({ _id: there._id }, () => dispatch)
        else dispatches.within.add(dispatch)
        return undefined
      }),

    release: (dispatchId, refund, now) =>
      write(() => {
        const there = dispatches.within.get({ _id: dispatchId, stage: 'held' })
        if (!there) return false
        dispatches.within.change({ _id: dispatchId }, (one) => ({ ...moveDispatch(one, 'stop', now), creditsHeld: 0 }))
        counters.give({ key: refund, n: there.creditsHeld })
        return true
      }),

    expand: ({ dispatchId, after, cursor, stage, deliveries, creditsHeld, takes, refund, now }) => {
      holdLocks(deliveries)
      return write(() => {
        const there = dispatches.within.get({ _id: dispatchId })
        if (there?.stage !== 'expanding' || there.cursor !== after) return undefined
        if (takes && counters.take([takes])) return undefined
        const moved = { cursor, stage, creditsHeld, progressAt: now, updatedAt: now }
        dispatches.within.change({ _id: dispatchId }, (dispatch) => ({ ...dispatch, ...moved }))
        const leased = add(deliveries)
        if (refund) counters.give(refund)
        return leased
      })
    },

    settle: (settlements) => write(() => settle(settlements)),

    get: async (id) => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(id)
      return row && deliveryOfRow(row)
    },

    list: sqliteDeliveriesPage(database),
    newest: newestDeliveries(database),

    ...deliveryQueues({ database, changed, locks }),
    ...lateOutcomes({ database, changed, figures }),
    ...ledgerMarkWrites({ database, figures }),
    ...dispatchReads(database),
    ...dispatchStopsAndRetries({ database, changed, dispatches, counters }),
    ...deliveryPruning({ database, changed }),
  }
}
