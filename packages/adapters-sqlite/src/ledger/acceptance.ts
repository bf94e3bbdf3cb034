import {
  type AcceptanceResult,
  type Delivery,
  type Dispatch,
  type DispatchToAccept,
  summedTakes,
} from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import type { CounterSteps } from './sqlite-counters.js'

type Deps = {
  readonly write: SqliteDatabase['write']
  readonly dispatches: Pick<SqliteRepository<Dispatch>, 'within'>
  readonly counters: CounterSteps
  readonly add: (deliveries: readonly Delivery[]) => readonly string[]
}

type Together = {
  readonly acceptances: DispatchToAccept[]
  readonly accepted: Promise<readonly AcceptanceResult[]>
  isUndone: boolean
}

/** Longer writes would delay others of the commit. */
const mostTogether = 50

/**
 * All of a commit are one write with one update per counter. If their sum exceeds a limit, checks each; if one fails, each is its own
 * write.
 */
export const dispatchAcceptances = ({ write, dispatches, counters, add }: Deps) => {
  let together: Together | undefined

  /** Dispatches are nearly always new: only a failed insert gives takes back. */
  const keep = ({ dispatch, deliveries, takes }: DispatchToAccept): AcceptanceResult => {
    if (dispatches.within.addNew(dispatch)) return { leased: add(deliveries) }
    for (const { key, n } of takes) counters.give({ key, n })
    return { leased: [] }
  }

  const acceptOne = (acceptance: DispatchToAccept): AcceptanceResult => {
    const refused = counters.take(acceptance.takes)
    if (!refused) return keep(acceptance)
    return dispatches.within.has({ _id: acceptance.dispatch._id }) ? { leased: [] } : { refused, leased: [] }
  }

  const acceptHeld = ({ dispatch, deliveries, takes }: DispatchToAccept): AcceptanceResult => {
    const there = dispatches.within.get({ _id: dispatch._id, stage: 'held' })
    if (!there) return { leased: [] }
    const refused = counters.take(takes)
    if (refused) return { refused, leased: [] }
    dispatches.within.change({ _id: there._id }, ({ creditsHeld }) => ({ ...dispatch, creditsHeld }))
    return { leased: add(deliveries) }
  }

  const acceptAll = (acceptances: readonly DispatchToAccept[]): readonly AcceptanceResult[] => {
    const refused = counters.take(summedTakes(acceptances))
    return acceptances.map(refused ? acceptOne : keep)
  }

  const close = (some: Together): void => {
    if (together === some) together = undefined
  }

  const begin = (): Together => {
    const acceptances: DispatchToAccept[] = []
    const step = () => {
      close(begun)
      try {
        return acceptAll(acceptances)
      } catch (error) {
        begun.isUndone = true
        throw error
      }
    }
    const accepted = write(step, () => acceptances.length)
    const begun: Together = { acceptances, accepted, isUndone: false }
    return begun
  }

  const acceptSoon = (acceptance: DispatchToAccept): Promise<AcceptanceResult> => {
    if (!together || together.acceptances.length >= mostTogether) together = begin()
    const mine = together
    const place = mine.acceptances.push(acceptance) - 1
    return mine.accepted.then(
      (all) => all[place] as AcceptanceResult,
      (error: unknown) => {
        close(mine)
        if (mine.isUndone && mine.acceptances.length > 1) return write(() => acceptOne(acceptance))
        throw error
      },
    )
  }

  return {
    accept: (acceptance: DispatchToAccept): Promise<AcceptanceResult> =>
      acceptance.isHeld ? write(() => acceptHeld(acceptance)) : acceptSoon(acceptance),

    acceptAll: (all: readonly DispatchToAccept[]): Promise<readonly AcceptanceResult[]> =>
      write(
        () => acceptAll(all),
        () => all.length,
      ),
  }
}
