import {
  type AcceptanceResult,
  addressKey,
  type CounterTake,
  type Deliveries,
  type Delivery,
  type Dispatch,
  type DispatchToAccept,
  dispatchIdOf,
  dispatchMoves,
  summedTakes,
} from '@posthorn/core/ports/storage'
import { retried } from '../connection/retries.js'
import { documentOfRecord, newRevision } from '../records/documents.js'
import { type DeliveryClaimCache, newClaimId } from './claims.js'
import type { DeliveryDocument, LedgerCollections } from './ledger-collections.js'
import type { LedgerDocumentChange, LedgerSteps, StepPlan } from './step.js'

type AcceptDeps = NewDeliveryDeps & {
  readonly collections: Pick<LedgerCollections, 'dispatches'>
  readonly steps: LedgerSteps
}

type NewDeliveryDeps = {
  readonly collections: Pick<LedgerCollections, 'deliveries'>
  readonly known: DeliveryClaimCache
}

const batchSize = 1_000

/** The leased ones carry the name of a claim. */
export type NewDeliveryDocuments = { readonly claim: string | undefined; readonly rows: readonly DeliveryDocument[] }

export const newDeliveryDocuments = (made: readonly Delivery[]): NewDeliveryDocuments => {
  const claim = made.some(({ status }) => status === 'sending') ? newClaimId() : undefined
  const rows = made.map(
    (row): DeliveryDocument => ({
      ...row,
      _address: addressKey(row.email),
      ...(row.status === 'sending' && claim !== undefined && { _claim: claim }),
    }),
  )
  return { claim, rows }
}

/** The ids of leased deliveries that are new. `areNew`: all are known to be new, which saves a query. */
export const newLeasedDeliveryIds =
  ({ collections: { deliveries }, known }: NewDeliveryDeps) =>
  async (
    { claim, rows }: NewDeliveryDocuments,
    dispatchIds: readonly string[],
    areNew: boolean,
  ): Promise<readonly string[]> => {
    if (claim === undefined) return []
    const find = () => {
      const options = { projection: { _id: 1, projectId: 1 }, batchSize } as const
      return retried(() =>
        deliveries.find({ dispatchId: { $in: [...dispatchIds] }, status: 'sending', _claim: claim }, options).toArray(),
      )
    }
    const born = areNew ? rows.filter(({ status }) => status === 'sending') : await find()
    known.add(born, claim)
    return born.map(({ _id }) => _id)
  }

type Accepting = Omit<DispatchToAccept, 'isHeld'>

/** In one step. Over a limit, tries the first half, then the second. */
export const mongoAcceptAll = ({ collections, steps, known }: AcceptDeps): Deliveries['acceptAll'] => {
  const { dispatches } = collections
  const leasedIn = newLeasedDeliveryIds({ collections, known })

  const knownOf = async (some: readonly Accepting[]): Promise<ReadonlySet<string>> => {
    const where = { _id: { $in: some.map(({ dispatch }) => dispatch._id) } }
    const found = await retried(() => dispatches.find(where, { projection: { _id: 1 } }).toArray())
    return new Set(found.map(({ _id }) => _id))
  }

  return async (id, all) => {
    const accepted = new Map<string, AcceptanceResult>()

    /** If it returns a refused take, the last ones were not accepted. */
    const accept = async (some: readonly Accepting[]): Promise<CounterTake | undefined> => {
      const before = await knownOf(some)
      const fresh = some.filter(({ dispatch }) => !before.has(dispatch._id))
      if (fresh.length === 0) return undefined
      const added = newDeliveryDocuments(fresh.flatMap(({ deliveries }) => deliveries))
      const plan = {
        lock: acceptanceLockName(id),
        takes: summedTakes(fresh),
        brings: {
          dispatches: fresh.map(({ dispatch }) => documentOfRecord(dispatch, { _revision: newRevision() })),
          deliveries: added.rows,
        },
      }
      let isLate = false
      const { refused, areNew } = await steps.run(plan, async () => {
        isLate = (await knownOf(fresh)).size > 0
        return isLate
      })
      if (isLate) return accept(some)
      if (refused) {
        if (fresh.length === 1) return fresh[0]?.takes.find(({ key }) => key === refused.key) ?? refused
        const half = Math.ceil(fresh.length / 2)
        return (await accept(fresh.slice(0, half))) ?? accept(fresh.slice(half))
      }
      const ids = fresh.map(({ dispatch }) => dispatch._id)
      for (const leased of await leasedIn(added, ids, areNew)) {
        const dispatchId = dispatchIdOf(leased)
        accepted.set(dispatchId, { leased: [...(accepted.get(dispatchId)?.leased ?? []), leased] })
      }
      return undefined
    }

    const refused = await accept(all)
    const there = refused ? await knownOf(all) : undefined
    return all.map(({ dispatch: { _id } }) =>
      !refused || there?.has(_id) ? (accepted.get(_id) ?? { leased: [] }) : { refused, leased: [] },
    )
  }
}

type HoldDeps = { readonly collections: Pick<LedgerCollections, 'dispatches'>; readonly steps: LedgerSteps }

/** As read before a change; it changes only under its lock. */
type Held = { readonly stage: 'held'; readonly creditsHeld: number; readonly updatedAt: string }

export const acceptanceLockName = (dispatchId: string) => `accept:${dispatchId}`

/** Dispatches that hold credit; changed only under their lock. */
export const creditHoldingDispatches = ({ collections: { dispatches }, steps }: HoldDeps) => {
  const heldOf = async (_id: string): Promise<Held | undefined> => {
    const found = (await retried(() => dispatches.findOne({ _id, stage: 'held' }))) as Held | null
    return found ? { stage: 'held', creditsHeld: found.creditsHeld, updatedAt: found.updatedAt } : undefined
  }

  const isThere = async (_id: string, where: object = {}): Promise<boolean> =>
    (await retried(() => dispatches.findOne({ _id, ...where }, { projection: { _id: 1 } }))) !== null

  /** `isDone` is false if another process was faster. */
  const change = async (
    _id: string,
    where: Held,
    set: LedgerDocumentChange['set'],
    plan: StepPlan,
    brings: LedgerDocumentChange['brings'] = {},
  ) => {
    const moves: readonly LedgerDocumentChange[] = [{ in: 'dispatches', _id, where, set, brings }]
    const { refused, made } = await steps.run(
      { ...plan, lock: acceptanceLockName(_id), moves },
      async () => !(await isThere(_id, where)),
    )
    return { refused, isDone: made.length > 0 }
  }

  const add = async ({ dispatch, key, limit }: Parameters<Deliveries['hold']>[0]) => {
    const { _id, creditsHeld } = dispatch
    const brings = { dispatches: [documentOfRecord(dispatch, { _revision: newRevision() })] }
    const plan = { lock: acceptanceLockName(_id), takes: [{ key, n: creditsHeld, limit }], brings }
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

  /** Keeps the held credit. */
  const begin = async (
    dispatch: Dispatch,
    plan: Pick<StepPlan, 'about' | 'takes'>,
    brings: LedgerDocumentChange['brings'],
  ) => {
    const { _id, creditsHeld: _, ...set } = documentOfRecord(dispatch, {})
    for (;;) {
      const there = await heldOf(_id)
      if (!there) return undefined
      const { refused, isDone } = await change(_id, there, set, plan, brings)
      if (refused || isDone) return refused
    }
  }

  return { hold, release, begin }
}

type ExpandDeps = {
  readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>
  readonly steps: LedgerSteps
  readonly known: DeliveryClaimCache
}

export const mongoAudienceExpander = ({ collections, steps, known }: ExpandDeps): Pick<Deliveries, 'expand'> => {
  const { dispatches } = collections
  const leasedIn = newLeasedDeliveryIds({ collections, known })

  return {
    /** Takes credit under a lock: only the stored page takes it. */
    expand: async ({ dispatchId, after, cursor, stage, deliveries: made, creditsHeld, takes, refund, now }) => {
      const where = { stage: 'expanding', cursor: after ?? null } as const
      const isReady = async () =>
        (await retried(() => dispatches.findOne({ _id: dispatchId, ...where }, { projection: { _id: 1 } }))) !== null
      const added = newDeliveryDocuments(made)
      const move: LedgerDocumentChange = {
        in: 'dispatches',
        _id: dispatchId,
        where,
        set: { cursor, stage, creditsHeld, progressAt: now, updatedAt: now },
        brings: { deliveries: added.rows, ...(refund && { gives: [refund] }) },
      }
      const locked = takes && { lock: `expand:${dispatchId}`, takes: [takes] }
      // Before the last page, no caller queries whether the dispatch is done.
      const about = stage === 'expanding' ? {} : { about: dispatchId }
      const plan = { ...locked, ...about, moves: [move] }
      // Without a take there is nothing to undo: the move just does not match.
      const { made: moves, areNew } = await steps.run(plan, takes && (async () => !(await isReady())))
      if (moves.length === 0) return undefined
      return leasedIn(added, [dispatchId], areNew)
    },
  }
}
