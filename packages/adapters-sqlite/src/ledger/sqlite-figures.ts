import {
  type Figure,
  type FigureMetric,
  type Figures,
  quarterHourOf,
  type TimeSpan,
} from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'

export type FiguresWithinCommit = { readonly add: (figures: Iterable<Figure>) => void }

const addSql = `INSERT INTO figures (subject, metric, slot, n) VALUES (?, ?, ?, ?)
  ON CONFLICT (subject, metric, slot) DO UPDATE SET n = n + excluded.n`

const pruneSql = `DELETE FROM figures WHERE (subject, metric, slot) IN (
  SELECT subject, metric, slot FROM figures WHERE slot < ? ORDER BY slot LIMIT ?)`

/** Sorts after every slot. */
const never = '~'

const boundsOf = ({ from, to }: TimeSpan) => [from ? quarterHourOf(from) : '', to ? quarterHourOf(to) : never] as const

export const sqliteFigures = ({ statement, write }: SqliteDatabase) => {
  const within: FiguresWithinCommit = {
    add: (figures) => {
      const insert = statement(addSql)
      for (const { subject, metric, slot, n } of figures) insert.run(subject, metric, slot, n)
    },
  }

  const figures: Figures = {
    add: (added) => write(() => within.add(added)),
    totals: async (subject, span) =>
      Object.fromEntries(
        statement(
          'SELECT metric, sum(n) AS n FROM figures WHERE subject = ? AND slot >= ? AND slot < ? GROUP BY metric',
        )
          .all(subject, ...boundsOf(span))
          .map(({ metric, n }) => [metric as FigureMetric, Number(n)]),
      ),
    totalsOf: async (subjects, metric) =>
      Object.fromEntries(
        statement(
          `SELECT subject, sum(n) AS n FROM figures WHERE subject IN (SELECT value FROM json_each(?)) AND metric = ?
            GROUP BY subject HAVING sum(n) <> 0`,
        )
          .all(JSON.stringify(subjects), metric)
          .map(({ subject, n }) => [String(subject), Number(n)]),
      ),
    slots: async (subject, metric, span) =>
      statement('SELECT slot, n FROM figures WHERE subject = ? AND metric = ? AND slot >= ? AND slot < ? ORDER BY slot')
        .all(subject, metric, ...boundsOf(span))
        .map(({ slot, n }) => ({ slot: String(slot), n: Number(n) })),
    prune: (before, limit) => write(() => Number(statement(pruneSql).run(quarterHourOf(before), limit).changes)),
  }
  return { figures, within }
}
