import { type HeldMails, neverDue } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retries.js'
import { deliveryIdsFilter, type LedgerCollections } from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

const slice = 1_000

const isHeld = { status: 'queued', notBefore: neverDue } as const

type Deps = {
  readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>
  readonly steps: Pick<LedgerSteps, 'sweep' | 'takeOver'>
}

export const mongoHeldMails = ({ collections: { deliveries, dispatches }, steps }: Deps): HeldMails => {
  const holdSingle = async (due: readonly { readonly _id: string; readonly dispatchId: string }[], now: string) => {
    const ids = [...new Set(due.map(({ dispatchId }) => dispatchId))]
    const single = await retried(() => dispatches.find({ _id: { $in: ids }, stage: 'single' }).toArray())
    const held = new Set(single.map(({ _id }) => _id))
    const mine = due.filter(({ dispatchId }) => held.has(dispatchId)).map(({ _id }) => _id)
    if (mine.length > 0)
      await retried(() =>
        deliveries.updateMany({ ...deliveryIdsFilter(mine) }, { $set: { notBefore: neverDue, updatedAt: now } }),
      )
    return mine.length
  }

  return {
    hold: async (until, now) => {
      // Outcomes recorded by the copied processes: those mails have been sent.
      await steps.takeOver()
      await steps.sweep()
      const queued = {
        $set: { status: 'queued', notBefore: now, updatedAt: now },
        $unset: { worker: true, leaseUntil: true, _claim: true },
      } as const
      await retried(() => deliveries.updateMany({ status: { $in: ['sending', 'uncertain'] } }, queued))
      let count = 0
      let due: { readonly _id: string; readonly dispatchId: string }[] = []
      const waiting = deliveries.find(
        { status: 'queued', $or: [{ notBefore: { $lte: until } }, { notBefore: now }] },
        { projection: { _id: 1, dispatchId: 1 }, batchSize: slice },
      )
      for await (const one of waiting) {
        due.push(one)
        if (due.length < slice) continue
        count += await holdSingle(due, now)
        due = []
      }
      return count + (await holdSingle(due, now))
    },
    release: async (now) => {
      const due = { $set: { notBefore: now, updatedAt: now } }
      return (await retried(() => deliveries.updateMany(isHeld, due))).modifiedCount
    },
    count: () => retried(() => deliveries.countDocuments(isHeld)),
  }
}
