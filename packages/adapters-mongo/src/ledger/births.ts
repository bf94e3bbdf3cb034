import type { Delivery } from '@posthorn/core/ports'
import { retried } from '../connection/retried.js'
import { type KnownClaims, newClaim } from './claims.js'
import type { DeliveryDocument, LedgerCollections } from './ledger-collections.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly known: KnownClaims }

/** How many are read at once of those that were born leased. */
const batchSize = 1_000

/** Deliveries that are to be added: those that are somebody's to send have the name of a claim, as if they had been handed out by it. */
export type Births = { readonly claim: string | undefined; readonly rows: readonly DeliveryDocument[] }

export const birthsOf = (made: readonly Delivery[]): Births => {
  const claim = made.some(({ status }) => status === 'sending') ? newClaim() : undefined
  const rows: readonly DeliveryDocument[] =
    claim === undefined ? made : made.map((row) => (row.status === 'sending' ? { ...row, _claim: claim } : row))
  return { claim, rows }
}

/** Which of them, that are somebody's to send, the ledger did not have before. `areNew`: whether that is known of all. */
export const bornOf =
  ({ collections: { deliveries }, known }: Deps) =>
  async ({ claim, rows }: Births, dispatchId: string, areNew: boolean): Promise<readonly string[]> => {
    if (claim === undefined) return []
    const find = () => {
      const options = { projection: { _id: 1, projectId: 1 }, batchSize } as const
      return retried(() => deliveries.find({ dispatchId, status: 'sending', _claim: claim }, options).toArray())
    }
    const born = areNew ? rows.filter(({ status }) => status === 'sending') : await find()
    known.add(born, claim)
    return born.map(({ _id }) => _id)
  }
