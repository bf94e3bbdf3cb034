import type { Deliveries } from '@posthorn/core/ports/storage'
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

/** Turns pages of an audience into deliveries, some of which are leased from the start. */
export const expanding = ({ collections, steps, known }: Deps): Pick<Deliveries, 'expand'> => {
  const { dispatches } = collections
  const born = bornOf({ collections, known })

  return {
    /** Pages that take credit run one after the other under a lock, so that only the page that is stored takes it. */
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
      // Only the last page names the dispatch: while it expands, no caller queries whether it is done.
      const about = stage === 'expanding' ? {} : { about: dispatchId }
      const plan = { ...locked, ...about, moves: [move] }
      // Without a take there is nothing to undo if another process moved the cursor: the move then does not match.
      const { made: moves, areNew } = await steps.run(plan, takes && (async () => !(await isReady())))
      if (moves.length === 0) return undefined
      return born(births, dispatchId, areNew)
    },
  }
}
