import { collected } from '../../kernel/listing.js'
import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import { serverChannel } from '../channels/channel.js'
import type { Leaves } from '../channels/leaves.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Delivering, Leased } from './delivering.js'
import type { DispatchEnds } from './dispatch-ends.js'
import type { Expander } from './expansion.js'
import type { Leases } from './leases.js'
import { lookout } from './lookout.js'
import type { PacedProjects } from './paced-projects.js'
import { pageRoom } from './page-room.js'
import { type Singles, singlesFirst as singlesFirstOf } from './singles-first.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly expander: Expander
  readonly ends: Pick<DispatchEnds, 'finishIfDone'>
  readonly leaves: Pick<Leaves, 'page'>
  readonly projects: PacedProjects
  readonly leases: Leases
  readonly delivering: Pick<Delivering, 'leased'>
  /** Hears of projects that have rows in the queue now. */
  readonly queued: (projectId: string) => void
  readonly worker: string
  readonly stopping: () => AbortSignal | undefined
  readonly singles: Singles
  readonly wakeUp: WakeUp
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/**
 * How old the store's last answer to what is to be expanded may be, which nobody waits for as for a single mail, and where there was
 * nothing for long. A wake-up asks at once.
 */
const lookTimes = { first: 5_000, longest: 10_000 }
/** How long a dispatch is left to the worker that expanded a page of it faster. */
const yieldTime = 30_000

/** A page's life: its audience becomes rows of the ledger that are this worker's, and are on their way at once. */
export const expanding = (deps: Deps) => {
  const { repositories, expander, ends, leaves, projects, leases, delivering, queued, worker } = deps
  const { stopping, wakeUp, clock, log } = deps
  const room = pageRoom(deps)
  const singlesFirst = singlesFirstOf(deps)
  /** Those of which this worker has expanded a page, until they are no longer among those that are to be expanded. */
  const expandedHere = new Set<string>()
  /** Dispatches that another worker expands, and until when they are left to it. */
  const yielded = new Map<string, number>()
  const open = lookout({
    ask: () => collected(repositories.dispatches.each({ stage: 'expanding' })),
    isNothing: (dispatches) => dispatches.length === 0,
    clock,
    wakeUp,
    times: lookTimes,
  })

  const finishExpanded = async (left: readonly Dispatch[]): Promise<void> => {
    if (expandedHere.size === 0) return
    const ids = new Set(left.map(({ _id }) => _id))
    for (const _id of [...expandedHere].filter((one) => !ids.has(one))) {
      await ends.finishIfDone(_id)
      expandedHere.delete(_id)
    }
  }

  /** Sends what was born leased, without waiting for it. */
  const sendPage = (dispatchId: string, page: readonly Leased[]): void => {
    const rows = page.map(({ delivery }) => delivery)
    leases.hold(rows)
    room.taken(rows.length)
    const ids = rows.map(({ _id }) => _id)
    void leases
      .during(delivering.leased(page), ids)
      .catch((error: unknown) =>
        log('error', 'A page of a dispatch failed; its leases will run out', { dispatchId, error }),
      )
      .finally(() => room.freed(rows.length))
  }

  const expandPage = async (dispatch: Dispatch): Promise<boolean> => {
    await singlesFirst()
    await room.soon()
    const project = await projects.get(dispatch.projectId)
    const page = await expander.expandPage(dispatch, {
      worker,
      leaseUntil: leases.end(),
      take: async (wanted) => {
        const left = dispatch.feeds ? room.leftForSlow() : room.left()
        const n = stopping()?.aborted ? 0 : Math.min(wanted, left)
        return project && n > 0 ? leaves.page(project, dispatch.channel ?? serverChannel, n) : 0
      },
    })
    expandedHere.add(dispatch._id)
    if (page && page.queued > 0) queued(dispatch.projectId)
    if (page && page.leased.length > 0) sendPage(dispatch._id, page.leased)
    return page !== undefined
  }

  const isYielded = (dispatchId: string): boolean => {
    const until = yielded.get(dispatchId)
    if (until === undefined) return false
    // What was answered is older than what the other has done since.
    if (until <= clock().getTime() && yielded.delete(dispatchId)) open.forget()
    return true
  }

  return {
    /** A page of each dispatch that is to be expanded; answers whether there was any. */
    expandSome: async (): Promise<boolean> => {
      let moved = false
      const dispatches = await open.answer()
      await finishExpanded(dispatches)
      for (const dispatch of dispatches) {
        if (isYielded(dispatch._id)) continue
        try {
          const isMine = await expandPage(dispatch)
          if (!isMine) yielded.set(dispatch._id, clock().getTime() + yieldTime)
          moved = isMine || moved
          open.forget()
        } catch (error) {
          open.forget()
          log('error', 'A dispatch could not be expanded', { dispatchId: dispatch._id, error })
        }
      }
      return moved
    },

    /** Dispatches that may get more rows from here. */
    dispatches: (): readonly string[] => [...expandedHere],
    /** Ends the waiting for room. */
    wake: room.wake,
    /** The next who expands asks the store, and leaves nothing to others. */
    forget: (): void => {
      open.forget()
      yielded.clear()
    },
  }
}
export type Expanding = ReturnType<typeof expanding>
