import {
  type Audience,
  type AudienceCount,
  type AudienceQuery,
  type Contact,
  type ResolvedGroups,
  records,
} from '@posthorn/core/ports/storage'
import { type ReadSqlRows, timeLimitCheckSql } from '../database/readers.js'
import { type KeySlice, keySlices } from '../database/slices.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { queryThreadRouter } from '../records/query-routing.js'
import { type SqlFragment, sqlJoinedByAnd } from '../records/where-sql.js'
import { type ContactSegmentIndex, contactRecordMapping } from '../segment-index/segment-index.js'
import { memberSql, oneOrZeroSql, segmentIndexCondition, segmentSql, segmentTimeCheckSql } from './segment-sql.js'

const sliceSize = 2_000
/** Below this share, reading the list is faster than scanning the index. */
const largeShare = 1 / 8

const endOfSlice = `SELECT max("contactId") AS "end" FROM (
  SELECT "contactId" FROM subscribers WHERE "subscriberListId" = ? AND "contactId" > ? ORDER BY "contactId" LIMIT ${sliceSize})`

/** Includes members whose pause is over. Each SELECT uses an index. */
const active = ({ subscriberListId, now }: AudienceQuery, { after, upTo }: KeySlice): SqlFragment => ({
  text: `SELECT "contactId" FROM subscribers
      WHERE "subscriberListId" = ? AND status = 'active' AND "contactId" > ? AND "contactId" <= ?
    UNION ALL SELECT "contactId" FROM subscribers
      WHERE "subscriberListId" = ? AND status = 'paused' AND "contactId" > ? AND "contactId" <= ? AND "pausedUntil" <= ?`,
  parameters: [subscriberListId, after, upTo, subscriberListId, after, upTo, now],
})

const meant = ({ projectId, segment, now }: AudienceQuery): SqlFragment =>
  sqlJoinedByAnd([
    { text: '+c."projectId" = ?', parameters: [projectId] },
    ...(segment ? [segmentSql(segment, new Date(now))] : []),
  ])

const reachable = ({ unengaged, now }: AudienceQuery): SqlFragment => {
  const gone = unengaged ? segmentSql(unengaged, new Date(now)) : { text: '0', parameters: [] }
  return {
    text: `NOT ${gone.text}
      AND NOT EXISTS (SELECT 1 FROM suppressions x WHERE x."projectId" = c."projectId" AND x."emailKey" = c."emailKey")`,
    parameters: gone.parameters,
  }
}

export const sqliteAudience = (database: SqliteDatabase, index: ContactSegmentIndex): Audience => {
  const reading = queryThreadRouter(database, 'subscribers', records.subscribers)
  const readingFor = ({ projectId, subscriberListId }: AudienceQuery) =>
    reading({ projectId, subscriberListId }, undefined, 'first')

  const walk = (read: ReadSqlRows, { subscriberListId }: AudienceQuery, start = '') =>
    keySlices(async (after) => {
      const [slice] = await read(endOfSlice, subscriberListId, after)
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
    const [gone = { text: '0', parameters: [] }] = excluded.map(oneOrZeroSql)
    const read = readingFor(question)
    const who = sqlJoinedByAnd([
      segmentTimeCheckSql(read, [...meant, ...excluded]),
      { text: 'k.project = ?', parameters: [index.keyOf(projectId) ?? -1] },
      memberSql(index.keyOf(subscriberListId), subscriberListId, 'active', now),
      ...meant,
    ])
    const [row] = await read(
      `SELECT count(*) AS total, count(CASE WHEN k.suppressed IS NULL AND NOT ${gone.text} THEN 1 END) AS reachable
        FROM segment_index k WHERE ${who.text}`,
      ...[...gone.parameters, ...who.parameters],
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
        const members = active(question, slice)
        const [row] = await read(
          `SELECT count(*) AS total, count(CASE WHEN ${ok.text} THEN 1 END) AS reachable FROM (${members.text}) m CROSS JOIN contacts c ON c._id = m."contactId" WHERE ${timeLimitCheckSql} AND ${who.text}`,
          ...[...ok.parameters, ...members.parameters, ...who.parameters],
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
        const members = active(question, slice)
        const rows = await read(
          `SELECT ${contactRecordMapping.selected} FROM contacts c WHERE ${timeLimitCheckSql} AND c._id IN (${members.text}) AND ${who.text} ORDER BY c._id LIMIT ?`,
          ...[...members.parameters, ...who.parameters, limit - page.length],
        )
        page.push(...rows.map(contactRecordMapping.recordOf))
        if (page.length >= limit) break
      }
      return page
    },
  }
}
