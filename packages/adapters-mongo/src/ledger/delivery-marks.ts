import { type Deliveries, type Delivery, figuresOf, isNewLink, withMark, withNames } from '@posthorn/core/ports/storage'
import { keyedMutex } from './keyed-mutex.js'
import type { Move, Steps } from './step.js'

type Deps = { readonly steps: Steps; readonly one: (id: string) => Promise<Delivery | null> }

/** Records opens, clicks, bounces and other marks, and adds their figures in the same step. */
export const deliveryMarks = ({ steps, one }: Deps): Pick<Deliveries, 'mark' | 'countOnce'> => {
  const alone = keyedMutex()

  return {
    /** Marks of one delivery run one after the other in a process. A changed count reveals that another process was faster. */
    mark: ({ _id, mark, name, returned, now, reportedAt = now, link, counted }) =>
      alone(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return undefined
          const after = withMark(found, { mark, name, now, reportedAt, link, returned })
          if (after === found) return found
          const { [mark]: times = 0, markNames, clickedLinks } = after
          const names = name === undefined ? {} : { markNames: found.markNames ?? null }
          const move: Move = {
            in: 'deliveries',
            _id,
            where: { [mark]: found[mark] ?? null, ...names },
            set: {
              [mark]: times,
              ...(name !== undefined && { markNames }),
              ...(clickedLinks && { clickedLinks }),
              ...(returned && { returned, updatedAt: reportedAt }),
            },
            brings: { figures: figuresOf(counted(times, isNewLink(found, link)), now) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return after
        }
      }),

    countOnce: (_id, counts) =>
      alone(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return
          const { after, fresh } = withNames(
            found,
            counts.map(({ name }) => name),
          )
          if (fresh.size === 0) return
          const move: Move = {
            in: 'deliveries',
            _id,
            where: { markNames: found.markNames ?? null },
            set: { markNames: after.markNames },
            brings: { figures: counts.flatMap((each) => (fresh.has(each.name) ? each.figures : [])) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return
        }
      }),
  }
}
