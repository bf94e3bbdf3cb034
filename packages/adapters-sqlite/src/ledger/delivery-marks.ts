import { type Deliveries, figuresOf, isNewLink, withMark, withNames } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { deliveryOf } from './delivery-rows.js'
import type { FigureSteps } from './sqlite-figures.js'

type Deps = { readonly database: SqliteDatabase; readonly figures: FigureSteps }

/** Records opens, clicks, bounces and other marks, and adds their figures in the same commit. */
export const deliveryMarks = ({
  database: { statement, write },
  figures,
}: Deps): Pick<Deliveries, 'mark' | 'countOnce'> => ({
  mark: ({ _id, mark, name, returned, now, reportedAt = now, link, counted }) =>
    write(() => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(_id)
      if (!row) return undefined
      const before = deliveryOf(row)
      const after = withMark(before, { mark, name, now, reportedAt, link, returned })
      if (after === before) return before
      const { [mark]: times = 0, markNames, clickedLinks } = after
      statement(`UPDATE deliveries SET ${mark} = ?, mark_names = ?, clicked_links = ? WHERE _id = ?`).run(
        times,
        markNames ? JSON.stringify(markNames) : null,
        clickedLinks ? JSON.stringify(clickedLinks) : null,
        _id,
      )
      if (returned)
        statement('UPDATE deliveries SET returned = ?, updated_at = ? WHERE _id = ?').run(
          JSON.stringify(returned),
          reportedAt,
          _id,
        )
      figures.add(figuresOf(counted(times, isNewLink(before, link)), now))
      return after
    }),

  countOnce: (id, counts) =>
    write(() => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(id)
      if (!row) return
      const { after, fresh } = withNames(
        deliveryOf(row),
        counts.map(({ name }) => name),
      )
      if (fresh.size === 0) return
      statement('UPDATE deliveries SET mark_names = ? WHERE _id = ?').run(JSON.stringify(after.markNames), id)
      figures.add(counts.flatMap((one) => (fresh.has(one.name) ? one.figures : [])))
    }),
})
