import { DatabaseSync } from '@photostructure/sqlite'
import { type HeldMails, neverDue } from '@posthorn/core/ports/storage'
import { inTransaction } from './database/connection.js'

/** In ms. */
const busyTimeout = 30_000

const within = <T>(file: string, run: (connection: InstanceType<typeof DatabaseSync>) => T): T => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    connection.exec('PRAGMA synchronous = FULL')
    return inTransaction(connection, () => run(connection))
  } finally {
    connection.close()
  }
}

const ofSingle = "dispatch_id IN (SELECT _id FROM dispatches WHERE stage = 'single')"

const hold = (file: string, until: string, now: string): number =>
  within(file, (connection) => {
    connection
      .prepare(
        `UPDATE deliveries SET status = 'queued', worker = NULL, lease_until = NULL, not_before = ?1, updated_at = ?1
          WHERE status IN ('sending', 'uncertain')`,
      )
      .run(now)
    const held = connection
      .prepare(
        `UPDATE deliveries SET not_before = ?1, updated_at = ?2
          WHERE status = 'queued' AND (not_before <= ?3 OR not_before = ?2) AND ${ofSingle}`,
      )
      .run(neverDue, now, until)
    return Number(held.changes)
  })

const release = (file: string, now: string): number =>
  within(file, (connection) =>
    Number(
      connection
        .prepare("UPDATE deliveries SET not_before = ?1, updated_at = ?1 WHERE status = 'queued' AND not_before = ?2")
        .run(now, neverDue).changes,
    ),
  )

const count = (file: string): number => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout, readOnly: true })
  try {
    const counted = connection.prepare(
      "SELECT count(*) AS n FROM deliveries WHERE status = 'queued' AND not_before = ?",
    )
    return Number((counted.get(neverDue) as { readonly n: number }).n)
  } finally {
    connection.close()
  }
}

/** With its own connection: works before the store is opened. */
export const sqliteHeldMails = (file: string): HeldMails => ({
  hold: async (until, now) => hold(file, until, now),
  release: async (now) => release(file, now),
  count: async () => count(file),
})
