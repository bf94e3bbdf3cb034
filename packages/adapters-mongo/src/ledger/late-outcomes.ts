import { type Deliveries, type Delivery, type DeliveryStatus, figuresOf } from '@posthorn/core/ports'
import type { Move, Steps } from './step.js'

type Deps = { readonly steps: Steps; readonly one: (id: string) => Promise<Delivery | null> }

/** What a provider says of a mail after its worker has lost it, or has recorded that it was sent. */
export const lateOutcomes = ({ steps, one }: Deps): Pick<Deliveries, 'report' | 'reject'> => {
  /** Again where something else was told of it meanwhile, such as that it came back: that moves it, too. */
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
