import { type Deliveries, type Delivery, figuresOf } from '@posthorn/core/ports'
import type { Move, Steps } from './step.js'

type Deps = { readonly steps: Steps; readonly one: (id: string) => Promise<Delivery | null> }

/** What a provider says of a mail after its worker has lost it, or has recorded that it was sent. */
export const lateOutcomes = ({ steps, one }: Deps): Pick<Deliveries, 'report' | 'reject'> => ({
  report: async (id, providerMessageId, now, counted) => {
    const found = await one(id)
    if (found?.status !== 'uncertain') return false
    const { status, attempts, updatedAt } = found
    const move: Move = {
      in: 'deliveries',
      _id: id,
      where: { status, attempts, updatedAt },
      set: { status: 'sent', providerMessageId, sentAt: now, updatedAt: now },
      unset: ['error'],
      brings: { figures: figuresOf(counted, now) },
    }
    return (await steps.run({ moves: [move] })).made.length > 0
  },

  reject: async (id, error, now, figures) => {
    const found = await one(id)
    if (found?.status !== 'sent') return false
    const { status, attempts, updatedAt } = found
    const move: Move = {
      in: 'deliveries',
      _id: id,
      where: { status, attempts, updatedAt },
      set: { status: 'failed', error, updatedAt: now },
      unset: ['sentAt'],
      brings: { figures },
    }
    return (await steps.run({ moves: [move] })).made.length > 0
  },
})
