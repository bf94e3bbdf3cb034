import { DatabaseSync } from '@photostructure/sqlite'
import { records } from '@posthorn/core/ports/storage'
import { addSqlFunctions, type SqlRow, sqliteErrorCode } from './database/connection.js'
import { keyColumnsOf } from './records/record-table.js'

/** In ms. */
const busyTimeout = 10_000
const mostNamed = 5

export type StoreIntegrityCheck = {
  /** One line each; none if all is well. */
  readonly problems: readonly string[]
  /** Records by kind, and deliveries. */
  readonly counts: Readonly<Record<string, number>>
}

type Kind = keyof typeof records

const quoted = (name: string) => `"${name}"`

const fieldOf = (kind: Kind, field: string): string =>
  field === '_id' || keyColumnsOf(records[kind]).includes(field) ? quoted(field) : `json_extract(doc, '$.${field}')`

/** Records whose owner is missing. One tree may belong to an account or a project. */
const ownerless = (kind: Kind): string | undefined => {
  const owners = Object.entries(records[kind].owner).filter(
    ([owner, field]) => !(field === '_id' && kind === `${owner}s`),
  )
  const [first] = owners
  if (!first) return undefined
  const field = fieldOf(kind, first[1] ?? '')
  const isMissing = owners.map(([owner]) => `${field} NOT IN (SELECT _id FROM ${owner}s)`)
  return `SELECT _id AS id FROM ${quoted(kind)} WHERE ${[`${field} IS NOT NULL`, ...isMissing].join(' AND ')}`
}

const isOpen = "status IN ('queued', 'sending', 'uncertain')"
const openDispatches = `SELECT DISTINCT dispatch_id FROM deliveries WHERE ${isOpen}`

/** Each names records whose referenced record is missing. */
const broken = (kinds: readonly Kind[]): readonly (readonly [what: string, sql: string])[] => [
  ...kinds.flatMap((kind) => {
    const sql = ownerless(kind)
    return sql === undefined ? [] : [[`${kind} without their account or project`, sql] as const]
  }),
  [
    'projects without their account',
    `SELECT _id AS id FROM projects WHERE ${fieldOf('projects', 'accountId')} NOT IN (SELECT _id FROM accounts)`,
  ],
  [
    'subscribers without their contact',
    `SELECT _id AS id FROM subscribers WHERE ${fieldOf('subscribers', 'contactId')} NOT IN (SELECT _id FROM contacts)`,
  ],
  [
    'subscribers without their list',
    `SELECT _id AS id FROM subscribers WHERE ${fieldOf('subscribers', 'subscriberListId')} NOT IN (SELECT _id FROM subscriberLists)`,
  ],
  [
    'dispatches with deliveries but without a record',
    'SELECT dispatch_id AS id FROM (SELECT DISTINCT dispatch_id FROM deliveries) WHERE dispatch_id NOT IN (SELECT _id FROM dispatches)',
  ],
  [
    'dispatches to be sent without their content',
    `SELECT _id AS id FROM dispatches WHERE _id IN (${openDispatches}) AND json_extract(doc, '$.contentId') IS NOT NULL
      AND json_extract(doc, '$.contentId') NOT IN (SELECT _id FROM contents)`,
  ],
  [
    'campaigns being sent without their campaign',
    `SELECT _id AS id FROM dispatches WHERE stage IN ('expanding', 'sending') AND json_extract(doc, '$.kind') = 'campaign'
      AND json_extract(doc, '$.emailId') NOT IN (SELECT _id FROM campaigns)`,
  ],
]

/** Files of the gallery and of mails that are not sent yet. */
const referencedFiles = `SELECT file AS key FROM galleryImages
  UNION SELECT json_extract(value, '$.file') FROM dispatches, json_each(doc, '$.attachments') WHERE _id IN (${openDispatches})
  UNION SELECT json_extract(doc, '$.feeds.kept.file') FROM dispatches
    WHERE _id IN (${openDispatches}) AND json_extract(doc, '$.feeds.kept.file') IS NOT NULL`

/** One line, if there are any. */
export const brokenRecordsText = (what: string, ids: readonly string[]): readonly string[] => {
  if (ids.length === 0) return []
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''
  return [`${ids.length} ${what}: ${ids.slice(0, mostNamed).join(', ')}${more}`]
}

/** SQLITE_CORRUPT. */
const isCorrupt = (error: unknown): error is Error => sqliteErrorCode(error) === 11

/**
 * Reads the whole file, which servers may have open: its structure, what records refer to, and how many there are.
 * @param isThere whether the file with this key is stored
 * @throws Error for a file that is no database
 */
export const checkStoreFile = (file: string, isThere: (key: string) => boolean): StoreIntegrityCheck => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  addSqlFunctions(connection)
  const rows = (sql: string): readonly SqlRow[] => connection.prepare(sql).all() as readonly SqlRow[]
  try {
    const found = rows('PRAGMA integrity_check(20)').map(({ integrity_check: text }) => String(text))
    const damage = found.filter((text) => text !== 'ok').map((text) => `the file is damaged: ${text}`)
    if (damage.length > 0) return { problems: damage, counts: {} }
    connection.exec('BEGIN')
    const tables = new Set(rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name))
    // Of the kinds that its server did not know, the next one that opens the file makes the tables.
    const kinds = (Object.keys(records) as Kind[]).filter((kind) => tables.has(kind))
    const problems = broken(kinds).flatMap(([what, sql]) =>
      brokenRecordsText(
        what,
        rows(sql).map(({ id }) => String(id)),
      ),
    )
    const absent = rows(referencedFiles).flatMap(({ key }) => (isThere(String(key)) ? [] : [String(key)]))
    const counts = Object.fromEntries(
      [...kinds, 'deliveries'].map((table) => [
        table,
        Number(rows(`SELECT count(*) AS n FROM ${quoted(table)}`)[0]?.n),
      ]),
    )
    connection.exec('COMMIT')
    return { problems: [...problems, ...brokenRecordsText('files that records refer to are missing', absent)], counts }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return { problems: [`the file is damaged: ${error.message}`], counts: {} }
  } finally {
    connection.close()
  }
}
