import { type Deliveries, figuresOf } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { RowChanges } from './row-changes.js'
import type { FigureSteps } from './sqlite-figures.js'

const reportSql = `UPDATE deliveries SET status = 'sent', provider_message_id = ?, sent_at = ?, updated_at = ?, error_name = NULL,
  error_message = NULL WHERE _id = ? AND status = 'uncertain'`

const rejectSql = `UPDATE deliveries SET status = 'failed', sent_at = NULL, error_name = ?, error_message = ?, updated_at = ?
  WHERE _id = ? AND status = 'sent'`

type Deps = {
  readonly database: Pick<SqliteDatabase, 'write'>
  readonly changed: RowChanges
  readonly figures: FigureSteps
}

/** Records outcomes that providers report after the attempt, and adds their figures in the same commit. */
export const lateOutcomes = ({
  database: { write },
  changed,
  figures,
}: Deps): Pick<Deliveries, 'report' | 'reject'> => ({
  report: (id, providerMessageId, now, counted) =>
    write(() => {
      const reported = changed(reportSql, providerMessageId, now, now, id) > 0
      if (reported) figures.add(figuresOf(counted, now))
      return reported
    }),

  reject: (id, error, now, sums) =>
    write(() => {
      const rejected = changed(rejectSql, error.name, error.message, now, id) > 0
      if (rejected) figures.add(sums)
      return rejected
    }),
})
