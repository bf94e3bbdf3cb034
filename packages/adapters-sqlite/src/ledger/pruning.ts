import type { Deliveries } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { RowChanges } from './row-changes.js'

/** The rows of a dispatch are adjacent in the key, because their ids begin with its id. */
const pruneSql = `DELETE FROM deliveries WHERE _id IN (SELECT _id FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';'
  AND status IN ('sent', 'failed', 'excluded') AND (?3 IS NULL OR updated_at < ?3) LIMIT ?2)`
const anySql = `SELECT 1 FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';' LIMIT 1`

type Deps = { readonly database: SqliteDatabase; readonly changed: RowChanges }

/** Removes deliveries with a final status. */
export const pruning = ({ database: { statement, write }, changed }: Deps): Pick<Deliveries, 'prune'> => ({
  prune: (dispatchIds, limit, before) =>
    write(() => {
      let removed = 0
      for (const id of dispatchIds)
        if (removed < limit) removed += changed(pruneSql, id, limit - removed, before ?? null)
      return { removed, gone: dispatchIds.filter((id) => !statement(anySql).get(id)) }
    }),
})
