import { records } from '@posthorn/core/ports/storage'
import { columnBeginnings, columnTables, columnTriggers, engagedTrigger } from '../columns/columns-schema.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { columnsOf, type Keys, keysOf } from '../records/record-keys.js'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * Ledger rows are too wide for a table WITHOUT ROWID, whose inner pages would hold them. Files created before version 9 have such a
 * table and keep it: all queries work with both.
 */
const ledger = `
CREATE TABLE deliveries (
  _id TEXT PRIMARY KEY NOT NULL, dispatch_id TEXT NOT NULL, project_id TEXT NOT NULL, lane TEXT NOT NULL, email TEXT NOT NULL, contact_id TEXT,
  status TEXT NOT NULL, attempts INTEGER NOT NULL, not_before TEXT NOT NULL, worker TEXT, lease_until TEXT, reason TEXT,
  error_name TEXT, error_message TEXT, provider_message_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, sent_at TEXT
);
CREATE INDEX deliveries_queued ON deliveries (lane, project_id, not_before, _id) WHERE status = 'queued';
CREATE INDEX deliveries_sending ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX deliveries_uncertain ON deliveries (not_before) WHERE status = 'uncertain';
CREATE INDEX deliveries_failed ON deliveries (dispatch_id) WHERE status = 'failed';
CREATE INDEX deliveries_open ON deliveries (dispatch_id) WHERE status IN ('queued', 'sending', 'uncertain');
CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires TEXT) WITHOUT ROWID;
CREATE INDEX counters_expires ON counters (expires) WHERE expires IS NOT NULL;
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, unique_key TEXT UNIQUE, next_run_at TEXT, locked_at TEXT, disabled INTEGER NOT NULL,
  priority INTEGER NOT NULL, doc TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_next ON jobs (name, next_run_at);
`

const statistics = `
ALTER TABLE deliveries ADD COLUMN email_id TEXT;
ALTER TABLE deliveries ADD COLUMN opens INTEGER;
ALTER TABLE deliveries ADD COLUMN clicks INTEGER;
ALTER TABLE deliveries ADD COLUMN bounced INTEGER;
ALTER TABLE deliveries ADD COLUMN complained INTEGER;
ALTER TABLE deliveries ADD COLUMN subscribed INTEGER;
ALTER TABLE deliveries ADD COLUMN resubscribed INTEGER;
ALTER TABLE deliveries ADD COLUMN unsubscribed INTEGER;
ALTER TABLE deliveries ADD COLUMN paused INTEGER;
CREATE INDEX deliveries_email ON deliveries (email_id, created_at) WHERE email_id IS NOT NULL;
CREATE INDEX deliveries_errors ON deliveries (email_id, updated_at) WHERE status = 'failed';
CREATE TABLE figures (
  subject TEXT NOT NULL, metric TEXT NOT NULL, slot TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (subject, metric, slot)
) WITHOUT ROWID;
`

const subjects = `
ALTER TABLE deliveries ADD COLUMN subject TEXT;
DROP INDEX deliveries_open;
CREATE INDEX deliveries_open ON deliveries (dispatch_id, (attempts > 0 AND error_name IS NOT NULL))
  WHERE status IN ('queued', 'sending', 'uncertain');
`

const markNames = 'ALTER TABLE deliveries ADD COLUMN mark_names TEXT'

const clickedLinks = 'ALTER TABLE deliveries ADD COLUMN clicked_links TEXT'
const oldFigures = 'CREATE INDEX figures_slot ON figures (slot)'

const returned = `
ALTER TABLE deliveries ADD COLUMN returned TEXT;
DROP INDEX deliveries_errors;
CREATE INDEX deliveries_errors ON deliveries (email_id, updated_at) WHERE (status = 'failed' OR returned IS NOT NULL);
`

/** From this version on, only `contact_columns` says when a contact received its last mail; `contacts` no longer updates it. */
const receivedInColumns = `
DROP TRIGGER IF EXISTS contacts_engaged;
DROP INDEX IF EXISTS contact_columns_received;
`

/**
 * Each step brings the file to the next version; released steps never change. Tables of records follow the manifest automatically, but a
 * field that loses its key or index needs a step that drops its column.
 */
const steps: readonly string[] = [
  ledger,
  statistics,
  subjects,
  columnTables,
  markNames,
  clickedLinks,
  oldFigures,
  returned,
  receivedInColumns,
]

/** The first version with contact columns. The tables they are filled from must exist before. */
const withColumns = 4
/** The first version in which only `contact_columns` has the dates of received mails. */
const withReceived = 9

/** Files of a newer version are refused. */
export const schemaVersion = steps.length

const versionOf = ({ statement }: SqliteDatabase) => Number(statement('PRAGMA user_version').get()?.user_version)

const namesIn = ({ statement }: SqliteDatabase, sql: string, table: string): ReadonlySet<string> =>
  new Set(
    statement(sql)
      .all(table)
      .map(({ name }) => String(name)),
  )

const columnsIn = (database: SqliteDatabase, table: string) =>
  namesIn(database, 'SELECT name FROM pragma_table_info(?)', table)

const tableStatements = (table: string, fields: readonly string[], there: ReadonlySet<string>): readonly string[] => {
  if (there.size === 0)
    return [
      `CREATE TABLE ${quoted(table)} (${['_id TEXT PRIMARY KEY', ...fields.map(quoted), 'doc BLOB NOT NULL'].join(', ')}) WITHOUT ROWID`,
    ]
  return fields
    .filter((field) => !there.has(field))
    .flatMap((field) => [
      `ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(field)}`,
      `UPDATE ${quoted(table)} SET ${quoted(field)} = json_extract(doc, '$.${quoted(field)}')`,
    ])
}

const indexStatements = (
  table: string,
  { unique, index, sparse }: Keys,
  there: ReadonlySet<string>,
): readonly string[] => {
  const statementOf = (kind: string, what: string) => (fields: readonly string[]) => {
    const name = [table, ...fields, kind].join('_')
    return [name, `CREATE ${what} ${quoted(name)} ON ${quoted(table)} (${fields.map(quoted).join(', ')})`] as const
  }
  // Walks through all records with the same first key field go in `_id` order, so each needs an index that ends with `_id`.
  const walks = unique.filter(({ length }) => length > 1).map((fields) => fields.slice(0, 1))
  const wanted = new Map([
    ...unique.map(statementOf('key', 'UNIQUE INDEX')),
    ...[...walks, ...index].map(statementOf('index', 'INDEX')),
    ...sparse.map((field) => {
      const [name, statement] = statementOf('sparse', 'INDEX')([field])
      return [name, `${statement} WHERE ${quoted(field)} IS NOT NULL`] as const
    }),
  ])
  return [
    ...[...there].filter((name) => !wanted.has(name)).map((name) => `DROP INDEX ${quoted(name)}`),
    ...[...wanted].filter(([name]) => !there.has(name)).map(([, statement]) => statement),
  ]
}

const kinds: readonly (readonly [table: string, keys: Keys])[] = Object.entries(records)

/** Statements that bring the file to this program's schema; none if it is up to date. */
const lacking = (database: SqliteDatabase): readonly string[] => {
  const version = versionOf(database)
  const ledgerSteps = version < schemaVersion ? [...steps.slice(version), `PRAGMA user_version = ${schemaVersion}`] : []
  const ofRecords = kinds.flatMap(([table, kind]) => [
    ...tableStatements(table, columnsOf(kind), columnsIn(database, table)),
    ...indexStatements(
      table,
      keysOf(table, kind),
      namesIn(
        database,
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?",
        table,
      ),
    ),
  ])
  const ofEngagement = version < withReceived ? [engagedTrigger] : []
  const ofColumns = version < withColumns ? [...columnBeginnings, ...columnTriggers] : ofEngagement
  return [...ledgerSteps, ...ofRecords, ...ofColumns]
}

/** Whether the file has columns that this program does not know and would leave empty in new rows. */
const hasUnknownColumns = (database: SqliteDatabase) =>
  kinds.some(([table, kind]) => {
    const known = new Set(['_id', 'doc', ...columnsOf(kind)])
    return [...columnsIn(database, table)].some((column) => !known.has(column))
  })

/**
 * Migrates the file to this version: the ledger by numbered steps, the records by the manifest.
 * @throws Error for a file that a newer program wrote; the file is not changed
 */
export const migrate = (database: SqliteDatabase): void => {
  if (versionOf(database) > schemaVersion || hasUnknownColumns(database))
    throw new Error(
      'it was written by a newer version of Posthorn. Nothing was changed: run that version, or a later one',
    )
  if (lacking(database).length > 0) database.alter(() => lacking(database))
}
