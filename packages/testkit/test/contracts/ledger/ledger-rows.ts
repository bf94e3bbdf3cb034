import {
  type AudienceExpansion,
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  type DispatchToAccept,
  deliveryStatuses,
  type QueueClaim,
  type Settlement,
} from '@posthorn/core/ports/storage'
import { aDelivery, aDispatch, aTime, numberedId } from '@posthorn/testkit'

/** Rows, calls and queries of the ledger's suites. */

export const dispatchId = numberedId(0xd1)
export const credit = 'credit:a'
export const bulk = { lane: 'bulk', projectId: numberedId(0xb) } as const
export const transactional = { lane: 'transactional', projectId: numberedId(0xb) } as const

/** The instant `seconds` after `aTime`. */
export const at = (seconds: number) => new Date(Date.parse(aTime) + seconds * 1000).toISOString()

/** The delivery to the n-th contact. */
export const row = (n: number, given: Partial<Delivery> = {}) =>
  aDelivery({ dispatchId, contactId: numberedId(n), email: `contact${n}@example.com`, ...given })

export const rowId = (n: number) => row(n)._id

/** A dispatch in stage `sending` with these deliveries, and a credit taken for each. */
export const acceptance = (deliveries: readonly Delivery[], dispatch: Partial<Dispatch> = {}): DispatchToAccept => ({
  dispatch: aDispatch({ _id: dispatchId, stage: 'sending', ...dispatch }),
  deliveries,
  takes: [{ key: credit, n: deliveries.length }],
})

export const expansion = (given: Partial<AudienceExpansion> = {}): AudienceExpansion => ({
  dispatchId,
  after: undefined,
  cursor: numberedId(1),
  stage: 'expanding',
  deliveries: [],
  creditsHeld: 0,
  now: at(1),
  ...given,
})

/** A claim of ten bulk deliveries by worker-1, for a minute from now. */
export const claim = (given: Partial<QueueClaim> = {}): QueueClaim => ({
  queue: bulk,
  worker: 'worker-1',
  now: at(0),
  leaseUntil: at(60),
  limit: 10,
  ...given,
})

export const settlement = (n: number, given: Partial<Settlement> = {}): Settlement => ({
  _id: rowId(n),
  worker: 'worker-1',
  to: 'sent',
  now: at(1),
  attempted: true,
  ...(given.to === undefined && { providerMessageId: `message-${n}` }),
  ...given,
})

/** All deliveries of the dispatch, by status and then by `_id`. */
export const ledgerOf = async (deliveries: Deliveries, id = dispatchId): Promise<readonly Delivery[]> => {
  const rows: Delivery[] = []
  for (const status of deliveryStatuses) for await (const one of deliveries.each(id, status)) rows.push(one)
  return rows
}

export const numbersOf = (rows: readonly Pick<Delivery, 'contactId'>[]) =>
  rows.map(({ contactId = '' }) => Number.parseInt(contactId, 16))

/** The current delivery to the n-th contact. */
export const found = async (deliveries: Deliveries, n: number): Promise<Delivery | undefined> =>
  (await ledgerOf(deliveries)).find(({ _id }) => _id === rowId(n))

export const statusOf = async (deliveries: Deliveries, n: number): Promise<DeliveryStatus | undefined> =>
  (await found(deliveries, n))?.status
