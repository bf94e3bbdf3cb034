import type { Audience, AudienceQuestion, Contact } from '@posthorn/core'
import type { SqliteDatabase } from './sqlite-database.js'
import { segmentSql } from './sqlite-segment.js'
import { both, type Sql } from './sqlite-where.js'

/** Members in contact order, by the unique key of list and contact; `+` keeps the planner from sorting by another index. */
const from = `FROM subscribers s JOIN contacts c ON c._id = s."contactId"`

const meant = ({ projectId, subscriberListId, segment, now }: AudienceQuestion): Sql =>
  both([
    { text: 's."subscriberListId" = ?', parameters: [subscriberListId] },
    { text: `(+s."status" = 'active' OR (+s."status" = 'paused' AND s."pausedUntil" <= ?))`, parameters: [now] },
    { text: 'c."projectId" = ?', parameters: [projectId] },
    ...(segment ? [segmentSql(segment, new Date(now))] : []),
  ])

const reachable = ({ unengaged, now }: AudienceQuestion): Sql =>
  both([
    {
      text: 'NOT EXISTS (SELECT 1 FROM suppressions x WHERE x."projectId" = c."projectId" AND x."emailKey" = c."emailKey")',
      parameters: [],
    },
    ...(unengaged
      ? [segmentSql(unengaged, new Date(now))].map(({ text, parameters }) => ({ text: `NOT ${text}`, parameters }))
      : []),
  ])

/** The audience as one query, its segment compiled to SQL. */
export const sqliteAudience = ({ statement }: SqliteDatabase): Audience => ({
  count: async (question) => {
    const [who, ok] = [meant(question), reachable(question)]
    const row = statement(`SELECT count(*) AS total, sum(${ok.text}) AS reachable ${from} WHERE ${who.text}`).get(
      ...ok.parameters,
      ...who.parameters,
    )
    return { total: Number(row?.total ?? 0), reachable: Number(row?.reachable ?? 0) }
  },
  page: async (question, after, limit) => {
    const { text, parameters } = meant(question)
    return statement(`SELECT c.doc ${from} WHERE ${text} AND s."contactId" > ? ORDER BY s."contactId" LIMIT ?`)
      .all(...parameters, after ?? '', limit)
      .map((row) => JSON.parse(String(row.doc)) as Contact)
  },
})
