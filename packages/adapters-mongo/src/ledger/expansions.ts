import type { Deliveries } from '@posthorn/core/ports'
import { retried } from '../connection/retried.js'
import { birthsOf, bornOf } from './births.js'
import type { KnownClaims } from './claims.js'
import type { LedgerCollections } from './ledger-collections.js'
import type { Move, Steps } from './step.js'

type Deps = {
  readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>
  readonly steps: Steps
  readonly known: KnownClaims
}

/** Pages of an audience that become deliveries, some of them born as their worker's. */
export const expanding = ({ collections, steps, known }: Deps): Pick<Deliveries, 'expand'> => {
  const { dispatches } = collections
  const born = bornOf({ collections, known })

  return {
    /** One page after the other where it takes something, so that it is taken by the one that is made. */
    expand: async ({ dispatchId, after, cursor, stage, deliveries: made, creditsHeld, takes, refund, now }) => {
      const where = { stage: 'expanding', cursor: after ?? null } as const
      const isReady = async () =>
        (await retried(() => dispatches.findOne({ _id: dispatchId, ...where }, { projection: { _id: 1 } }))) !== null
      const births = birthsOf(made)
      const move: Move = {
        in: 'dispatches',
        _id: dispatchId,
        where,
        set: { cursor, stage, creditsHeld, progressAt: now, updatedAt: now },
        brings: { deliveries: births.rows, ...(refund && { gives: [refund] }) },
      }
      const locked = takes && { lock: `expand:${dispatchId}`, takes: [takes] }
      // While more pages follow, nobody asks whether all is done.
      const about = stage === 'expanding' ? {} : { about: dispatchId }
      const plan = { ...locked, ...about, moves: [move] }
      // Without a take there is nothing to undo where the cursor was moved meanwhile: the move says so itself.
      const { made: moves, areNew } = await steps.run(plan, takes && (async () => !(await isReady())))
      if (moves.length === 0) return undefined
      return born(births, dispatchId, areNew)
    },
  }
}
