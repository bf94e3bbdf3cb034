import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'

/** Filter for members whose current status is this one: a paused member is active again after the end of the pause. */
export const statusFilter = (status: SubscriberStatus, now: string): Document => {
  if (status === 'active') return { $or: [{ status }, { status: 'paused', pausedUntil: { $lte: now } }] }
  if (status === 'paused') return { status, pausedUntil: { $not: { $lte: now } } }
  return { status }
}
