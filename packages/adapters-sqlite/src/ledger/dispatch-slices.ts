import { type Slice, slices } from '../database/slices.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'

/** Rows of a dispatch that are read before the event loop runs other work. */
const sliceSize = 5_000

const endOfSlice = `SELECT max(_id) AS "end" FROM (
  SELECT _id FROM deliveries WHERE _id > ? AND _id < ? ORDER BY _id LIMIT ${sliceSize})`

/** Walks over the rows of a dispatch. They are adjacent in the key, because their ids begin with the dispatch's id. */
export const dispatchSlices =
  ({ statement }: Pick<SqliteDatabase, 'statement'>) =>
  (dispatchId: string): AsyncGenerator<Slice> =>
    slices((after) => {
      const end = statement(endOfSlice).get(after, `${dispatchId};`)?.end
      return typeof end === 'string' ? end : undefined
    }, `${dispatchId}:`)
