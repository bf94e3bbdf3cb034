import type { Deliveries, Delivery } from '@posthorn/core/ports'
import { retried } from '../connection/retried.js'
import { type KnownClaims, newClaim } from './claims.js'
import type { DeliveryDocument, LedgerCollections } from './ledger-collections.js'
import type { Move, Steps } from './step.js'

type Deps = {
  readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>
  readonly steps: Steps
  readonly known: KnownClaims
}

/** How many are read at once of those that were born leased. */
const batchSize = 1_000

/** Those that are somebody's to send have the name of a claim, as if they had been handed out by it. */
const claimedBy = (made: readonly Delivery[]) => {
  const claim = made.some(({ status }) => status === 'sending') ? newClaim() : undefined
  const rows: readonly DeliveryDocument[] =
    claim === undefined ? made : made.map((row) => (row.status === 'sending' ? { ...row, _claim: claim } : row))
  return { claim, rows }
}

/** Pages of an audience that become deliveries, some of them born as their worker's. */
export const expanding = ({
  collections: { deliveries, dispatches },
  steps,
  known,
}: Deps): Pick<Deliveries, 'expand'> => {
  /** Which of them the ledger did not have before. */
  const bornOf = async (claim: string, dispatchId: string): Promise<readonly string[]> => {
    const options = { projection: { _id: 1, projectId: 1 }, batchSize } as const
    const where = { dispatchId, status: 'sending', _claim: claim } as const
    const found = await retried(() => deliveries.find(where, options).toArray())
    known.add(found, claim)
    return found.map(({ _id }) => _id)
  }

  return {
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
  }
}
