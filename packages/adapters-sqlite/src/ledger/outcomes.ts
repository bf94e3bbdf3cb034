import {
  type Deliveries,
  type FigureKey,
  figureAccumulator,
  isUnclickedLink,
  quarterHourFigures,
  type Settlement,
  withDeliveryCountsOnce,
  withMark,
} from '@posthorn/core/ports/storage'
import type { RunStatement, SqlRow } from '../database/connection.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { ContactSegmentIndex, SegmentIndexMailTime } from '../segment-index/segment-index.js'
import { deliveryOfRow } from './delivery-rows.js'
import type { CounterSteps } from './sqlite-counters.js'
import type { FiguresWithinCommit } from './sqlite-figures.js'

type SettleDeps = {
  readonly database: Pick<SqliteDatabase, 'statement'>
  readonly counters: CounterSteps
  readonly figures: FiguresWithinCommit
  readonly index: Pick<ContactSegmentIndex, 'noteReceived'>
}

/** An attempt replaces or clears the error; a settlement without one keeps it. */
const settleSql = `UPDATE deliveries SET status = ?1, attempts = attempts + ?2, updated_at = ?3, worker = NULL, lease_until = NULL,
  not_before = coalesce(?4, not_before), reason = coalesce(?5, reason),
  error_name = iif(?2 OR ?6 IS NOT NULL, ?6, error_name), error_message = iif(?2 OR ?6 IS NOT NULL, ?7, error_message),
  provider_message_id = coalesce(?8, provider_message_id), sent_at = iif(?1 = 'sent', ?3, sent_at),
  subject = coalesce(?11, subject)
  WHERE _id = ?9 AND status = 'sending' AND worker = ?10 RETURNING project_id`

/** `settleSql` for many. ?1: JSON array of [id, time, provider's message id, subject]. */
const sentSql = `UPDATE deliveries SET status = 'sent', attempts = attempts + 1, updated_at = j.value ->> 1, sent_at = j.value ->> 1,
  worker = NULL, lease_until = NULL, error_name = NULL, error_message = NULL,
  provider_message_id = coalesce(j.value ->> 2, provider_message_id), subject = coalesce(j.value ->> 3, subject)
  FROM json_each(?1) AS j WHERE deliveries._id = j.value ->> 0 AND +deliveries.status = 'sending' AND deliveries.worker = ?2
  RETURNING _id, project_id`

/** Whether SQLite's JSON preserves the text: it does not with NUL or lone surrogates. */
const isPlain = (text: string | undefined) => text === undefined || !/[\0\p{Surrogate}]/u.test(text)

/** Needs no field that only `settleSql` sets. */
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

type Recorded = { readonly settlement: Settlement; readonly projectId: string }

const recordedOf = (settlement: Settlement | undefined, row: SqlRow | undefined): readonly Recorded[] =>
  settlement && row ? [{ settlement, projectId: String(row.project_id) }] : []

/** Plainly sent ones take one statement per worker. */
export const settlementWriter = ({ database: { statement }, counters, figures, index }: SettleDeps) => {
  const settleOne = (settlement: Settlement): readonly Recorded[] => {
    const { _id, worker, to, now, attempted, refund } = settlement
    const { notBefore, reason, error, providerMessageId, subject } = settlement
    const values = [notBefore, reason, error?.name, error?.message, providerMessageId].map((value) => value ?? null)
    const [row] = statement(settleSql).all(...[to, attempted ? 1 : 0, now, ...values, _id, worker, subject ?? null])
    if (row && refund) counters.give({ key: refund, n: 1 })
    return recordedOf(settlement, row)
  }

  const settleSent = (worker: string, sent: ReadonlyMap<string, Settlement>): readonly Recorded[] => {
    const rows = [...sent.values()].map(({ _id, now, providerMessageId, subject }) => [
      _id,
      now,
      providerMessageId ?? null,
      subject ?? null,
    ])
    return statement(sentSql)
      .all(JSON.stringify(rows), worker)
      .flatMap((row) => recordedOf(sent.get(String(row._id)), row))
  }

  const recordBeside = (recorded: readonly Recorded[]): void => {
    const times = new Map<readonly FigureKey[], Map<string, { now: string; n: number }>>()
    const received: SegmentIndexMailTime[] = []
    for (const { settlement, projectId } of recorded) {
      const { counted, receivedBy, now } = settlement
      if (receivedBy !== undefined) received.push({ projectId, contactId: receivedBy, now })
      if (!counted) continue
      const byMinute = times.get(counted) ?? new Map<string, { now: string; n: number }>()
      times.set(counted, byMinute)
      const sofar = byMinute.get(minuteOf(now))
      if (sofar) sofar.n += 1
      else byMinute.set(minuteOf(now), { now, n: 1 })
    }
    const sums = figureAccumulator()
    for (const [counted, byMinute] of times) for (const { now, n } of byMinute.values()) sums.count(counted, now, n)
    figures.add(sums.all())
    index.noteReceived(received)
  }

  return (settlements: readonly Settlement[]): void => {
    const isOnce = new Set(settlements.map(({ _id }) => _id)).size === settlements.length
    const recorded: Recorded[] = []
    const sent = new Map<string, Map<string, Settlement>>()
    for (const settlement of settlements) {
      const { _id, worker } = settlement
      if (isOnce && isPlainlySent(settlement)) {
        const those = sent.get(worker) ?? new Map<string, Settlement>()
        sent.set(worker, those.set(_id, settlement))
      } else recorded.push(...settleOne(settlement))
    }
    for (const [worker, those] of sent) recorded.push(...settleSent(worker, those))
    recordBeside(recorded)
  }
}

const reportSql = `UPDATE deliveries SET status = 'sent', provider_message_id = ?, sent_at = ?, updated_at = ?, error_name = NULL,
  error_message = NULL WHERE _id = ? AND status = 'uncertain'`

const rejectSql = `UPDATE deliveries SET status = 'failed', sent_at = NULL, error_name = ?, error_message = ?, updated_at = ?
  WHERE _id = ? AND status = 'sent'`

type ReportDeps = {
  readonly database: Pick<SqliteDatabase, 'write'>
  readonly changed: RunStatement
  readonly figures: FiguresWithinCommit
}

export const lateOutcomes = ({
  database: { write },
  changed,
  figures,
}: ReportDeps): Pick<Deliveries, 'report' | 'reject'> => ({
  report: (id, providerMessageId, now, counted) =>
    write(() => {
      const reported = changed(reportSql, providerMessageId, now, now, id) > 0
      if (reported) figures.add(quarterHourFigures(counted, now))
      return reported
    }),

  reject: (id, error, now, sums) =>
    write(() => {
      const rejected = changed(rejectSql, error.name, error.message, now, id) > 0
      if (rejected) figures.add(sums)
      return rejected
    }),
})

type MarkDeps = { readonly database: SqliteDatabase; readonly figures: FiguresWithinCommit }

export const ledgerMarkWrites = ({
  database: { statement, write },
  figures,
}: MarkDeps): Pick<Deliveries, 'mark' | 'countOnce'> => ({
  mark: ({ _id, mark, name, returned, now, reportedAt = now, link, counted }) =>
    write(() => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(_id)
      if (!row) return undefined
      const before = deliveryOfRow(row)
      const after = withMark(before, { mark, name, now, reportedAt, link, returned })
      if (after === before) return before
      const { [mark]: times = 0, markNames, clickedLinks, happened } = after
      const lists = [markNames, clickedLinks, happened].map((list) => (list ? JSON.stringify(list) : null))
      statement(`UPDATE deliveries SET ${mark} = ?, mark_names = ?, clicked_links = ?, happened = ? WHERE _id = ?`).run(
        times,
        ...lists,
        _id,
      )
      if (returned)
        statement('UPDATE deliveries SET returned = ?, updated_at = ? WHERE _id = ?').run(
          JSON.stringify(returned),
          reportedAt,
          _id,
        )
      figures.add(quarterHourFigures(counted(times, isUnclickedLink(before, link)), now))
      return after
    }),

  countOnce: (id, counts) =>
    write(() => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(id)
      if (!row) return
      const { after, fresh } = withDeliveryCountsOnce(deliveryOfRow(row), counts)
      if (fresh.size === 0) return
      const { markNames, happened = [] } = after
      statement('UPDATE deliveries SET mark_names = ?, happened = ? WHERE _id = ?').run(
        JSON.stringify(markNames),
        happened.length > 0 ? JSON.stringify(happened) : null,
        id,
      )
      figures.add(counts.flatMap((one) => (fresh.has(one.name) ? one.figures : [])))
    }),
})
