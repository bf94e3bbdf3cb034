import type { Counters, Give, Take } from '@posthorn/core'
import type { SqliteDatabase } from './sqlite-database.js'

/** Counters on one table, with the synchronous steps that the ledger takes and gives by in its own commits. */
export const sqliteCounters = (database: SqliteDatabase) => {
  const used = (key: string) =>
    Number(database.statement('SELECT value FROM counters WHERE key = ?').get(key)?.value ?? 0)
  const add = (key: string, n: number, expires: string | null = null) =>
    database
      .statement(
        'INSERT INTO counters (key, value, expires) VALUES (?1, max(0, ?2), ?3) ON CONFLICT (key) DO UPDATE SET value = max(0, value + ?2), expires = coalesce(?3, expires)',
      )
      .run(key, n, expires)

  const take = (takes: readonly Take[]): Take | undefined => {
    const refused = takes.find(({ key, n, limit }) => limit !== undefined && used(key) + n > limit)
    if (!refused) for (const { key, n } of takes) add(key, n)
    return refused
  }
  const give = ({ key, n }: Give): void => {
    add(key, -n)
  }

  const counters: Counters = {
    take: (takes) => database.write(() => take(takes)),
    takeUpTo: ({ key, n, limit }, expires) =>
      database.write(() => {
        const taken = Math.max(0, limit === undefined ? n : Math.min(n, limit - used(key)))
        if (taken > 0) add(key, taken, expires.toISOString())
        return taken
      }),
    give: (one) => database.write(() => give(one)),
    used: async (key) => used(key),
    prune: (now) =>
      database.write(() => {
        database.statement('DELETE FROM counters WHERE expires <= ?').run(now.toISOString())
      }),
  }
  return { counters, within: { take, give } }
}
