import { type Deliveries, type Delivery, type DeliveryStatus, figuresOf } from '@posthorn/core/ports/storage'
import type { Move, Steps } from './step.js'

type Deps = { readonly steps: Steps; readonly one: (id: string) => Promise<Delivery | null> }

/** Records outcomes that a provider reports after the worker lost the delivery or stored it as sent. */
export const lateOutcomes = ({ steps, one }: Deps): Pick<Deliveries, 'report' | 'reject'> => {
  /** Retries if another report, such as a bounce, changed the delivery between read and write. */
  const moved = async (id: string, from: DeliveryStatus, change: Pick<Move, 'set' | 'unset' | 'brings'>) => {
    for (;;) {
      const found = await one(id)
      if (found?.status !== from) return false
      const { status, attempts, updatedAt } = found
      const where = { status, attempts, updatedAt }
      const { made } = await steps.run({ moves: [{ in: 'deliveries', _id: id, where, ...change }] })
      if (made.length > 0) return true
    }
  }

  return {
    report: (id, providerMessageId, now, counted) =>
      moved(id, 'uncertain', {
        set: { status: 'sent', providerMessageId, sentAt: now, updatedAt: now },
        unset: ['error'],
        brings: { figures: figuresOf(counted, now) },
      }),

    reject: (id, error, now, figures) =>
      moved(id, 'sent', {
        set: { status: 'failed', error, updatedAt: now },
        unset: ['sentAt'],
        brings: { figures },
      }),
  }
}
