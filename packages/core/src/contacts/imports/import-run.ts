import { chunked } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import type { ContactImportOptions, ImportRow, ImportRowResult } from '../directory/contact-import.js'
import { failedRowText } from './failed-rows.js'
import { type ImportFileRow, type InvalidImportRow, importFileRows } from './file-rows.js'
import type { Import, ImportPlan } from './import.js'
import type { ImportFileStorage } from './import-files.js'

export type ImportRowsInBatches = (
  scope: Scope,
  batches: AsyncIterable<readonly ImportRow[]>,
  options?: ContactImportOptions,
) => AsyncIterable<readonly ImportRowResult[]>

type Deps = {
  readonly repositories: RepositoriesFor<{ imports: Import }>
  readonly files: ImportFileStorage
  readonly clock: Clock
  readonly importBatches: ImportRowsInBatches
  /** Plans the job again. */
  readonly again: (importId: string) => Promise<void>
}

/** Rows whose results are stored in one step. */
const batchSize = 1_000
/** Rows per run: imports take turns, and a stopping process waits for one run. */
const turnSize = 20_000

type Batch = {
  readonly rows: readonly ImportFileRow[]
  readonly wrong: readonly InvalidImportRow[]
  readonly bytesRead: number
}

/**
 * Continues after the last stored line. A killed process repeats at most one batch, which changes nothing; results are
 * stored only if no other process was faster.
 */
export const importRun = ({ repositories: { imports }, files, clock, importBatches, again }: Deps) => {
  const batches = async function* (one: Import, plan: ImportPlan): AsyncGenerator<Batch> {
    let rows: ImportFileRow[] = []
    let wrong: InvalidImportRow[] = []
    let bytes = 0
    const batch = (): Batch => ({ rows, wrong, bytesRead: bytes })
    const isNew = ({ line }: { readonly line: number }) => line > one.line
    for await (const some of importFileRows(files.read(one), plan, {
      wrong: (row) => {
        if (isNew(row)) wrong.push(row)
      },
      bytesRead: (n) => {
        bytes += n
      },
    })) {
      for (const row of some) if (isNew(row)) rows.push(row)
      if (rows.length + wrong.length < batchSize) continue
      yield batch()
      rows = []
      wrong = []
    }
    if (rows.length + wrong.length > 0) yield batch()
  }

  /** Undefined if the import was cancelled, or another process stored the results. */
  const take = async (
    one: Import,
    plan: ImportPlan,
    { rows, wrong, bytesRead }: Batch,
  ): Promise<Import | undefined> => {
    const { subscriberListId, status } = plan
    const scope: Scope = { projectId: one.projectId, caller: 'person' }
    const options = { ...(subscriberListId !== undefined && { subscriberListId }), status, importId: one._id }
    const counts = { ...one.counts, failed: one.counts.failed + wrong.length }
    const failures = [...wrong]
    const cells = new Map(rows.map((row) => [row.line, row.cells]))
    if (rows.length > 0)
      for await (const results of importBatches(scope, chunked(rows, rows.length), options))
        for (const result of results)
          if (result.ok) counts[result.outcome] += 1
          else {
            counts.failed += 1
            failures.push({ ...result, cells: cells.get(result.line) ?? [] })
          }
    if (failures.length > 0)
      await files.writeErrors(
        one._id,
        one.errorPages,
        failures
          .sort((a, b) => a.line - b.line)
          .map((row) => failedRowText(plan, row))
          .join(''),
      )
    const line = Math.max(rows.at(-1)?.line ?? 0, wrong.at(-1)?.line ?? 0)
    let isMine = false
    const after = await imports.change({ _id: one._id }, (current) => {
      isMine = current.state === 'running' && current.line === one.line
      if (!isMine) return current
      const errorPages = one.errorPages + (failures.length > 0 ? 1 : 0)
      return { ...current, counts, line, bytesRead, errorPages, updatedAt: clock().toISOString() }
    })
    return isMine ? after : undefined
  }

  /** Whether it reached the end of the file. @throws Refusal, store errors */
  return async (importId: string): Promise<boolean> => {
    let one = await imports.get({ _id: importId })
    if (one?.state !== 'running' || !one.plan) return false
    let taken = 0
    for await (const batch of batches(one, one.plan)) {
      if (taken >= turnSize) {
        await again(importId)
        return false
      }
      one = await take(one, one.plan as ImportPlan, batch)
      if (!one) return false
      taken += batch.rows.length + batch.wrong.length
    }
    return true
  }
}
