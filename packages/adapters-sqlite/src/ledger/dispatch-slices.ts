import { type Slice, slices } from '../database/slices.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'

/** How many rows of a dispatch are read before other things have their turn. */
const sliceSize = 5_000

const endOfSlice = `SELECT max(_id) AS "end" FROM (
  SELECT _id FROM deliveries WHERE _id > ? AND _id < ? ORDER BY _id LIMIT ${sliceSize})`

/** Walks over the rows of a dispatch, which stand together, because their ids begin with its id. */
export const dispatchSlices =
  ({ statement }: Pick<SqliteDatabase, 'statement'>) =>
  (dispatchId: string): AsyncGenerator<Slice> =>
    slices((after) => {
      const end = statement(endOfSlice).get(after, `${dispatchId};`)?.end
      return typeof end === 'string' ? end : undefined
    }, `${dispatchId}:`)
