import { DatabaseSync } from '@photostructure/sqlite'

/** In ms. */
const busyTimeout = 30_000

/** Never due. */
const never = '9999-12-31T23:59:59.999Z'

const within = <T>(file: string, run: (connection: InstanceType<typeof DatabaseSync>) => T): T => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    connection.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE')
    const result = run(connection)
    connection.exec('COMMIT')
    return result
  } finally {
    connection.close()
  }
}

const ofSingle = "dispatch_id IN (SELECT _id FROM dispatches WHERE stage = 'single')"

/**
 * In a restored file that no process has open: mails to single addresses that were due until then, or under way, are not sent before
 * `releaseDeliveries`. What was under way to many is queued, so that a stop of its dispatch finds it. Returns the number held back.
 */
export const holdDeliveries = (file: string, until: string, now: string): number =>
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
      .run(never, now, until)
    return Number(held.changes)
  })

/** What `holdDeliveries` held back becomes due. Other processes may have the file open. Returns the number. */
export const releaseDeliveries = (file: string, now: string): number =>
  within(file, (connection) =>
    Number(
      connection
        .prepare("UPDATE deliveries SET not_before = ?1, updated_at = ?1 WHERE status = 'queued' AND not_before = ?2")
        .run(now, never).changes,
    ),
  )
