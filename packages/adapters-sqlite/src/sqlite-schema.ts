import { records } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from './database/sqlite-database.js'
import { keyColumnsOf, type RecordTableKeys, tableKeysOf } from './records/record-table.js'
import { segmentIndexTablesSql, segmentIndexTriggersSql } from './segment-index/segment-index-schema.js'

/** The version of the format, in the file's `user_version`. Files of another version are refused. */
export const schemaVersion = 2

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Too wide for a table WITHOUT ROWID, whose inner pages would hold the rows. */
const ledger = `
CREATE TABLE deliveries (
  _id TEXT PRIMARY KEY NOT NULL, dispatch_id TEXT NOT NULL, project_id TEXT NOT NULL, lane TEXT NOT NULL, email TEXT NOT NULL, contact_id TEXT,
  status TEXT NOT NULL, attempts INTEGER NOT NULL, not_before TEXT NOT NULL, worker TEXT, lease_until TEXT, reason TEXT,
  error_name TEXT, error_message TEXT, provider_message_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, sent_at TEXT,
  email_id TEXT, opens INTEGER, clicks INTEGER, bounced INTEGER, complained INTEGER, subscribed INTEGER, resubscribed INTEGER,
  unsubscribed INTEGER, paused INTEGER, subject TEXT, mark_names TEXT, clicked_links TEXT, returned TEXT,
  happened TEXT, tags TEXT
);
CREATE INDEX deliveries_queued ON deliveries (lane, project_id, not_before, _id) WHERE status = 'queued';
CREATE INDEX deliveries_sending ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX deliveries_uncertain ON deliveries (not_before) WHERE status = 'uncertain';
CREATE INDEX deliveries_failed ON deliveries (dispatch_id) WHERE status = 'failed';
CREATE INDEX deliveries_open ON deliveries (dispatch_id, (attempts > 0 AND error_name IS NOT NULL))
  WHERE status IN ('queued', 'sending', 'uncertain');
CREATE INDEX deliveries_email ON deliveries (email_id, created_at) WHERE email_id IS NOT NULL;
CREATE INDEX deliveries_address ON deliveries (lower(email), project_id, created_at);
CREATE INDEX deliveries_errors ON deliveries (email_id, updated_at) WHERE (status = 'failed' OR returned IS NOT NULL);
CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires TEXT) WITHOUT ROWID;
CREATE INDEX counters_expires ON counters (expires) WHERE expires IS NOT NULL;
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, unique_key TEXT UNIQUE, next_run_at TEXT, locked_at TEXT, disabled INTEGER NOT NULL,
  priority INTEGER NOT NULL, doc TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_next ON jobs (name, next_run_at);
CREATE TABLE figures (
  subject TEXT NOT NULL, metric TEXT NOT NULL, slot TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (subject, metric, slot)
) WITHOUT ROWID;
CREATE INDEX figures_slot ON figures (slot);
`

/** Of walks through a project's mails. Files that were written before lack them. */
const walkIndexes = {
  deliveries_project: 'CREATE INDEX deliveries_project ON deliveries (project_id, created_at)',
  deliveries_project_failed:
    "CREATE INDEX deliveries_project_failed ON deliveries (project_id, created_at) WHERE status = 'failed'",
} as const

const recordStatements = (table: string, keys: RecordTableKeys): readonly string[] => {
  const { unique, index, sparse } = tableKeysOf(table, keys)
  const indexOn = (kind: 'key' | 'index' | 'sparse', fields: readonly string[], where = '') => {
    const name = quoted([table, ...fields, kind].join('_'))
    return `CREATE ${kind === 'key' ? 'UNIQUE ' : ''}INDEX ${name} ON ${quoted(table)} (${fields.map(quoted).join(', ')})${where}`
  }
  // Reads by the first key field go in `_id` order.
  const walks = unique.filter(({ length }) => length > 1).map((fields) => fields.slice(0, 1))
  const columns = ['_id TEXT PRIMARY KEY', ...keyColumnsOf(keys).map(quoted), 'doc BLOB NOT NULL']
  return [
    `CREATE TABLE ${quoted(table)} (${columns.join(', ')}) WITHOUT ROWID`,
    ...unique.map((fields) => indexOn('key', fields)),
    ...new Set([...walks, ...index].map((fields) => indexOn('index', fields))),
    ...sparse.map((field) => indexOn('sparse', [field], ` WHERE ${quoted(field)} IS NOT NULL`)),
  ]
}

const schema: readonly string[] = [
  ledger,
  ...Object.values(walkIndexes),
  segmentIndexTablesSql,
  ...Object.entries(records).flatMap(([table, keys]) => recordStatements(table, keys)),
  ...segmentIndexTriggersSql,
  `PRAGMA user_version = ${schemaVersion}`,
]

const versionOf = ({ statement }: SqliteDatabase) => Number(statement('PRAGMA user_version').get()?.user_version)
const isEmpty = ({ statement }: SqliteDatabase) => statement('SELECT 1 FROM sqlite_schema').get() === undefined

const isThere = ({ statement }: SqliteDatabase, name: string) =>
  statement('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined

/** Tables of record kinds, and indexes, that the file's writer did not know. */
const missing = (database: SqliteDatabase): readonly string[] => [
  ...Object.entries(records).flatMap(([table, keys]) =>
    isThere(database, table) ? [] : recordStatements(table, keys),
  ),
  ...Object.entries(walkIndexes).flatMap(([name, sql]) => (isThere(database, name) ? [] : [sql])),
]

/** Also creates what an existing file lacks. @throws Error for a file of another version or program, which is not changed */
export const createSchema = (database: SqliteDatabase): void => {
  if (isEmpty(database)) database.alter(() => (isEmpty(database) ? schema : []))
  const version = versionOf(database)
  if (version === schemaVersion) {
    if (missing(database).length > 0) database.alter(() => missing(database))
    return
  }
  throw new Error(
    `its schema has version ${version}, and this version of Posthorn needs ${schemaVersion}. Nothing was changed. Run the version that wrote it, or choose a new file`,
  )
}
