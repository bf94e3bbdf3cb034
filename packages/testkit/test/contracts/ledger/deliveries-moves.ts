import {
  canMoveDelivery,
  type Deliveries,
  type DeliveryMove,
  type DeliveryStatus,
  deliveryMoves,
  deliveryStatuses,
} from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { acceptance, at, claim, credit, dispatchId, row, rowId, settlement, statusOf } from './ledger-rows.js'

/** The call that makes each move, on a ledger with a single delivery. */
const verbs: Readonly<Record<DeliveryMove, (deliveries: Deliveries) => Promise<unknown>>> = {
  claim: (deliveries) => deliveries.claim(claim({ now: at(20) })),
  deliver: (deliveries) => deliveries.settle([settlement(1)]),
  refuse: (deliveries) => deliveries.settle([settlement(1, { to: 'failed' })]),
  putOff: (deliveries) => deliveries.settle([settlement(1, { to: 'queued', notBefore: at(90) })]),
  exclude: (deliveries) => deliveries.settle([settlement(1, { to: 'excluded', reason: 'paused' })]),
  outcomeUnknown: (deliveries) => deliveries.settle([settlement(1, { to: 'uncertain', notBefore: at(90) })]),
  leaseExpired: (deliveries) => deliveries.reclaim(at(61), at(300)),
  report: (deliveries) => deliveries.report(rowId(1), 'message-1', at(20), []),
  requeue: (deliveries) => deliveries.reclaim(at(20), at(300)),
  stop: (deliveries) => deliveries.stop(dispatchId, credit, at(20)),
  halt: (deliveries) => deliveries.stop(dispatchId, credit, at(20), { name: 'Paused', message: 'Because.' }),
  reject: (deliveries) => deliveries.reject(rowId(1), { name: 'Reject', message: 'Virus' }, at(20), []),
  retry: (deliveries) => deliveries.retryFailed({ dispatchId, credit: { key: credit }, now: at(20) }),
}

/** Brings the only delivery into that status. An uncertain one is due at `at(10)`, unless the move is the loss of a lease. */
const bring = async (deliveries: Deliveries, status: DeliveryStatus, move: DeliveryMove): Promise<void> => {
  const waits = status === 'uncertain' ? { notBefore: move === 'leaseExpired' ? at(200) : at(10) } : {}
  await deliveries.accept(acceptance([row(1, { status: status === 'sending' ? 'queued' : status, ...waits })]))
  if (status === 'sending') await deliveries.claim(claim())
}

/** Tries every move from every status of a delivery. */
export const movesContract = (store: () => ContractStore) => {
  describe('a delivery changes its status only as the table allows:', () => {
    for (const status of deliveryStatuses)
      for (const move of Object.keys(deliveryMoves) as DeliveryMove[]) {
        const expected = canMoveDelivery(status, move) ? deliveryMoves[move].to : status
        it(`${status} after ${move} is ${expected}`, async () => {
          const { deliveries } = store()
          await bring(deliveries, status, move)
          await verbs[move](deliveries)
          expect(await statusOf(deliveries, 1)).toBe(expected)
        })
      }
  })
}
