import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import type { Sql } from '../records/sqlite-where.js'

/** Condition for members whose current status is this one: a paused member is active again after the end of the pause. */
export const statusSql = (status: SubscriberStatus, now: string): Sql => {
  if (status === 'active')
    return { text: `(status = 'active' OR (status = 'paused' AND "pausedUntil" <= ?))`, parameters: [now] }
  if (status === 'paused')
    return { text: `(status = 'paused' AND ("pausedUntil" IS NULL OR "pausedUntil" > ?))`, parameters: [now] }
  return { text: 'status = ?', parameters: [status] }
}
