import type { ContactColumns } from '../columns/contact-columns.js'
import { inTime } from '../database/readers.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { accountOwner } from '../records/account-owner.js'

/** The ids of one part of a project's contacts: after the first, up to the second. */
export type IdRange = readonly [after: string, upTo: string]

/** A project with fewer contacts is counted in less time than two threads need to agree. */
const fewContacts = 20_000
const partsAtMost = 32
/** How much a project may have grown, or shrunk, until its parts are divided anew. */
const tolerance = 1 / 4
/** Projects whose parts are remembered. */
const remembered = 1_000
/** Comes after every id. */
const end = '\u{10ffff}'
const whole: readonly IdRange[] = [['', end]]

/** Every so many contacts the id of one: a walk along the keys, which reads nothing else. */
const boundsSql = `WITH RECURSIVE bounds (id) AS (
  SELECT '' UNION ALL
  SELECT (SELECT id FROM contact_columns WHERE project = ?1 AND id > bounds.id ORDER BY id LIMIT 1 OFFSET ?2)
    FROM bounds WHERE bounds.id IS NOT NULL AND ${inTime}
) SELECT id FROM bounds WHERE id <> ''`

type Divided = { readonly total: number; readonly parts: readonly IdRange[] }

/**
 * Divides a project's contacts into parts of about the same size, for threads to share. Where the parts are not known yet, or not any
 * more, one of all contacts is told, and they are divided meanwhile. Whatever has come or gone since: each contact is in one part.
 */
export const contactParts = (
  database: Pick<SqliteDatabase, 'readers' | 'statement'>,
  { keyOf, tally }: Pick<ContactColumns, 'keyOf' | 'tally'>,
) => {
  const ownerOf = accountOwner(database)
  const known = new Map<string, Divided>()
  const dividing = new Set<string>()

  const divide = async (projectId: string, total: number): Promise<void> => {
    const read = database.readers.request(ownerOf({ projectId }) ?? projectId)
    const rows = await read(boundsSql, keyOf(projectId) ?? -1, Math.ceil((total + 1) / partsAtMost) - 1)
    const bounds = rows.map(({ id }) => String(id))
    if (known.size >= remembered) known.clear()
    // What came last is in the last part, which may have grown: it is begun first.
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
      // Who closes the store, or whatever else keeps it from being read: the next one who counts tries again.
      void divide(projectId, total)
        .catch(() => undefined)
        .finally(() => dividing.delete(projectId))
    }
    return divided?.parts ?? whole
  }
}
