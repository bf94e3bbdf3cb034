import { type Contact, type ContactQuestion, type ContactSearch, records } from '@posthorn/core'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { orderSql, pageOf } from '../records/sqlite-page.js'
import { readingOf } from '../records/sqlite-reading.js'
import { columnsOf } from '../records/sqlite-schema.js'
import { both, type Sql, whereSql } from '../records/sqlite-where.js'
import { segmentSql } from './sqlite-segment.js'
import { statusSql } from './sqlite-subscriber-status.js'

const contactColumns = new Set(['_id', ...columnsOf(records.contacts)])
const subscriberColumns = new Set(['_id', ...columnsOf(records.subscribers)])

type List = NonNullable<ContactQuestion['list']>
/** Memberships of a list, or of any of several. */
type Members = Omit<List, 'subscriberListId'> & { readonly subscriberListId: string | readonly string[] }

const membersSql = ({ subscriberListId, status, where = {} }: Members, now: string): Sql => {
  const { text, parameters } = both([
    whereSql({ ...where, subscriberListId }, subscriberColumns),
    ...(status ? [statusSql(status, now)] : []),
  ])
  return { text: `_id IN (SELECT "contactId" FROM subscribers WHERE ${text})`, parameters }
}

/** Whatever the conditions are, they are looked at for each contact, and their number is the client's: so is the time. */
const segmentsSql = (segments: ContactQuestion['segments'], now: string): readonly Sql[] =>
  segments.length === 0
    ? []
    : [{ text: 'in_time()', parameters: [] }, ...segments.map((groups) => segmentSql(groups, new Date(now)))]

/** Contacts found by a query, which is read in another thread where there are many to look at. */
export const sqliteContactSearch = (database: SqliteDatabase): ContactSearch => {
  const contacts = readingOf(database, 'contacts', records.contacts)
  const subscribers = readingOf(database, 'subscribers', records.subscribers)

  return {
    page: async ({ projectId, where, list, onOneOf, segments, sort, skip, limit, now }) => {
      const asked = { ...where, projectId }
      const lists = list?.subscriberListId ?? onOneOf
      const read = lists
        ? subscribers({ projectId, subscriberListId: lists })
        : contacts(asked, segments.length === 0 ? { by: sort.by, skip } : undefined)
      const fits = both([
        ...(list ? [membersSql(list, now)] : []),
        ...(onOneOf ? [membersSql({ subscriberListId: onOneOf }, now)] : []),
        whereSql(asked, contactColumns, lists !== undefined && where.emailKey === undefined),
        ...segmentsSql(segments, now),
      ])
      return pageOf<Contact>(read, 'contacts', fits, orderSql(sort.by, sort.order, contactColumns), { skip, limit })
    },
  }
}
