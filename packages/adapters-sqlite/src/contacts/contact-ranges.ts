import { inTime } from '../database/readers.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { accountOwner } from '../records/query-routing.js'
import type { SegmentIndex } from '../segment-index/segment-index.js'

/** Ids of one part of a project's contacts: greater than `after`, up to and including `upTo`. */
export type IdRange = readonly [after: string, upTo: string]

/** Counting fewer contacts takes less time than two threads need to coordinate. */
const fewContacts = 20_000
const partsAtMost = 32
/** Share by which a project may grow or shrink before its parts are divided again. */
const tolerance = 1 / 4
/** Projects whose parts are cached. */
const cacheSize = 1_000
/** Sorts after every id. */
const end = '\u{10ffff}'
const whole: readonly IdRange[] = [['', end]]

/** The id of every ?2-th contact. It reads only keys. */
const boundsSql = `WITH RECURSIVE bounds (id) AS (
  SELECT '' UNION ALL
  SELECT (SELECT id FROM segment_index WHERE project = ?1 AND id > bounds.id ORDER BY id LIMIT 1 OFFSET ?2)
    FROM bounds WHERE bounds.id IS NOT NULL AND ${inTime}
) SELECT id FROM bounds WHERE id <> ''`

type Divided = { readonly total: number; readonly parts: readonly IdRange[] }

/**
 * Divides a project's contacts into parts of about the same size, for threads to share. While the parts are unknown, it returns one part
 * with all contacts and divides them in the background. Every contact is in exactly one part, even after contacts were added or removed.
 */
export const contactRanges = (
  database: Pick<SqliteDatabase, 'readers' | 'statement'>,
  { keyOf, tally }: Pick<SegmentIndex, 'keyOf' | 'tally'>,
) => {
  const ownerOf = accountOwner(database)
  const known = new Map<string, Divided>()
  const dividing = new Set<string>()

  const divide = async (projectId: string, total: number): Promise<void> => {
    const read = database.readers.request(ownerOf({ projectId }) ?? projectId)
    const rows = await read(boundsSql, keyOf(projectId) ?? -1, Math.ceil((total + 1) / partsAtMost) - 1)
    const bounds = rows.map(({ id }) => String(id))
    if (known.size >= cacheSize) known.clear()
    // New contacts are in the last part, which may have grown, so it is read first.
    const parts = bounds.map((after, n): IdRange => [after, bounds[n + 1] ?? end]).toReversed()
    known.set(projectId, { total, parts: [...parts, ['', bounds[0] ?? end]] })
  }

  return (projectId: string): readonly IdRange[] => {
    const total = tally(projectId)
    if (total < fewContacts) return whole
    const divided = known.get(projectId)
    if (divided && Math.abs(total - divided.total) <= divided.total * tolerance) return divided.parts
    if (!dividing.has(projectId)) {
      dividing.add(projectId)
      // Failures, such as a closed store, are ignored: the next count tries again.
      void divide(projectId, total)
        .catch(() => undefined)
        .finally(() => dividing.delete(projectId))
    }
    return divided?.parts ?? whole
  }
}
