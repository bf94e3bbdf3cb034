import type { Counters, Give, Take } from '@posthorn/core/ports'
import type { SqliteDatabase } from '../database/sqlite-database.js'

/** The synchronous steps that the ledger takes and gives by in its own commits. */
export type CounterSteps = {
  readonly take: (takes: readonly Take[]) => Take | undefined
  readonly give: (give: Give) => void
}

const addSql = `INSERT INTO counters (key, value, expires) VALUES (?1, max(0, ?2), ?3)
  ON CONFLICT (key) DO UPDATE SET value = max(0, value + ?2), expires = coalesce(?3, expires)`

/** Counters on one table. */
export const sqliteCounters = ({ statement, write }: SqliteDatabase) => {
  const used = (key: string) => Number(statement('SELECT value FROM counters WHERE key = ?').get(key)?.value ?? 0)
  const add = (key: string, n: number, expires: string | null = null) => statement(addSql).run(key, n, expires)

  const within: CounterSteps = {
    take: (takes) => {
      const wanted = new Map<string, number>()
      for (const take of takes) {
        const n = (wanted.get(take.key) ?? 0) + take.n
        if (take.limit !== undefined && used(take.key) + n > take.limit) return take
        wanted.set(take.key, n)
      }
      for (const [key, n] of wanted) add(key, n)
      return undefined
    },
    give: ({ key, n }) => {
      add(key, -n)
    },
  }

  const counters: Counters = {
    take: (takes) => write(() => within.take(takes)),
    takeUpTo: ({ key, n, limit }, expires) =>
      write(() => {
        const taken = Math.max(0, limit === undefined ? n : Math.min(n, limit - used(key)))
        if (taken > 0) add(key, taken, expires.toISOString())
        return taken
      }),
    give: (one) => write(() => within.give(one)),
    used: async (key) => used(key),
    prune: (now) =>
      write(() => {
        statement('DELETE FROM counters WHERE expires <= ?').run(now.toISOString())
      }),
  }
  return { counters, within }
}
