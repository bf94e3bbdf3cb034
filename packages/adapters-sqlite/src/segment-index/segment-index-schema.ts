import type { Contact, FieldValue } from '@posthorn/core/ports/storage'
import type { SqlParameter } from '../database/connection.js'

/** Custom fields with a column; others are read from documents. */
export const segmentIndexFieldCount = 20

/** In characters. Longer values are read from the document. */
const longestText = 60
const longestTags = 200

/** Other values than ordinary texts sort between the empty text and the rest. */
const special = '\u0001'
const date = `${special}d`

/** Marks a value that must be read from the document. */
export const unindexedValueMark = `${special}?`
/** Only the empty text sorts below it. */
export const lowestOrdinaryText = '\u0002'
export const indexedBoolean = (value: boolean) => `${special}${value ? 't' : 'f'}`

const instant = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d\.\d{3}z$/

/** Dates sort chronologically between `indexedDateBounds.from` and `indexedDateBounds.to`. */
export const dateIndexValue = (text: string) => `${date}${text.toLowerCase()}`
export const indexedDateBounds = { from: date, to: `${special}e` }

/** In lower case, instants as dates; `unindexedValueMark` if too long. */
export const indexedTextValue = (text: string): string => {
  const folded = text.toLowerCase()
  if (folded.length > longestText || (folded !== '' && folded < lowestOrdinaryText)) return unindexedValueMark
  return instant.test(folded) ? dateIndexValue(folded) : folded
}

export const segmentIndexColumnValue = (value: FieldValue | undefined): SqlParameter => {
  if (typeof value === 'string') return indexedTextValue(value)
  if (typeof value === 'boolean') return indexedBoolean(value)
  if (value === undefined) return null
  // The driver binds numbers as REAL; an INTEGER takes fewer bytes.
  return Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Undefined if the tag contains the separator. */
export const tagIndexValue = (tag: string): string | undefined => (tag.includes('|') ? undefined : `|${tag}|`)

/** Null without tags; `unindexedValueMark` if too long or a tag contains the separator. */
export const tagsIndexValue = (tags: Contact['tags']): SqlParameter => {
  if (tags.length === 0) return null
  const joined = `|${tags.join('|')}|`
  return joined.length > longestTags || tags.some((tag) => tag.includes('|')) ? unindexedValueMark : joined
}

export const segmentIndexFieldColumns = Array.from({ length: segmentIndexFieldCount }, (_, slot) => `f${slot}`)

/**
 * A tenth of the documents' size. Projects and lists have short keys. `tallies` counts a project's contacts and a list's members by status.
 * `received` changes with each mail: it has no index.
 */
export const segmentIndexTablesSql = `
CREATE TABLE short_keys (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE segment_slots (
  project INTEGER NOT NULL, field TEXT NOT NULL, slot INTEGER NOT NULL, PRIMARY KEY (project, field)
) WITHOUT ROWID;
CREATE TABLE segment_index (
  project INTEGER NOT NULL, id TEXT NOT NULL, created INTEGER, received INTEGER, opened INTEGER, clicked INTEGER,
  suppressed INTEGER, lists TEXT, tags TEXT, ${segmentIndexFieldColumns.join(', ')}, PRIMARY KEY (project, id)
) WITHOUT ROWID;
CREATE INDEX segment_index_opened ON segment_index (project, opened) WHERE opened IS NOT NULL;
CREATE INDEX segment_index_clicked ON segment_index (project, clicked) WHERE clicked IS NOT NULL;
CREATE TABLE tallies (
  subject INTEGER NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (subject, status)
) WITHOUT ROWID;
`

/** Epoch milliseconds are shorter than the text and sort the same. */
const milliseconds = (instant: string) => `CAST(round(unixepoch(${instant}, 'subsec') * 1000) AS INTEGER)`

/** The ISO text of epoch milliseconds, as in records. */
export const instantSql = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`

const keyOf = (id: string) => `(SELECT key FROM short_keys WHERE id = ${id})`

export const subscriberStatusLetters = { active: 'a', paused: 'p', unverified: 'v', unsubscribed: 'u' } as const
const letterOf = (status: string) =>
  `CASE ${status} ${Object.entries(subscriberStatusLetters)
    .map(([name, letter]) => `WHEN '${name}' THEN '${letter}'`)
    .join(' ')} END`

/** Lists with the status on each, as `|7:a|12:p|`; null without lists. */
export const contactListsSql = (
  contactId: string,
) => `(SELECT '|' || group_concat(k.key || ':' || ${letterOf('s.status')}, '|') || '|'
  FROM subscribers s JOIN short_keys k ON k.id = s."subscriberListId" WHERE s."contactId" = ${contactId})`

export const isSuppressedSql = (projectId: string, emailKey: string) =>
  `(SELECT 1 FROM suppressions x WHERE x."projectId" = ${projectId} AND x."emailKey" = ${emailKey})`

const count = (subject: string, status: string, n: 1 | -1) =>
  `INSERT INTO tallies SELECT key, ${status}, ${n} FROM short_keys WHERE id = ${subject}
    ON CONFLICT (subject, status) DO UPDATE SET n = n + ${n};`

const named = (id: string) =>
  `INSERT INTO short_keys (id) SELECT ${id} WHERE ${id} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM short_keys WHERE id = ${id});`

export const ofContactSql = (contactId: string) =>
  `id = ${contactId} AND project = ${keyOf(`(SELECT "projectId" FROM contacts WHERE _id = ${contactId})`)}`

/** When the contact of a `contacts` row received its last mail, in epoch milliseconds. */
export const lastReceivedSql = `(SELECT received FROM segment_index WHERE project = ${keyOf('"projectId"')} AND id = _id)`

const listed = (contactId: string) =>
  `UPDATE segment_index SET lists = ${contactListsSql(contactId)} WHERE ${ofContactSql(contactId)};`

const suppress = (row: 'new' | 'old', value: '1' | 'NULL') =>
  `UPDATE segment_index SET suppressed = ${value} WHERE (project, id) IN (SELECT k.key, c._id FROM contacts c JOIN short_keys k
    ON k.id = c."projectId" WHERE c."projectId" = ${row}."projectId" AND c."emailKey" = ${row}."emailKey");`

const trigger = (name: string, when: string, ...statements: readonly string[]) =>
  `CREATE TRIGGER ${name} AFTER ${when} BEGIN ${statements.join(' ')} END`

/** Columns that a trigger copies from the document. */
const engagement = { opened: 'lastOpenDate', clicked: 'lastClickDate' } as const
const engagementEntries = Object.entries(engagement)

const engagedTrigger = trigger(
  'contacts_engaged',
  `UPDATE OF ${engagementEntries.map(([, field]) => `"${field}"`).join(', ')} ON contacts
    WHEN ${engagementEntries.map(([, field]) => `old."${field}" IS NOT new."${field}"`).join(' OR ')}`,
  `UPDATE segment_index SET ${engagementEntries.map(([column, field]) => `${column} = ${milliseconds(`new."${field}"`)}`).join(', ')}
    WHERE project = ${keyOf('new."projectId"')} AND id = new._id;`,
)

/** For changes and removals. `contactSegmentIndex` writes added rows: a trigger would cost each a statement journal. */
export const segmentIndexTriggersSql: readonly string[] = [
  trigger(
    'contacts_gone',
    'DELETE ON contacts',
    `DELETE FROM segment_index WHERE project = ${keyOf('old."projectId"')} AND id = old._id;`,
    count('old."projectId"', "''", -1),
  ),
  engagedTrigger,
  trigger(
    'subscribers_moved',
    `UPDATE OF "subscriberListId", "contactId", status ON subscribers WHEN old.status IS NOT new.status
      OR old."subscriberListId" IS NOT new."subscriberListId" OR old."contactId" IS NOT new."contactId"`,
    named('new."subscriberListId"'),
    count('old."subscriberListId"', 'old.status', -1),
    count('new."subscriberListId"', 'new.status', 1),
    listed('old."contactId"'),
    listed('new."contactId"'),
  ),
  trigger(
    'subscribers_gone',
    'DELETE ON subscribers',
    count('old."subscriberListId"', 'old.status', -1),
    listed('old."contactId"'),
  ),
  trigger('suppressions_added', 'INSERT ON suppressions', suppress('new', '1')),
  trigger(
    'suppressions_moved',
    `UPDATE OF "projectId", "emailKey" ON suppressions
      WHEN old."projectId" IS NOT new."projectId" OR old."emailKey" IS NOT new."emailKey"`,
    suppress('old', 'NULL'),
    suppress('new', '1'),
  ),
  trigger('suppressions_gone', 'DELETE ON suppressions', suppress('old', 'NULL')),
]
