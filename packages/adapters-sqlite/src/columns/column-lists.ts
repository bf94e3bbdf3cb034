import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import type { Sql } from '../records/sqlite-where.js'
import { statusLetters } from './columns-schema.js'

/** A list without a short key has no members. */
const nobody: Sql = { text: '0', parameters: [] }

const standsAs = (key: number, status: SubscriberStatus): Sql => ({
  text: 'instr(k.lists, ?) > 0',
  parameters: [`|${key}:${statusLetters[status]}|`],
})

/** Whether the contact's pause on the list is over. Only the membership has its end. */
const isOver = (subscriberListId: string, now: string): Sql => ({
  text: `EXISTS (SELECT 1 FROM subscribers WHERE "subscriberListId" = ? AND "contactId" = k.id AND "pausedUntil" <= ?)`,
  parameters: [subscriberListId, now],
})

const onAny = (key: number): Sql => ({ text: 'instr(k.lists, ?) > 0', parameters: [`|${key}:`] })

/** Whether the contact is on the list, with its current status if one is given. `key` is the list's short key. */
export const memberSql = (
  key: number | undefined,
  subscriberListId: string,
  status: SubscriberStatus | undefined,
  now: string,
): Sql => {
  if (key === undefined) return nobody
  if (status === undefined) return onAny(key)
  const stored = standsAs(key, status)
  if (status !== 'active' && status !== 'paused') return stored
  const [paused, over] = [standsAs(key, 'paused'), isOver(subscriberListId, now)]
  if (status === 'paused')
    return { text: `(${paused.text} AND NOT ${over.text})`, parameters: [...paused.parameters, ...over.parameters] }
  return {
    text: `(${stored.text} OR (${paused.text} AND ${over.text}))`,
    parameters: [...stored.parameters, ...paused.parameters, ...over.parameters],
  }
}

/** Whether the contact is on one of the lists, with any status. */
export const onAnySql = (keys: readonly (number | undefined)[]): Sql => {
  const lists = keys.filter((key) => key !== undefined).map(onAny)
  if (lists.length === 0) return nobody
  return { text: `(${lists.map(({ text }) => text).join(' OR ')})`, parameters: lists.flatMap((one) => one.parameters) }
}
