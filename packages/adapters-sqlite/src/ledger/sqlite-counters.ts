import type { CounterGive, Counters, CounterTake } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'

export type CounterSteps = {
  readonly take: (takes: readonly CounterTake[]) => CounterTake | undefined
  readonly give: (give: CounterGive) => void
}

const addSql = `INSERT INTO counters (key, value, expires) VALUES (?1, max(0, ?2), ?3)
  ON CONFLICT (key) DO UPDATE SET value = max(0, value + ?2), expires = coalesce(?3, expires)`

/** Only if the new value is at most ?3. A missing counter is 0. */
const addWithinSql = `INSERT INTO counters (key, value) SELECT ?1, max(0, ?2) WHERE ?2 <= ?3
  ON CONFLICT (key) DO UPDATE SET value = max(0, value + ?2) WHERE value + ?2 <= ?3`

/** `within`: for callers in a commit. */
export const sqliteCounters = ({ statement, write }: SqliteDatabase) => {
  const used = (key: string) => Number(statement('SELECT value FROM counters WHERE key = ?').get(key)?.value ?? 0)
  const add = (key: string, n: number, expires: string | null = null) => statement(addSql).run(key, n, expires)

  const taken = ({ key, n, limit }: CounterTake): boolean => {
    if (limit === undefined) add(key, n)
    return limit === undefined || Number(statement(addWithinSql).run(key, n, limit).changes) > 0
  }

  const within: CounterSteps = {
    take: (takes) => {
      for (const [index, take] of takes.entries()) {
        if (taken(take)) continue
        for (const { key, n } of takes.slice(0, index)) add(key, -n)
        return take
      }
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
