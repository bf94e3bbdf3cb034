import { type Deliveries, dispatchIdOf } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retries.js'
import { documentOfRecord, newRevision } from '../records/documents.js'
import {
  acceptanceLockName,
  creditHoldingDispatches,
  mongoAcceptAll,
  mongoAudienceExpander,
  newDeliveryDocuments,
  newLeasedDeliveryIds,
} from './acceptance.js'
import { deliveryClaimCache, deliveryClaiming, deliveryQueues, expiredLeaseReclaims } from './claims.js'
import { mongoDeliveriesPage, newestDeliveries } from './delivery-queries.js'
import { deliveryPruning, dispatchReads, dispatchStopsAndRetries } from './dispatches.js'
import { deliveryProjection, type LedgerCollections } from './ledger-collections.js'
import { lateOutcomes, ledgerMarkWrites, settlementMoves } from './outcomes.js'
import type { LedgerSteps } from './step.js'

type Deps = { readonly collections: LedgerCollections; readonly steps: LedgerSteps }

export const mongoDeliveries = ({ collections, steps }: Deps): Deliveries => {
  const { deliveries, dispatches } = collections
  const known = deliveryClaimCache()
  const held = creditHoldingDispatches({ collections, steps })
  const page = mongoDeliveriesPage(collections)
  const newest = newestDeliveries(collections)
  const leasedIn = newLeasedDeliveryIds({ collections, known })
  const { claim, renew } = deliveryClaiming({ collections, known })

  const isKnown = async (dispatchId: string) =>
    (await retried(() => dispatches.findOne({ _id: dispatchId }, { projection: { _id: 1 } }))) !== null

  const stored = (id: string) =>
    retried(() => deliveries.findOne({ _id: id, dispatchId: dispatchIdOf(id) }, deliveryProjection))

  const one = async (id: string) => {
    if (steps.isWaiting(({ _id }) => _id === id)) await steps.carriedOut()
    return stored(id)
  }

  const queued = async () => {
    if (steps.isWaiting(({ set }) => set.status === 'queued')) await steps.carriedOut()
  }

  return {
    hold: held.hold,
    release: held.release,

    accept: async ({ dispatch, deliveries: made, takes, isHeld }) => {
      const added = newDeliveryDocuments(made)
      if (isHeld) {
        const refused = await held.begin(dispatch, { about: dispatch._id, takes }, { deliveries: added.rows })
        return refused ? { refused, leased: [] } : { leased: await leasedIn(added, [dispatch._id], false) }
      }
      const plan = {
        lock: acceptanceLockName(dispatch._id),
        about: dispatch._id,
        takes,
        brings: { dispatches: [documentOfRecord(dispatch, { _revision: newRevision() })], deliveries: added.rows },
      }
      const { refused, areNew } = await steps.run(plan, () => isKnown(dispatch._id))
      return refused ? { refused, leased: [] } : { leased: await leasedIn(added, [dispatch._id], areNew) }
    },

    acceptAll: mongoAcceptAll({ collections, steps, known }),

    ...mongoAudienceExpander({ collections, steps, known }),
    ...deliveryQueues({ collections, queued, carriedOut: steps.carriedOut }),

    claim: async (wanted) => {
      await queued()
      return claim(wanted)
    },

    renew: async (ids, ...given) => {
      const asked = new Set(ids)
      if (steps.isWaiting(({ _id }) => asked.has(_id))) await steps.carriedOut()
      return renew(ids, ...given)
    },

    /** Durable once the step is stored; deliveries are updated within seconds. */
    settle: async (settlements) => {
      if (settlements.some(({ _id }) => known.get(_id) === undefined)) await steps.carriedOut()
      const moves = await settlementMoves(collections, known, settlements)
      if (moves.length > 0) await steps.runLater(moves)
      known.forget(settlements.map(({ _id }) => _id))
    },

    ...expiredLeaseReclaims({ collections, steps }),
    ...deliveryPruning(collections),
    ...lateOutcomes({ steps, one }),
    ...ledgerMarkWrites({ steps, one }),
    ...dispatchReads({ collections, steps }),
    ...dispatchStopsAndRetries({ collections, steps }),

    get: async (id) => (await one(id)) ?? undefined,

    list: async (query) => {
      await steps.carriedOut()
      return page(query)
    },

    newest: async (walk) => {
      await steps.carriedOut()
      return newest(walk)
    },
  }
}
