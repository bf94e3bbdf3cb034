import type { SettledPost, WebhookDelivery, WebhookOutbox } from '@posthorn/core/ports/storage'
import type { SqlParameter } from '../database/connection.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { recordOfRow } from '../records/record-table.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'

const pruneSize = 500

const table = '"webhookDeliveries"'

/** One index entry per webhook, however many events wait. */
const dueSql = `WITH RECURSIVE waiting (id) AS (
    SELECT min("webhookId") FROM ${table} WHERE state = 'pending'
    UNION ALL
    SELECT (SELECT min("webhookId") FROM ${table} WHERE state = 'pending' AND "webhookId" > waiting.id) FROM waiting WHERE waiting.id IS NOT NULL
  )
  SELECT id AS "webhookId", (SELECT "projectId" FROM ${table} WHERE state = 'pending' AND "webhookId" = id AND "nextAt" <= ?1 LIMIT 1) AS "projectId"
  FROM waiting WHERE "projectId" IS NOT NULL`

const waitingSql = `SELECT json(doc) AS doc FROM ${table} WHERE state = 'pending' AND "webhookId" = ? AND "nextAt" <= ? AND "projectId" = ?
  ORDER BY "nextAt", _id LIMIT ?`

const claimSql = `UPDATE ${table} SET "nextAt" = ?1, doc = jsonb_set(doc, '$.nextAt', ?1, '$.worker', ?2, '$.updatedAt', ?3,
  '$.attempts', (doc ->> '$.attempts') + 1) WHERE _id IN (SELECT value FROM json_each(?4))`

const settleSql = `UPDATE ${table} SET state = ?, "nextAt" = ?, doc = jsonb(?)
  WHERE _id = ? AND state = 'pending' AND doc ->> '$.worker' = ? AND doc ->> '$.attempts' = ?`

const oldSql = `DELETE FROM ${table} WHERE _id IN (SELECT _id FROM ${table} WHERE state IN ('delivered', 'given-up')
  AND "createdAt" < ? LIMIT ${pruneSize})`

const cutSql = `SELECT "createdAt" AS at, _id FROM ${table} WHERE "projectId" = ? AND "webhookId" = ? ORDER BY "createdAt" DESC, _id DESC LIMIT 1 OFFSET ?`

const beyondSql = `DELETE FROM ${table} WHERE _id IN (SELECT _id FROM ${table} WHERE "projectId" = ?
  AND "webhookId" = ? AND ("createdAt", _id) <= (?, ?) AND state <> 'pending' LIMIT ${pruneSize})`

export const sqliteWebhookOutbox = (
  { statement, write }: SqliteDatabase,
  webhookDeliveries: SqliteRepository<WebhookDelivery>,
): WebhookOutbox => {
  const removeAll = async (sql: string, ...parameters: readonly SqlParameter[]): Promise<number> => {
    for (let removed = 0; ; ) {
      const some = await write(() => Number(statement(sql).run(...parameters).changes))
      removed += some
      if (some < pruneSize) return removed
    }
  }

  const settleOne = ({ claimed, became }: SettledPost) =>
    statement(settleSql).run(
      ...[became.state, became.nextAt, JSON.stringify(became), claimed._id, claimed.worker ?? null, claimed.attempts],
    )

  return {
    add: async (deliveries) => {
      if (deliveries.length > 0) await write(() => deliveries.forEach(webhookDeliveries.within.addNew))
    },

    due: async (now) =>
      statement(dueSql)
        .all(now)
        .map(({ projectId, webhookId }) => ({ projectId: String(projectId), webhookId: String(webhookId) })),

    claim: ({ projectId, webhookId, worker, now, leaseUntil, limit }) =>
      write(() => {
        const waiting = statement(waitingSql)
          .all(webhookId, now, projectId, limit)
          .map((row) => recordOfRow<WebhookDelivery>(row))
        if (waiting.length === 0) return []
        statement(claimSql).run(leaseUntil, worker, now, JSON.stringify(waiting.map(({ _id }) => _id)))
        return waiting.map((delivery) => ({
          ...delivery,
          attempts: delivery.attempts + 1,
          worker,
          nextAt: leaseUntil,
          updatedAt: now,
        }))
      }),

    settle: async (posts) => {
      if (posts.length > 0) await write(() => posts.forEach(settleOne))
    },

    prune: (before) => removeAll(oldSql, before),

    trim: async ({ projectId, webhookId }, most) => {
      const cut = statement(cutSql).get(projectId, webhookId, most)
      return cut ? removeAll(beyondSql, projectId, webhookId, String(cut.at), String(cut._id)) : 0
    },
  }
}
