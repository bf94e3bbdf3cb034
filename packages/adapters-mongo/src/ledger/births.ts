import type { Delivery } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import { type KnownClaims, newClaim } from './claims.js'
import type { DeliveryDocument, LedgerCollections } from './ledger-collections.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly known: KnownClaims }

/** Deliveries per batch of the server's reply. */
const batchSize = 1_000

/** Deliveries to add. The leased ones carry the name of a claim, as if that claim had leased them. */
export type Births = { readonly claim: string | undefined; readonly rows: readonly DeliveryDocument[] }

export const birthsOf = (made: readonly Delivery[]): Births => {
  const claim = made.some(({ status }) => status === 'sending') ? newClaim() : undefined
  const rows: readonly DeliveryDocument[] =
    claim === undefined ? made : made.map((row) => (row.status === 'sending' ? { ...row, _claim: claim } : row))
  return { claim, rows }
}

/** Returns the ids of the leased deliveries that are new in the ledger. `areNew`: whether all are known to be new, which saves a query. */
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
