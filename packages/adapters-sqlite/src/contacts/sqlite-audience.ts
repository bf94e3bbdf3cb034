import {
  type AudienceCount,
  type AudienceQuery,
  type AudienceReader,
  type Contact,
  type ResolvedGroups,
  records,
} from '@posthorn/core/ports/storage'
import { type ReadSqlRows, timeLimitCheckSql } from '../database/readers.js'
import { type KeySlice, keySlices } from '../database/slices.js'
import { rawSql, type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { queryThreadRouter } from '../records/query-routing.js'
import { type ContactSegmentIndex, contactRecordMapping } from '../segment-index/segment-index.js'
import { memberSql, oneOrZeroSql, segmentIndexCondition, segmentSql, segmentTimeCheckSql } from './segment-sql.js'

const oneSlice = rawSql('LIMIT 2000')
/** Below this share, reading the list is faster than scanning the index. */
const largeShare = 1 / 8

const endOfSlice = (subscriberListId: string, after: string) => sql`SELECT max("contactId") AS "end" FROM (
  SELECT "contactId" FROM subscribers WHERE "subscriberListId" = ${subscriberListId} AND "contactId" > ${after} ORDER BY "contactId" ${oneSlice})`

/** Includes members whose pause is over. Each SELECT uses an index. */
const active = ({ subscriberListId, now }: AudienceQuery, { after, upTo }: KeySlice): SqlFragment => {
  const inSlice = sql`"subscriberListId" = ${subscriberListId} AND "contactId" > ${after} AND "contactId" <= ${upTo}`
  return sql`SELECT "contactId" FROM subscribers WHERE ${inSlice} AND status = 'active'
    UNION ALL SELECT "contactId" FROM subscribers WHERE ${inSlice} AND status = 'paused' AND "pausedUntil" <= ${now}`
}

const meant = ({ projectId, segment, now }: AudienceQuery): SqlFragment =>
  sqlJoinedByAnd([sql`+c."projectId" = ${projectId}`, ...(segment ? [segmentSql(segment, new Date(now))] : [])])

const reachable = ({ unengaged, now }: AudienceQuery): SqlFragment =>
  sql`NOT ${unengaged ? segmentSql(unengaged, new Date(now)) : rawSql('0')}
      AND NOT EXISTS (SELECT 1 FROM suppressions x WHERE x."projectId" = c."projectId" AND x."emailKey" = c."emailKey")`

export const sqliteAudience = (database: SqliteDatabase, index: ContactSegmentIndex): AudienceReader => {
  const reading = queryThreadRouter(database, 'subscribers', records.subscribers)
  const readingFor = ({ projectId, subscriberListId }: AudienceQuery) =>
    reading({ projectId, subscriberListId }, undefined, 'first')

  const walk = (read: ReadSqlRows, { subscriberListId }: AudienceQuery, start = '') =>
    keySlices(async (after) => {
      const [slice] = await read(endOfSlice(subscriberListId, after))
      return typeof slice?.end === 'string' ? slice.end : undefined
    }, start)

  const isLarge = ({ projectId, subscriberListId }: AudienceQuery): boolean =>
    index.tally(subscriberListId) >= index.tally(projectId) * largeShare

  const countByIndex = async (question: AudienceQuery): Promise<AudienceCount> => {
    const { projectId, subscriberListId, segment, unengaged, now } = question
    const segmentOf = (groups: ResolvedGroups) =>
      segmentIndexCondition(groups, new Date(now), (field) => index.columnOf(projectId, field))
    const meant = segment ? [segmentOf(segment)] : []
    const excluded = unengaged ? [segmentOf(unengaged)] : []
    const [gone = rawSql('0')] = excluded.map(oneOrZeroSql)
    const read = readingFor(question)
    const who = sqlJoinedByAnd([
      segmentTimeCheckSql(read, [...meant, ...excluded]),
      sql`k.project = ${index.keyOf(projectId) ?? -1}`,
      memberSql(index.keyOf(subscriberListId), subscriberListId, 'active', now),
      ...meant,
    ])
    const [row] = await read(
      sql`SELECT count(*) AS total, count(CASE WHEN k.suppressed IS NULL AND NOT ${gone} THEN 1 END) AS reachable
        FROM segment_index k WHERE ${who}`,
    )
    return { total: Number(row?.total), reachable: Number(row?.reachable) }
  }

  return {
    pageSize: 250,

    count: async (question) => {
      if (isLarge(question)) return countByIndex(question)
      const [who, ok] = [meant(question), reachable(question)]
      const counted = { total: 0, reachable: 0 }
      const read = readingFor(question)
      for await (const slice of walk(read, question)) {
        const [row] = await read(
          sql`SELECT count(*) AS total, count(CASE WHEN ${ok} THEN 1 END) AS reachable FROM (${active(question, slice)}) m
            CROSS JOIN contacts c ON c._id = m."contactId" WHERE ${timeLimitCheckSql} AND ${who}`,
        )
        counted.total += Number(row?.total)
        counted.reachable += Number(row?.reachable)
      }
      return counted
    },

    page: async (question, after, limit) => {
      const who = meant(question)
      const page: Contact[] = []
      const read = readingFor(question)
      for await (const slice of walk(read, question, after)) {
        const rows = await read(
          sql`SELECT ${rawSql(contactRecordMapping.selected)} FROM contacts c WHERE ${timeLimitCheckSql}
            AND c._id IN (${active(question, slice)}) AND ${who} ORDER BY c._id LIMIT ${limit - page.length}`,
        )
        page.push(...rows.map(contactRecordMapping.recordOf))
        if (page.length >= limit) break
      }
      return page
    },
  }
}
