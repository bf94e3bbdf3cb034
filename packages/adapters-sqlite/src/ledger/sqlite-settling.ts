import { type Counted, figureSums, type Settlement } from '@posthorn/core/ports'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { CounterSteps } from './sqlite-counters.js'
import type { FigureSteps } from './sqlite-figures.js'

type Deps = {
  readonly database: Pick<SqliteDatabase, 'statement'>
  readonly counters: CounterSteps
  readonly figures: FigureSteps
}

/** An attempt has an error of its own, or none; what was no attempt leaves the last one's. */
const settleSql = `UPDATE deliveries SET status = ?1, attempts = attempts + ?2, updated_at = ?3, worker = NULL, lease_until = NULL,
  not_before = coalesce(?4, not_before), reason = coalesce(?5, reason),
  error_name = iif(?2 OR ?6 IS NOT NULL, ?6, error_name), error_message = iif(?2 OR ?6 IS NOT NULL, ?7, error_message),
  provider_message_id = coalesce(?8, provider_message_id), sent_at = iif(?1 = 'sent', ?3, sent_at),
  subject = coalesce(?11, subject)
  WHERE _id = ?9 AND status = 'sending' AND worker = ?10`

/** As `settleSql`, for many that were sent at the first try or a later one: arrays of id, time, provider's id and subject. */
const sentSql = `UPDATE deliveries SET status = 'sent', attempts = attempts + 1, updated_at = j.value ->> 1, sent_at = j.value ->> 1,
  worker = NULL, lease_until = NULL, error_name = NULL, error_message = NULL,
  provider_message_id = coalesce(j.value ->> 2, provider_message_id), subject = coalesce(j.value ->> 3, subject)
  FROM json_each(?1) AS j WHERE deliveries._id = j.value ->> 0 AND +deliveries.status = 'sending' AND deliveries.worker = ?2
  RETURNING _id`

/** Never backwards: batches of several workers may be recorded in another order than they were sent in. */
const receivedSql = `UPDATE contacts SET "lastReceiveDate" = j.value ->> 1, doc = jsonb_set(doc, '$.lastReceiveDate', j.value ->> 1)
  FROM json_each(?1) AS j
  WHERE contacts._id = j.value ->> 0 AND coalesce(contacts."lastReceiveDate", '') < j.value ->> 1`

/** What JSON in SQLite keeps as it is. */
const isPlain = (text: string | undefined) => text === undefined || !/[\0\p{Surrogate}]/u.test(text)

/** What nearly all are: sent, and nothing else to say. */
const isPlainlySent = ({ to, attempted, notBefore, reason, error, refund, providerMessageId, subject }: Settlement) =>
  to === 'sent' &&
  attempted &&
  notBefore === undefined &&
  reason === undefined &&
  error === undefined &&
  refund === undefined &&
  isPlain(providerMessageId) &&
  isPlain(subject)

const minuteOf = (instant: string) => instant.slice(0, 16)

/** Outcomes of one worker each, recorded within a commit: those that were sent in one statement, the others one by one. */
export const settleSteps = ({ database: { statement }, counters, figures }: Deps) => {
  /** Whether it was recorded. */
  const settleOne = ({ _id, worker, to, now, attempted, refund, ...outcome }: Settlement): boolean => {
    const { notBefore, reason, error, providerMessageId, subject } = outcome
    const values = [notBefore, reason, error?.name, error?.message, providerMessageId].map((value) => value ?? null)
    const { changes } = statement(settleSql).run(
      ...[to, attempted ? 1 : 0, now, ...values, _id, worker, subject ?? null],
    )
    if (Number(changes) > 0 && refund) counters.give({ key: refund, n: 1 })
    return Number(changes) > 0
  }

  /** Answers those that were recorded. */
  const settleSent = (worker: string, sent: ReadonlyMap<string, Settlement>): readonly Settlement[] => {
    const rows = [...sent.values()].map(({ _id, now, providerMessageId, subject }) => [
      _id,
      now,
      providerMessageId ?? null,
      subject ?? null,
    ])
    return statement(sentSql)
      .all(JSON.stringify(rows), worker)
      .flatMap(({ _id }) => sent.get(String(_id)) ?? [])
  }

  const recordBeside = (recorded: readonly Settlement[]): void => {
    const times = new Map<readonly Counted[], Map<string, { now: string; n: number }>>()
    const received: (readonly [contactId: string, now: string])[] = []
    for (const { counted, receivedBy, now } of recorded) {
      if (receivedBy !== undefined) received.push([receivedBy, now])
      if (!counted) continue
      const byMinute = times.get(counted) ?? new Map<string, { now: string; n: number }>()
      times.set(counted, byMinute)
      const sofar = byMinute.get(minuteOf(now))
      if (sofar) sofar.n += 1
      else byMinute.set(minuteOf(now), { now, n: 1 })
    }
    const sums = figureSums()
    for (const [counted, byMinute] of times) for (const { now, n } of byMinute.values()) sums.count(counted, now, n)
    figures.add(sums.all())
    if (received.length > 0) statement(receivedSql).run(JSON.stringify(received))
  }

  return (settlements: readonly Settlement[]): void => {
    const isOnce = new Set(settlements.map(({ _id }) => _id)).size === settlements.length
    const recorded: Settlement[] = []
    const sent = new Map<string, Map<string, Settlement>>()
    for (const settlement of settlements) {
      const { _id, worker } = settlement
      if (isOnce && isPlainlySent(settlement)) {
        const those = sent.get(worker) ?? new Map<string, Settlement>()
        sent.set(worker, those.set(_id, settlement))
      } else if (settleOne(settlement)) recorded.push(settlement)
    }
    for (const [worker, those] of sent) recorded.push(...settleSent(worker, those))
    recordBeside(recorded)
  }
}
