import { type Deliveries, type Dispatch, dispatchMoves } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import { documentOf, newRevision } from '../repository/document.js'
import type { LedgerCollections } from './ledger-collections.js'
import type { Move, Plan, Steps } from './step.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'dispatches'>; readonly steps: Steps }

/** State of a held dispatch, as read before a change. It changes only under its lock. */
type Held = { readonly stage: 'held'; readonly creditsHeld: number; readonly updatedAt: string }

export const lockOf = (dispatchId: string) => `accept:${dispatchId}`

/** Dispatches that hold credit. Every change to one runs under its lock, so that the state read under the lock is current. */
export const holding = ({ collections: { dispatches }, steps }: Deps) => {
  const heldOf = async (_id: string): Promise<Held | undefined> => {
    const found = (await retried(() => dispatches.findOne({ _id, stage: 'held' }))) as Held | null
    return found ? { stage: 'held', creditsHeld: found.creditsHeld, updatedAt: found.updatedAt } : undefined
  }

  const isThere = async (_id: string, where: object = {}): Promise<boolean> =>
    (await retried(() => dispatches.findOne({ _id, ...where }, { projection: { _id: 1 } }))) !== null

  /** Changes the held dispatch if it is still as it was read; `isDone` is false if another process was faster. */
  const change = async (_id: string, where: Held, set: Move['set'], plan: Plan, brings: Move['brings'] = {}) => {
    const moves: readonly Move[] = [{ in: 'dispatches', _id, where, set, brings }]
    const { refused, made } = await steps.run(
      { ...plan, lock: lockOf(_id), moves },
      async () => !(await isThere(_id, where)),
    )
    return { refused, isDone: made.length > 0 }
  }

  const add = async ({ dispatch, key, limit }: Parameters<Deliveries['hold']>[0]) => {
    const { _id, creditsHeld } = dispatch
    const brings = { dispatches: [documentOf(dispatch, { _revision: newRevision() })] }
    const plan = { lock: lockOf(_id), takes: [{ key, n: creditsHeld, limit }], brings }
    return (await steps.run(plan, () => isThere(_id))).refused
  }

  const hold: Deliveries['hold'] = async (asked) => {
    const { dispatch, key, limit } = asked
    const { _id, creditsHeld, updatedAt } = dispatch
    for (;;) {
      const there = await heldOf(_id)
      if (!there) {
        if (await isThere(_id)) return undefined
        const refused = await add(asked)
        if (refused) return refused
        continue
      }
      const more = creditsHeld - there.creditsHeld
      if (more === 0) return undefined
      const takes = more > 0 ? { takes: [{ key, n: more, limit }] } : {}
      const gives = more < 0 ? { gives: [{ key, n: -more }] } : {}
      const { refused, isDone } = await change(_id, there, { creditsHeld, updatedAt }, takes, gives)
      if (refused || isDone) return refused
    }
  }

  const release: Deliveries['release'] = async (_id, refund, now) => {
    for (;;) {
      const there = await heldOf(_id)
      if (!there) return false
      const set = { stage: dispatchMoves.stop.to, creditsHeld: 0, finishedAt: now, updatedAt: now }
      const gives = there.creditsHeld > 0 ? { gives: [{ key: refund, n: there.creditsHeld }] } : {}
      if ((await change(_id, there, set, {}, gives)).isDone) return true
    }
  }

  /** Replaces the held dispatch by the given one, which keeps the held credit. */
  const begin = async (dispatch: Dispatch, plan: Pick<Plan, 'about' | 'takes'>, brings: Move['brings']) => {
    const { _id, creditsHeld: _, ...set } = documentOf(dispatch, {})
    for (;;) {
      const there = await heldOf(_id)
      if (!there) return undefined
      const { refused, isDone } = await change(_id, there, set, plan, brings)
      if (refused || isDone) return refused
    }
  }

  return { hold, release, begin }
}
