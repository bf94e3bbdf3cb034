import { invalid } from '@posthorn/core/ports/runtime'
import { type Contact, type ContactQuery, type ContactSearch, type Page, records } from '@posthorn/core/ports/storage'
import { memberSql, onAnySql } from '../columns/column-lists.js'
import type { ContactColumns } from '../columns/contact-columns.js'
import { contactForm } from '../columns/contact-form.js'
import { inTime, type Read } from '../database/readers.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { Row } from '../database/statement.js'
import { formOf } from '../records/record-form.js'
import { keysOf } from '../records/record-keys.js'
import { orderSql, pageOf } from '../records/sqlite-page.js'
import { readingOf } from '../records/sqlite-reading.js'
import { both, type Sql, whereSql } from '../records/sqlite-where.js'
import { all, checkFor, columnSegmentSql } from './column-segment.js'
import { contactParts } from './contact-parts.js'
import { overSql } from './sqlite-membership-store.js'
import { segmentSql } from './sqlite-segment.js'
import { statusSql } from './sqlite-subscriber-status.js'

const { columns: contactColumns, recordOf } = contactForm
const { columns: subscriberColumns } = formOf(records.subscribers)

type List = NonNullable<ContactQuery['list']>
/** Memberships of a list, or of several lists. */
type Members = Omit<List, 'subscriberListId'> & { readonly subscriberListId: string | readonly string[] }

const membersSql = ({ check }: Read, { subscriberListId, status, where = {} }: Members, now: string): Sql => {
  const { text, parameters } = both([
    { text: check, parameters: [] },
    whereSql({ ...where, subscriberListId }, subscriberColumns),
    ...(status ? [statusSql(status, now)] : []),
  ])
  return { text: `_id IN (SELECT "contactId" FROM subscribers WHERE ${text})`, parameters }
}

/** Conditions on documents. They are slower than a call of `in_time()`, so every row calls it. */
const segmentsSql = (segments: ContactQuery['segments'], now: string): readonly Sql[] =>
  segments.length === 0
    ? []
    : [{ text: inTime, parameters: [] }, ...segments.map((groups) => segmentSql(groups, new Date(now)))]

/** Fields to sort by that have a column. */
const orderedBy: Readonly<Record<string, string>> = {
  _id: 'id',
  createdAt: 'created',
  lastReceiveDate: 'received',
  lastOpenDate: 'opened',
  lastClickDate: 'clicked',
}

/** Contacts beyond the expected number that an ordered walk may examine before the search sorts all matches instead. */
const walked = 5_000
/** The most conditions × contacts of a search (docs/security.md). */
const mostComparisons = 50_000_000
/** Below this share of the project's contacts, walking the list is faster than scanning all contacts. */
const largeShare = 1 / 8

const hasOthers = (where: object, ...known: readonly string[]) => Object.keys(where).some((key) => !known.includes(key))

/**
 * Searches contacts, in another thread if many rows must be examined. If the columns suffice, only the documents of the page are read.
 */
export const sqliteContactSearch = (database: SqliteDatabase, columns: ContactColumns): ContactSearch => {
  const contacts = readingOf(database, 'contacts', keysOf('contacts', records.contacts))
  const subscribers = readingOf(database, 'subscribers', records.subscribers)
  const partsOf = contactParts(database, columns)

  const ofDocuments = async (question: ContactQuery): Promise<Page<Contact>> => {
    const { projectId, where, list, onOneOf, segments, sort, skip, limit, now } = question
    const asked = { ...where, projectId }
    const lists = list?.subscriberListId ?? onOneOf
    const read = lists
      ? subscribers({ projectId, subscriberListId: lists })
      : contacts(asked, segments.length === 0 ? { by: sort.by, skip } : undefined)
    const fits = both([
      ...(list ? [membersSql(read, list, now)] : []),
      ...(onOneOf ? [membersSql(read, { subscriberListId: onOneOf }, now)] : []),
      whereSql(asked, contactColumns, lists !== undefined && where.emailKey === undefined),
      ...segmentsSql(segments, now),
    ])
    const order = orderSql(sort.by, sort.order, contactColumns)
    return pageOf(read, 'contacts', contactForm, fits, order, { skip, limit })
  }

  /** Whether the columns can answer the whole question, and no list is so small that walking it is faster. */
  const isOfColumns = ({ projectId, where, list, onOneOf, sort }: ContactQuery): boolean => {
    if (hasOthers(where, 'projectId') || hasOthers(list?.where ?? {}) || !Object.hasOwn(orderedBy, sort.by))
      return false
    const ofProject = columns.tally(projectId) * largeShare
    const isLarge = (id: string) => columns.tally(id) >= ofProject
    return (!list || isLarge(list.subscriberListId)) && (!onOneOf || onOneOf.some(isLarge))
  }

  /** The number of matches from the tallies; undefined if the question needs a count. */
  const tallied = async ({ projectId, list, onOneOf, segments, now }: ContactQuery): Promise<number | undefined> => {
    if (segments.length > 0 || onOneOf) return undefined
    if (!list) return columns.tally(projectId)
    const { subscriberListId, status } = list
    if (status !== 'active' && status !== 'paused') return columns.tally(subscriberListId, status)
    const [over] =
      columns.tally(subscriberListId, 'paused') > 0
        ? await subscribers({ projectId, subscriberListId })(overSql, subscriberListId, now)
        : []
    return columns.tally(subscriberListId, status) + Number(over?.n ?? 0) * (status === 'active' ? 1 : -1)
  }

  const fitting = (read: Read, { projectId, list, onOneOf, segments, now }: ContactQuery): Sql => {
    const meant = segments.map((groups) =>
      columnSegmentSql(groups, new Date(now), (field) => columns.columnOf(projectId, field)),
    )
    return both([
      checkFor(read, meant),
      ...(list ? [memberSql(columns.keyOf(list.subscriberListId), list.subscriberListId, list.status, now)] : []),
      ...(onOneOf ? [onAnySql(onOneOf.map(columns.keyOf))] : []),
      all(meant),
    ])
  }

  const ofColumns = async (question: ContactQuery): Promise<Page<Contact>> => {
    const { projectId, sort, skip, limit } = question
    const project = columns.keyOf(projectId)
    if (project === undefined) return { items: [], count: 0 }
    const read = contacts({ projectId })
    const fits = fitting(read, question)
    const ofProject = { text: `k.project = ? AND ${fits.text}`, parameters: [project, ...fits.parameters] }
    const direction = sort.order === 'asc' ? 'ASC' : 'DESC'
    const by = orderedBy[sort.by] ?? 'id'

    /** Reads the page by a walk in sort order; undefined if that takes more than about twice the expected number of contacts. */
    const byWalk = async (count: number): Promise<readonly Row[] | undefined> => {
      if (by === 'id' || by === 'received' || (by !== 'created' && direction === 'ASC')) return undefined
      const wanted = Math.min(limit, count - skip)
      const total = columns.tally(projectId)
      const most = walked + Math.ceil((2 * (skip + wanted) * total) / count)
      if (most > walked + total / 2) return undefined
      const walk =
        by === 'created'
          ? `SELECT _id AS id FROM contacts WHERE "projectId" = ? ORDER BY "createdAt" ${direction}, _id ${direction}`
          : `SELECT id FROM contact_columns WHERE project = ? AND ${by} IS NOT NULL ORDER BY ${by} ${direction}, id ${direction}`
      const rows = await read(
        `SELECT k.id FROM (${walk} LIMIT ?) w CROSS JOIN contact_columns k ON k.id = w.id WHERE ${ofProject.text} LIMIT ? OFFSET ?`,
        ...[by === 'created' ? projectId : project, most, ...ofProject.parameters, limit, skip],
      )
      return rows.length < wanted ? undefined : rows
    }

    const bySort = () =>
      read(
        `SELECT k.id FROM contact_columns k WHERE ${ofProject.text} ORDER BY k.${by} ${direction}, k.id ${direction} LIMIT ? OFFSET ?`,
        ...[...ofProject.parameters, limit, skip],
      )

    const counted = async () => {
      const sql = `SELECT count(*) AS n FROM contact_columns k WHERE k.project = ? AND k.id > ? AND k.id <= ? AND ${fits.text}`
      const parts = partsOf(projectId).map((range) => [project, ...range, ...fits.parameters])
      const { rows } = await read.parts(sql, parts)
      return rows.reduce((sum, { n }) => sum + Number(n), 0)
    }
    const count = (await tallied(question)) ?? (await counted())
    if (count <= skip) return { items: [], count }
    const ids = ((await byWalk(count)) ?? (await bySort())).map(({ id }) => String(id))
    const rows = await read(
      `SELECT ${contactForm.selected} FROM contacts WHERE _id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
    const found = new Map(rows.map(recordOf).map((contact) => [contact._id, contact]))
    return { items: ids.flatMap((id) => found.get(id) ?? []), count }
  }

  /** @throws Refusal `invalid` if the search exceeds `mostComparisons` */
  const bounded = ({ projectId, list, segments }: ContactQuery): void => {
    const conditions = segments.flat().reduce((sum, group) => sum + group.conditions.length, 0)
    const contacts = columns.tally(list?.subscriberListId ?? projectId)
    if (conditions * contacts <= mostComparisons) return
    throw invalid(
      `The search compares ${conditions} conditions with ${contacts} contacts: the limit is ${mostComparisons} comparisons. Use fewer conditions, or search within a smaller list.`,
    )
  }

  return {
    page: async (question) => {
      bounded(question)
      return isOfColumns(question) ? ofColumns(question) : ofDocuments(question)
    },
  }
}
