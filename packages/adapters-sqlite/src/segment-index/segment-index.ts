import { type Contact, records, type Subscriber } from '@posthorn/core/ports/storage'
import type { SqlParameter } from '../database/connection.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqlWriteStep } from '../database/writer.js'
import { documentRecordMapping, type RecordMapping } from '../records/record-table.js'
import type { RecordHooks } from '../records/sqlite-repository.js'
import {
  contactListsSql,
  instantSql,
  isSuppressedSql,
  lastReceivedSql,
  ofContactSql,
  segmentIndexColumnValue,
  segmentIndexFieldColumns,
  segmentIndexFieldCount,
  subscriberStatusLetters,
  tagsIndexValue,
} from './segment-index-schema.js'

const documents = documentRecordMapping<Contact>(records.contacts)

/** Mails write `lastReceiveDate` only to the short row; the document's is outdated. */
export const contactRecordMapping: RecordMapping<Contact> = {
  selected: `${documents.selected}, ${lastReceivedSql} AS received`,
  recordOf: (row) => {
    const contact = documents.recordOf(row)
    return typeof row.received === 'number'
      ? { ...contact, lastReceiveDate: new Date(row.received).toISOString() }
      : contact
  },
  columns: new Map([...documents.columns, ['lastReceiveDate', instantSql(lastReceivedSql)]]),
}

const cacheSize = 5_000

const values = ['project', 'id', 'created', 'received', 'opened', 'clicked', 'suppressed', 'tags', 'lists']
/** Index of the first custom field in a row of parameters: one more than in `values`, as `suppressed` takes two parameters. */
const columnsFrom = 10
const given = `?1, ?2, ?3, ?4, ?5, ?6, ${isSuppressedSql('?7', '?8')}, ?9`

const insertSql = (lists: string, many: number, first: number) => {
  const filled = segmentIndexFieldColumns.slice(0, many)
  return `INSERT INTO segment_index (${[...values, ...filled].join(', ')})
    VALUES (${[given, lists, ...filled.map((_, slot) => `?${slot + first}`)].join(', ')})`
}

/** By the number of filled custom fields, few in most projects; the others become NULL. */
const upserts = Array.from({ length: segmentIndexFieldCount + 1 }, (_, many) => {
  const kept = [...values.slice(2), ...segmentIndexFieldColumns.slice(0, many)].map(
    (column) => `${column} = excluded.${column}`,
  )
  const emptied = segmentIndexFieldColumns.slice(many).map((column) => `${column} = NULL`)
  return `${insertSql(contactListsSql('?2'), many, 10)} ON CONFLICT (project, id) DO UPDATE SET ${[...kept, ...emptied].join(', ')}`
})
/** Insert statements by the number of custom fields, for a contact that is only on the given lists. */
const inserts = Array.from({ length: segmentIndexFieldCount + 1 }, (_, many) => insertSql('?10', many, 11))

const listSql = `UPDATE segment_index SET lists = ${contactListsSql('?1')} WHERE ${ofContactSql('?1')}`
/** Never lowers the time: batches of several workers may be stored in another order than they were sent in. */
const receivedSql = `UPDATE segment_index AS k SET received = e.value ->> 2 FROM json_each(?) e
  WHERE k.project = e.value ->> 0 AND k.id = e.value ->> 1 AND (k.received IS NULL OR k.received < e.value ->> 2)`
const countSql = 'INSERT INTO tallies VALUES (?1, ?2, ?3) ON CONFLICT (subject, status) DO UPDATE SET n = n + ?3'

/** As `inserts`, for many contacts: the parameter is a JSON array with an array of parameters per contact. */
const insertEachSql = (many: number) => {
  const filled = segmentIndexFieldColumns.slice(0, many)
  const first = [0, 1, 2, 3, 4, 5].map((place) => `e.value ->> ${place}`)
  const rest = ['lists', ...filled].map((_, place) => `e.value ->> ${place + columnsFrom - 1}`)
  return `INSERT INTO segment_index (${[...values, ...filled].join(', ')})
    SELECT ${[...first, isSuppressedSql('(e.value ->> 6)', '(e.value ->> 7)'), 'e.value ->> 8', ...rest].join(', ')} FROM jsonb_each(?) e`
}
const listEachSql = `UPDATE segment_index SET lists = ${contactListsSql('segment_index.id')} WHERE (project, id) IN
  (SELECT k.key, c._id FROM json_each(?) e CROSS JOIN contacts c ON c._id = e.value CROSS JOIN short_keys k ON k.id = c."projectId")`

/** An unsafe integer would be INTEGER through JSON, but REAL by the driver. */
const inJson = (value: SqlParameter) => (Number.isInteger(value) ? undefined : value)

export type SegmentIndexMailTime = { readonly projectId: string; readonly contactId: string; readonly now: string }

const time = (instant: string | undefined): SqlParameter => (instant === undefined ? null : Date.parse(instant))

export type AddedContactsAndMembers = { readonly contacts: Contact[]; readonly memberships: Subscriber[] }

/** The changes of the tallies, and the `lists` value of each contact. */
const summed = ({ contacts, memberships }: AddedContactsAndMembers, keyOf: (id: string) => number) => {
  const tallies: [subject: number, status: string, n: number][] = []
  const count = (subject: number, status: string) => {
    const known = tallies.find(([of, as]) => of === subject && as === status)
    if (known) known[2] += 1
    else tallies.push([subject, status, 1])
  }
  const lists = new Map<string, string>()
  for (const { contactId, subscriberListId, status } of memberships) {
    const list = keyOf(subscriberListId)
    count(list, status)
    lists.set(contactId, `${lists.get(contactId) ?? '|'}${list}:${subscriberStatusLetters[status]}|`)
  }
  for (const { projectId } of contacts) count(keyOf(projectId), '')
  return { tallies, lists }
}

/** A cache of read values, cleared when a write is undone or the cache is full. */
const remembering = <V>(database: SqliteDatabase) => {
  const known = new Map<string | number, V>()
  database.onUndone(() => known.clear())
  return (key: string | number, read: () => V | undefined): V | undefined => {
    const found = known.get(key) ?? read()
    if (known.size >= cacheSize) known.clear()
    if (found !== undefined) known.set(key, found)
    return found
  }
}

/** Writes what documents determine; triggers maintain the rest (`segment-index-schema.ts`). */
export const contactSegmentIndex = (database: SqliteDatabase) => {
  const { statement } = database
  const keys = remembering<number>(database)
  const fields = remembering<Map<string, number | undefined>>(database)
  let adding: AddedContactsAndMembers | undefined

  /** The short key of a project or a list; undefined if it never had contacts. */
  const keyOf = (id: string): number | undefined =>
    keys(id, () => {
      const found = statement('SELECT key FROM short_keys WHERE id = ?').get(id)
      return found && Number(found.key)
    })

  /** Assigns a column to a field for good; undefined if the project has used all columns. */
  const newSlot = (project: number, field: string): number | undefined => {
    const taken = Number(statement('SELECT count(*) AS n FROM segment_slots WHERE project = ?').get(project)?.n)
    if (taken >= segmentIndexFieldCount) return undefined
    statement('INSERT INTO segment_slots VALUES (?, ?, ?)').run(project, field, taken)
    return taken
  }

  const storedSlot = (project: number, field: string): number | undefined => {
    const found = statement('SELECT slot FROM segment_slots WHERE project = ? AND field = ?').get(project, field)
    return found && Number(found.slot)
  }

  const slotFor = (project: number, field: string): number | undefined => {
    const known = fields(project, () => new Map())
    if (known?.has(field)) return known.get(field)
    const slot = storedSlot(project, field) ?? newSlot(project, field)
    known?.set(field, slot)
    return slot
  }

  /** In the order of `values`, then the columns of the custom fields. */
  const rowOf = (
    project: number,
    { _id, projectId, emailKey, createdAt, lastReceiveDate, lastOpenDate, lastClickDate, tags, customFields }: Contact,
    lists: string | null,
    slotOf: (project: number, field: string) => number | undefined,
  ): SqlParameter[] => {
    const row = [project, _id, time(createdAt), time(lastReceiveDate), time(lastOpenDate), time(lastClickDate)]
    row.push(projectId, emailKey, tagsIndexValue(tags), lists)
    for (const field of Object.keys(customFields)) {
      const slot = slotOf(project, field)
      if (slot === undefined) continue
      while (row.length <= slot + columnsFrom) row.push(null)
      row[slot + columnsFrom] = segmentIndexColumnValue(customFields[field])
    }
    return row
  }

  /** @param lists the contact's complete lists; otherwise they are queried */
  const keep = (contact: Contact, lists?: { readonly only: string | null }): void => {
    const project = keyOf(contact.projectId)
    if (project === undefined) return
    const row = rowOf(project, contact, lists?.only ?? null, slotFor)
    const many = row.length - columnsFrom
    if (lists) statement(inserts[many] ?? '').run(...row)
    else statement(upserts[many] ?? '').run(...row.toSpliced(columnsFrom - 1, 1))
  }

  /** Triggers have handled dates of opens and clicks, which most changes concern. */
  const isSame = (before: Contact, after: Contact): boolean =>
    before.emailKey === after.emailKey &&
    before.projectId === after.projectId &&
    before.createdAt === after.createdAt &&
    before.lastReceiveDate === after.lastReceiveDate &&
    JSON.stringify([before.tags, before.customFields]) === JSON.stringify([after.tags, after.customFields])

  const nameKey = (id: string): number => {
    const known = keyOf(id)
    if (known !== undefined) return known
    statement('INSERT INTO short_keys (id) VALUES (?)').run(id)
    return Number(statement('SELECT key FROM short_keys WHERE id = ?').get(id)?.key)
  }

  /** @param isAll whether the contacts are on no other lists */
  const keepBatch = (added: AddedContactsAndMembers, isAll = false): void => {
    const { tallies, lists } = summed(added, nameKey)
    for (const contact of added.contacts) {
      keep(contact, isAll ? { only: lists.get(contact._id) ?? null } : undefined)
      lists.delete(contact._id)
    }
    for (const contactId of lists.keys()) statement(listSql).run(contactId)
    for (const tally of tallies) statement(countSql).run(...tally)
  }

  /** `batch` for any connection; undefined if an id has no short key or a field no column yet. */
  const stepsOf = (added: AddedContactsAndMembers): readonly SqlWriteStep[] | undefined => {
    let isKnown = true
    const known = <T>(found: T | undefined): T | undefined => {
      if (found === undefined) isKnown = false
      return found
    }
    const slotOf = (project: number, field: string): number | undefined => {
      const places = fields(project, () => new Map())
      const place = places?.get(field)
      return place !== undefined || places?.has(field) ? place : known(storedSlot(project, field))
    }
    const { tallies, lists } = summed(added, (id) => known(keyOf(id)) ?? 0)
    let widest = 0
    const rows = added.contacts.map((contact) => {
      const row = rowOf(keyOf(contact.projectId) ?? 0, contact, lists.get(contact._id) ?? null, slotOf)
      lists.delete(contact._id)
      widest = Math.max(widest, row.length - columnsFrom)
      for (let place = columnsFrom; place < row.length; place += 1) {
        const value = row[place] ?? null
        row[place] = typeof value === 'bigint' ? Number(value) : (known(inJson(value)) ?? null)
      }
      return row
    })
    if (!isKnown) return undefined
    return [
      ...(rows.length > 0
        ? [{ sql: insertEachSql(widest), parameters: [JSON.stringify(rows)], changes: rows.length }]
        : []),
      ...(lists.size > 0 ? [{ sql: listEachSql, parameters: [JSON.stringify([...lists.keys()])] }] : []),
      ...tallies.map((parameters) => ({ sql: countSql, parameters })),
    ]
  }

  const ofContacts: RecordHooks<Contact> = {
    form: contactRecordMapping,
    added: (contact) => {
      if (adding) adding.contacts.push(contact)
      else keepBatch({ contacts: [contact], memberships: [] })
    },
    changed: (before, after) => {
      if (!isSame(before, after)) keep(after)
    },
  }
  const ofSubscribers: RecordHooks<Subscriber> = {
    added: (membership) => {
      if (adding) adding.memberships.push(membership)
      else keepBatch({ contacts: [], memberships: [membership] })
    },
    changed: () => {},
  }

  /** Stores when contacts received a mail. Must be called within a write. */
  const noteReceived = (received: Iterable<SegmentIndexMailTime>): void => {
    const latest = new Map<string, readonly [project: number, contactId: string, at: number]>()
    for (const { projectId, contactId, now } of received) {
      const project = keyOf(projectId)
      const at = Date.parse(now)
      if (project !== undefined && at > (latest.get(contactId)?.[2] ?? Number.NEGATIVE_INFINITY))
        latest.set(contactId, [project, contactId, at])
    }
    if (latest.size === 0) return
    statement(receivedSql).run(JSON.stringify([...latest.values()]))
  }

  return {
    /** Hooks that write the short rows together with the records of these collections. */
    hooks: { contacts: ofContacts, subscribers: ofSubscribers },
    /** Within a write. Contacts that `work` adds are only on lists that they join in it. */
    batch: <T>(work: () => T): T => {
      const added: AddedContactsAndMembers = { contacts: [], memberships: [] }
      adding = added
      try {
        const value = work()
        keepBatch(added, true)
        return value
      } finally {
        adding = undefined
      }
    },
    stepsOf,
    noteReceived,
    keyOf,
    /** The column of a custom field; undefined if it has none. */
    columnOf: (projectId: string, field: string): string | undefined => {
      const project = keyOf(projectId)
      const slot = project === undefined ? undefined : storedSlot(project, field)
      return slot === undefined ? undefined : `k.${segmentIndexFieldColumns[slot]}`
    },
    /** The number of a project's contacts, or of a list's members, optionally only those with the status. */
    tally: (id: string, status?: string): number => {
      const ofStatus = status === undefined ? '' : ' AND status = ?'
      const key = keyOf(id)
      if (key === undefined) return 0
      const counted = statement(`SELECT coalesce(sum(n), 0) AS n FROM tallies WHERE subject = ?${ofStatus}`)
      return Number(counted.get(key, ...(status === undefined ? [] : [status]))?.n)
    },
  }
}
export type ContactSegmentIndex = ReturnType<typeof contactSegmentIndex>
