import type { SubscriberStatus } from '@posthorn/core/ports'
import type { Sql } from '../records/sqlite-where.js'

/** The statuses as stored that mean this one now: a pause that is over is none. */
export const statusSql = (status: SubscriberStatus, now: string): Sql => {
  if (status === 'active')
    return { text: `(status = 'active' OR (status = 'paused' AND "pausedUntil" <= ?))`, parameters: [now] }
  if (status === 'paused')
    return { text: `(status = 'paused' AND ("pausedUntil" IS NULL OR "pausedUntil" > ?))`, parameters: [now] }
  return { text: 'status = ?', parameters: [status] }
}
