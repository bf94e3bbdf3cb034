import { invalid } from '@posthorn/core/ports/runtime'
import {
  type Contact,
  type ContactQuery,
  type ContactSearch,
  type NextContactsQuery,
  type Page,
  records,
} from '@posthorn/core/ports/storage'
import type { SqlRow } from '../database/connection.js'
import { type ReadSqlRows, timeLimitCheckSql } from '../database/readers.js'
import { rawSql, type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { queryThreadRouter } from '../records/query-routing.js'
import { documentRecordMapping, tableKeysOf } from '../records/record-table.js'
import { orderSql, readSqlPage, whereSql } from '../records/where-sql.js'
import { type ContactSegmentIndex, contactRecordMapping } from '../segment-index/segment-index.js'
import { contactRanges } from './contact-ranges.js'
import {
  joinedCheapestFirst,
  memberSql,
  onAnyListSql,
  segmentIndexCondition,
  segmentSql,
  segmentTimeCheckSql,
} from './segment-sql.js'
import { countEndedSubscriberPausesSql, subscriberStatusSql } from './sqlite-membership-store.js'

const { columns: contactColumns, recordOf } = contactRecordMapping
const { columns: subscriberColumns } = documentRecordMapping(records.subscribers)

type List = NonNullable<ContactQuery['list']>
type Meant = Pick<ContactQuery, 'projectId' | 'list' | 'onOneOf' | 'segments' | 'emailPrefix' | 'now'>
type Members = Omit<List, 'subscriberListId'> & { readonly subscriberListId: string | readonly string[] }

const membersSql = (
  { check }: ReadSqlRows,
  { subscriberListId, status, where = {} }: Members,
  now: string,
): SqlFragment => {
  const fits = sqlJoinedByAnd([
    check,
    whereSql({ ...where, subscriberListId }, subscriberColumns),
    ...(status ? [subscriberStatusSql(status, now)] : []),
  ])
  return sql`_id IN (SELECT "contactId" FROM subscribers WHERE ${fits})`
}

/** Slower than `in_time()`, so every row calls it. */
const segmentsSql = (segments: ContactQuery['segments'], now: string): readonly SqlFragment[] =>
  segments.length === 0 ? [] : [timeLimitCheckSql, ...segments.map((groups) => segmentSql(groups, new Date(now)))]

const orderedBy: Readonly<Record<string, string>> = {
  _id: 'id',
  createdAt: 'created',
  lastReceiveDate: 'received',
  lastOpenDate: 'opened',
  lastClickDate: 'clicked',
}

/** Contacts that an ordered walk may examine beyond the expected number. */
const walked = 5_000
/** Limit on conditions × contacts (docs/security.md). */
const mostComparisons = 50_000_000
/** Below this share, reading the list is faster than scanning the index. */
const largeShare = 1 / 8

/** Sorts after every other. */
const lastCharacter = '\u{10ffff}'

const prefixSql = (prefix: string) => sql`"emailKey" >= ${prefix} AND "emailKey" < ${`${prefix}${lastCharacter}`}`

/** A filter by tags means what a segment of them means, which the index answers. */
const tagsAsSegment = (question: ContactQuery): ContactQuery => {
  const { tags, ...where } = question.where
  const given = typeof tags === 'string' ? [tags] : tags
  if (!Array.isArray(given) || !given.every((tag) => typeof tag === 'string')) return question
  const condition = { category: 'contact-property', operator: 'has-tag', tags: given } as const
  return { ...question, where, segments: [...question.segments, [{ conditions: [condition] }]] }
}

const hasOthers = (where: object, ...known: readonly string[]) => Object.keys(where).some((key) => !known.includes(key))

/** In another thread if many rows must be examined. */
export const sqliteContactSearch = (database: SqliteDatabase, index: ContactSegmentIndex): ContactSearch => {
  const contacts = queryThreadRouter(database, 'contacts', tableKeysOf('contacts', records.contacts))
  const subscribers = queryThreadRouter(database, 'subscribers', records.subscribers)
  const partsOf = contactRanges(database, index)

  const byDocument = async (question: ContactQuery): Promise<Page<Contact>> => {
    const { projectId, where, list, onOneOf, segments, emailPrefix, sort, skip, limit, now } = question
    const asked = { ...where, projectId }
    const lists = list?.subscriberListId ?? onOneOf
    const read = lists
      ? subscribers({ projectId, subscriberListId: lists })
      : contacts(asked, segments.length === 0 ? { by: sort.by, skip } : undefined)
    const fits = sqlJoinedByAnd([
      ...(list ? [membersSql(read, list, now)] : []),
      ...(onOneOf ? [membersSql(read, { subscriberListId: onOneOf }, now)] : []),
      whereSql(asked, contactColumns, lists !== undefined && where.emailKey === undefined),
      ...(emailPrefix === undefined ? [] : [prefixSql(emailPrefix)]),
      ...segmentsSql(segments, now),
    ])
    const order = orderSql(sort.by, sort.order, contactColumns)
    return readSqlPage(read, 'contacts', contactRecordMapping, fits, order, { skip, limit })
  }

  /** False if a list is small enough to be faster. */
  const isIndexed = ({ projectId, where, list, onOneOf, sort }: ContactQuery): boolean => {
    const isOrdered = sort.by === 'emailKey' || Object.hasOwn(orderedBy, sort.by)
    if (hasOthers(where, 'projectId') || hasOthers(list?.where ?? {}) || !isOrdered) return false
    const ofProject = index.tally(projectId) * largeShare
    const isLarge = (id: string) => index.tally(id) >= ofProject
    return (!list || isLarge(list.subscriberListId)) && (!onOneOf || onOneOf.some(isLarge))
  }

  const contactsOf = async (read: ReadSqlRows, ids: readonly string[]): Promise<readonly Contact[]> => {
    const rows = await read(
      sql`SELECT ${rawSql(contactRecordMapping.selected)} FROM contacts WHERE _id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    )
    const found = new Map(rows.map(recordOf).map((contact) => [contact._id, contact]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /** The count from the tallies; undefined if the question needs a scan. */
  const tallied = async ({ projectId, list, onOneOf, segments, now }: Meant): Promise<number | undefined> => {
    if (segments.length > 0 || onOneOf) return undefined
    if (!list) return index.tally(projectId)
    const { subscriberListId, status } = list
    if (status !== 'active' && status !== 'paused') return index.tally(subscriberListId, status)
    const [over] =
      index.tally(subscriberListId, 'paused') > 0
        ? await subscribers({ projectId, subscriberListId })(countEndedSubscriberPausesSql(subscriberListId, now))
        : []
    return index.tally(subscriberListId, status) + Number(over?.n ?? 0) * (status === 'active' ? 1 : -1)
  }

  const fitting = (read: ReadSqlRows, { projectId, list, onOneOf, segments, now }: Meant): SqlFragment => {
    const meant = segments.map((groups) =>
      segmentIndexCondition(groups, new Date(now), (field) => index.columnOf(projectId, field)),
    )
    return sqlJoinedByAnd([
      segmentTimeCheckSql(read, meant),
      ...(list ? [memberSql(index.keyOf(list.subscriberListId), list.subscriberListId, list.status, now)] : []),
      ...(onOneOf ? [onAnyListSql(onOneOf.map(index.keyOf))] : []),
      joinedCheapestFirst(meant),
    ])
  }

  const counted = async (read: ReadSqlRows, question: Meant): Promise<number> => {
    const { projectId } = question
    const fits = fitting(read, question)
    const sql = `SELECT count(*) AS n FROM segment_index k WHERE k.project = ? AND k.id > ? AND k.id <= ? AND ${fits.text}`
    const parts = partsOf(projectId).map((range) => [index.keyOf(projectId) ?? -1, ...range, ...fits.parameters])
    const { rows } = await read.parts(sql, parts)
    return rows.reduce((sum, { n }) => sum + Number(n), 0)
  }

  const documentSql = ({ where = {} }: Pick<NextContactsQuery, 'where'>): readonly SqlFragment[] => {
    if (Object.keys(where).length === 0) return []
    const fits = whereSql(where, contactColumns)
    return [timeLimitCheckSql, sql`EXISTS (SELECT 1 FROM contacts WHERE _id = k.id AND ${fits})`]
  }

  const isSmall = ({ projectId, list }: Pick<NextContactsQuery, 'projectId' | 'list'>): boolean =>
    list !== undefined && index.tally(list.subscriberListId) < index.tally(projectId) * largeShare

  /** The order that reads fewest rows: addresses, a small list, or the index. */
  const walkOf = (read: ReadSqlRows, question: Meant & Pick<NextContactsQuery, 'where'>) => {
    const { projectId, list, emailPrefix } = question
    const project = index.keyOf(projectId) ?? -1
    const fits = sqlJoinedByAnd([fitting(read, question), ...documentSql(question)])
    const joined = sql`CROSS JOIN segment_index k ON k.project = ${project} AND k.id =`
    if (emailPrefix !== undefined) {
      const from = sql`contacts c ${joined} c._id WHERE c."projectId" = ${projectId} AND ${prefixSql(emailPrefix)} AND ${fits}`
      return { from, key: 'c."emailKey"', isDown: false }
    }
    if (list && isSmall(question)) {
      const from = sql`subscribers s ${joined} s."contactId" WHERE s."subscriberListId" = ${list.subscriberListId} AND ${fits}`
      return { from, key: 's."contactId"', isDown: true }
    }
    return { from: sql`segment_index k WHERE k.project = ${project} AND ${fits}`, key: 'k.id', isDown: true }
  }

  const byIndex = async (question: ContactQuery): Promise<Page<Contact>> => {
    const { projectId, sort, skip, limit } = question
    const project = index.keyOf(projectId)
    if (project === undefined) return { items: [], count: 0 }
    const read = contacts({ projectId })
    const fits = fitting(read, question)
    const ofProject = sql`k.project = ${project} AND ${fits}`
    const direction = rawSql(sort.order)
    const by = orderedBy[sort.by] ?? 'id'

    /** The page by a walk in sort order; undefined if it examines too many contacts. */
    const byWalk = async (count: number): Promise<readonly SqlRow[] | undefined> => {
      if (by === 'id' || by === 'received' || (by !== 'created' && sort.order === 'asc')) return undefined
      const wanted = Math.min(limit, count - skip)
      const total = index.tally(projectId)
      const most = walked + Math.ceil((2 * (skip + wanted) * total) / count)
      if (most > walked + total / 2) return undefined
      const walk =
        by === 'created'
          ? sql`SELECT _id AS id FROM contacts WHERE "projectId" = ${projectId} ORDER BY "createdAt" ${direction}, _id ${direction}`
          : sql`SELECT id FROM segment_index WHERE project = ${project} AND ${rawSql(by)} IS NOT NULL ORDER BY ${rawSql(by)} ${direction}, id ${direction}`
      const rows = await read(
        sql`SELECT k.id FROM (${walk} LIMIT ${most}) w CROSS JOIN segment_index k ON k.id = w.id WHERE ${ofProject} LIMIT ${limit} OFFSET ${skip}`,
      )
      return rows.length < wanted ? undefined : rows
    }

    const bySort = () =>
      read(
        sql`SELECT k.id FROM segment_index k WHERE ${ofProject} ORDER BY k.${rawSql(by)} ${direction}, k.id ${direction} LIMIT ${limit} OFFSET ${skip}`,
      )

    const byAddress = () =>
      read(
        sql`SELECT k.id FROM contacts c CROSS JOIN segment_index k ON k.project = ${project} AND k.id = c._id
          WHERE c."projectId" = ${projectId} AND ${fits} ORDER BY c."emailKey" ${direction} LIMIT ${limit} OFFSET ${skip}`,
      )

    const count = (await tallied(question)) ?? (await counted(read, question))
    if (count <= skip) return { items: [], count }
    const rows = sort.by === 'emailKey' ? await byAddress() : ((await byWalk(count)) ?? (await bySort()))
    const ids = rows.map(({ id }) => String(id))
    return { items: await contactsOf(read, ids), count }
  }

  const byPrefix = async (question: ContactQuery): Promise<Page<Contact>> => {
    const { projectId, sort, skip, limit } = question
    const read = contacts({ projectId })
    const { from } = walkOf(read, question)
    const order = orderSql(sort.by, sort.order, contactColumns)
    const [counted] = await read(sql`SELECT count(*) AS n FROM ${from}`)
    const rows = await read(sql`SELECT k.id FROM ${from} ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}`)
    const ids = rows.map(({ id }) => String(id))
    return { items: await contactsOf(read, ids), count: Number(counted?.n) }
  }

  const bounded = ({ projectId, list, segments }: Meant): void => {
    const conditions = segments.flat().reduce((sum, group) => sum + group.conditions.length, 0)
    const contacts = index.tally(list?.subscriberListId ?? projectId)
    if (conditions * contacts <= mostComparisons) return
    throw invalid(
      `The search compares ${conditions} conditions with ${contacts} contacts: the limit is ${mostComparisons} comparisons. Use fewer conditions, or search within a smaller list.`,
    )
  }

  return {
    next: async (question) => {
      bounded(question)
      const { projectId, after, limit } = question
      const read = contacts({ projectId })
      const { from, key, isDown } = walkOf(read, question)
      const beyond = after === undefined ? rawSql('') : sql`AND ${rawSql(`${key} ${isDown ? '<' : '>'}`)} ${after}`
      const order = rawSql(`${key} ${isDown ? 'DESC' : 'ASC'}`)
      const rows = await read(sql`SELECT k.id FROM ${from} ${beyond} ORDER BY ${order} LIMIT ${limit}`)
      return contactsOf(
        read,
        rows.map(({ id }) => String(id)),
      )
    },

    page: async (question) => {
      bounded(question)
      const asked = tagsAsSegment(question)
      if (asked.emailPrefix !== undefined && !hasOthers(asked.list?.where ?? {})) return byPrefix(asked)
      return isIndexed(asked) ? byIndex(asked) : byDocument(question)
    },
  }
}
