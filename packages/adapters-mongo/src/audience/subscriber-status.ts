import type { SubscriberStatus } from '@posthorn/core/ports'
import type { Document } from 'mongodb'

/** The statuses as stored that mean this one now: a pause that is over is none. */
export const statusFilter = (status: SubscriberStatus, now: string): Document => {
  if (status === 'active') return { $or: [{ status }, { status: 'paused', pausedUntil: { $lte: now } }] }
  if (status === 'paused') return { status, pausedUntil: { $not: { $lte: now } } }
  return { status }
}
