import { type RecordKind, records, type Stored } from '@posthorn/core'
import type { SqliteDatabase } from './sqlite-database.js'

/** Raised whenever a step is added below. A file of a newer version is not opened. */
export const schemaVersion = 1

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Fields that have a column of their own, because a key or an index names them. `_id` has one anyway. */
export const columnsOf = ({ unique, index }: Pick<RecordKind<Stored>, 'unique' | 'index'>): readonly string[] =>
  [...new Set([...unique, ...index].flat() as string[])].filter((field) => field !== '_id')

const ledger = `
CREATE TABLE IF NOT EXISTS deliveries (
  _id TEXT PRIMARY KEY, dispatch_id TEXT NOT NULL, project_id TEXT NOT NULL, lane TEXT NOT NULL, email TEXT NOT NULL, contact_id TEXT,
  status TEXT NOT NULL, attempts INTEGER NOT NULL, not_before TEXT NOT NULL, worker TEXT, lease_until TEXT, reason TEXT,
  error_name TEXT, error_message TEXT, provider_message_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, sent_at TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_queued ON deliveries (lane, project_id, not_before, _id) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS deliveries_sending ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX IF NOT EXISTS deliveries_uncertain ON deliveries (not_before) WHERE status = 'uncertain';
CREATE INDEX IF NOT EXISTS deliveries_open ON deliveries (dispatch_id) WHERE status IN ('queued', 'sending', 'uncertain');
CREATE TABLE IF NOT EXISTS counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, unique_key TEXT UNIQUE, next_run_at TEXT, locked_at TEXT, disabled INTEGER NOT NULL, priority INTEGER NOT NULL,
  doc TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_next ON jobs (name, next_run_at);
`

/** What each version adds to the one before it; a version once released is never changed. */
const steps: readonly string[] = [ledger]

const follow = (
  database: SqliteDatabase,
  exec: (sql: string) => void,
  collection: string,
  kind: RecordKind<Stored>,
) => {
  const table = quoted(collection)
  exec(`CREATE TABLE IF NOT EXISTS ${table} (_id TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID`)
  const there = new Set(
    database
      .statement('SELECT name FROM pragma_table_info(?)')
      .all(collection)
      .map((row) => String(row.name)),
  )
  for (const field of columnsOf(kind)) {
    if (there.has(field)) continue
    exec(`ALTER TABLE ${table} ADD COLUMN ${quoted(field)}`)
    exec(`UPDATE ${table} SET ${quoted(field)} = json_extract(doc, '$.${field}')`)
  }
  const indexes = [
    ...kind.unique.map((fields) => ({ fields, unique: 'UNIQUE ' })),
    ...kind.index.map((fields) => ({ fields, unique: '' })),
  ]
  for (const { fields, unique } of indexes)
    exec(
      `CREATE ${unique}INDEX IF NOT EXISTS ${quoted(`${collection}_${(fields as readonly string[]).join('_')}`)} ON ${table} (${fields.map(quoted).join(', ')})`,
    )
}

/**
 * Brings the file to this version: the ledger by its numbered steps, the records after the manifest.
 * @throws Error for a file of a newer version, which is left as it is
 */
export const migrate = (database: SqliteDatabase, file: string): void => {
  const version = Number(database.statement('PRAGMA user_version').get()?.user_version ?? 0)
  if (version > schemaVersion)
    throw new Error(
      `The database ${file} is of version ${version}; this program knows versions up to ${schemaVersion}. Nothing was changed: run a newer program.`,
    )
  database.alter((exec) => {
    for (const step of steps.slice(version)) exec(step)
    for (const [collection, kind] of Object.entries(records))
      follow(database, exec, collection, kind as unknown as RecordKind<Stored>)
    exec(`PRAGMA user_version = ${schemaVersion}`)
  })
}
