import { timeLimitCheckSql } from '../database/readers.js'
import { sql } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { queryAccountLookup } from '../records/query-routing.js'
import type { ContactSegmentIndex } from '../segment-index/segment-index.js'

/** A part of a project's contacts by id, without `after`, with `upTo`. */
export type IdRange = readonly [after: string, upTo: string]

/** For fewer, a second thread saves no time. */
const fewContacts = 20_000
const partsAtMost = 32
/** Share of growth or shrinkage after which to divide again. */
const tolerance = 1 / 4
const cacheSize = 1_000
/** Sorts after every id. */
const end = '\u{10ffff}'
const whole: readonly IdRange[] = [['', end]]

/** The id of every `every`-th contact. It reads only keys. */
const boundsSql = (project: number, every: number) => sql`WITH RECURSIVE bounds (id) AS (
  SELECT '' UNION ALL
  SELECT (SELECT id FROM segment_index WHERE project = ${project} AND id > bounds.id ORDER BY id LIMIT 1 OFFSET ${every - 1})
    FROM bounds WHERE bounds.id IS NOT NULL AND ${timeLimitCheckSql}
) SELECT id FROM bounds WHERE id <> ''`

type Divided = { readonly total: number; readonly parts: readonly IdRange[] }

/**
 * Parts for two threads to share; one part until the division is done. Every contact is in exactly one, even if others are added or
 * removed.
 */
export const contactRanges = (
  database: Pick<SqliteDatabase, 'readers' | 'statement'>,
  { keyOf, tally }: Pick<ContactSegmentIndex, 'keyOf' | 'tally'>,
) => {
  const ownerOf = queryAccountLookup(database)
  const known = new Map<string, Divided>()
  const dividing = new Set<string>()

  const divide = async (projectId: string, total: number): Promise<void> => {
    const read = database.readers.request(ownerOf({ projectId }) ?? projectId)
    const rows = await read(boundsSql(keyOf(projectId) ?? -1, Math.ceil((total + 1) / partsAtMost)))
    const bounds = rows.map(({ id }) => String(id))
    if (known.size >= cacheSize) known.clear()
    // New contacts are in the last part, so it comes first.
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
