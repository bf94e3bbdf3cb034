import { z } from 'zod'
import { chunked } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import type { Clock, Files, Runtime, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import { linkFolder, linkTableFreshTime } from '../mail/link-tables.js'
import type { Figures } from '../reporting/figures/figure.js'
import { removeStoredAttachments } from '../sending/acceptance/attachments.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import type { DispatchResults } from '../sending/ledger/dispatch-results.js'

/** In days after the data is final. Absent: forever. */
export type Retention = {
  /** Of ended dispatches; at least 7. Campaign results are kept. */
  readonly deliveries?: number | undefined
  /** At least 100, because restriction sums 90. */
  readonly figures?: number | undefined
  readonly events: number
  readonly errors: number
  /** Links work at least this long after the last mail with the same table. */
  readonly links: number
}

export const standardRetention: Retention = { events: 30, errors: 30, links: 730 }

const day = 24 * 60 * 60_000

const days = z.int().describe('In days')

/** What a project's people see of it. Absent: forever. */
export const RetentionView = z.object({
  deliveries: days.optional(),
  figures: days.optional(),
  events: days,
  errors: days,
  links: days,
  audit: days,
})
export type RetentionView = z.output<typeof RetentionView>

type Deps = Pick<Runtime, 'files' | 'clock' | 'sleep'> & {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'open' | 'prune'>
  readonly dispatchResults: Pick<DispatchResults, 'count'>
  readonly figures: Pick<Figures, 'prune'>
  readonly settings: { readonly retention: Retention }
}

/** Per commit; during a few ms the store accepts no other writes. */
const batchSize = 500
/** In ms, for other writers. */
const breath = 20
/** Commits per run; the next run continues. */
const mostBatches = 100
/** In ms, after a run that found nothing more. */
const quietTime = 60 * 60_000

/** Limits a run's batches, with a pause between them. */
const batches = (sleep: Sleep) => {
  let left = mostBatches
  return {
    more: async (): Promise<boolean> => {
      left -= 1
      if (left > 0) await sleep(breath)
      return left > 0
    },
    areLeft: (): boolean => left > 0,
  }
}
type Batches = ReturnType<typeof batches>

/**
 * Small batches let other writes through. Dispatches to one address go with their delivery; others stay, with results.
 */
export const retentionPruning = (deps: Deps) => {
  const { repositories, deliveries, dispatchResults, figures, files, clock, sleep, settings } = deps
  const { dispatches } = repositories
  const { retention } = settings
  let quietUntil = 0

  /** Oldest first: ids increase with time. */
  async function* begunBefore(before: string, ...stage: readonly Dispatch['stage'][]) {
    for await (const one of dispatches.each({ stage })) {
      if (one.createdAt >= before) return
      yield one
    }
  }

  const pruneSingles = async (before: string, { more }: Batches): Promise<void> => {
    for await (const some of chunked(begunBefore(before, 'single'), batchSize)) {
      const { gone } = await deliveries.prune(
        some.map(({ _id }) => _id),
        batchSize,
        before,
      )
      const over = new Set(gone)
      for (const { _id, attachments } of some)
        if (attachments && over.has(_id)) await removeStoredAttachments(files, _id)
      if (gone.length > 0) await dispatches.removeAll({ _id: gone })
      if (!(await more())) return
    }
  }

  /** Durable before the first delivery is removed. Undefined while some are not final. */
  const summedUp = async (dispatch: Dispatch): Promise<Dispatch | undefined> => {
    const { _id, stage } = dispatch
    if (dispatch.pruned) return dispatch
    if (await deliveries.open(_id)) return undefined
    const counts = await dispatchResults.count([_id])
    const pruned = { at: clock().toISOString(), counts, isUnderWay: true } as const
    return dispatches.change({ _id, stage }, (one) => ({
      ...without(one, 'resumes', 'stopError'),
      pruned,
    }))
  }

  const pruneMany = async (before: string, { more }: Batches): Promise<void> => {
    for await (const one of begunBefore(before, 'finished', 'stopped')) {
      if ((one.finishedAt ?? one.updatedAt) >= before || (one.pruned && !one.pruned.isUnderWay)) continue
      if (!(await summedUp(one))) continue
      for (let isGone = false; !isGone; ) {
        const { removed, gone } = await deliveries.prune([one._id], batchSize)
        isGone = gone.length > 0
        if (isGone) {
          await removeStoredAttachments(files, one._id)
          await dispatches.change({ _id: one._id }, ({ pruned, ...others }) => ({
            ...others,
            ...(pruned && { pruned: { at: pruned.at, counts: pruned.counts } }),
          }))
        }
        if (!(await more())) return
        if (removed === 0) break
      }
    }
  }

  const pruneFigures = async (before: string, { more }: Batches): Promise<void> => {
    while ((await figures.prune(before, batchSize)) > 0) if (!(await more())) return
  }

  return {
    /** Prunes a limited number of batches; the next run continues. */
    run: async (): Promise<void> => {
      const now = clock()
      if (now.getTime() < quietUntil) return
      const budget = batches(sleep)
      if (retention.deliveries !== undefined) {
        const before = instantDaysBefore(now, retention.deliveries)
        await pruneSingles(before, budget)
        if (budget.areLeft()) await pruneMany(before, budget)
      }
      if (retention.figures !== undefined && budget.areLeft())
        await pruneFigures(instantDaysBefore(now, retention.figures), budget)
      if (budget.areLeft()) quietUntil = now.getTime() + quietTime
    },
    isNeeded: retention.deliveries !== undefined || retention.figures !== undefined,
  }
}

type LinkDeps = {
  readonly files: Pick<Files, 'prune'>
  readonly clock: Clock
  readonly settings: { readonly retention: { readonly links: number } }
}

/**
 * After the configured days plus one: a table may be stored a day before its last mail. Daily, first an hour after the
 * start.
 */
export const linkPruning = ({ files, clock, settings: { retention } }: LinkDeps) => {
  let next = clock().getTime() + day / 24
  return async (): Promise<void> => {
    const now = clock().getTime()
    if (now < next) return
    next = now + day
    await files.prune(linkFolder, new Date(now - linkTableFreshTime - retention.links * day))
  }
}
