import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '../../tests/server-process.js'

const kept = join(checkout, 'apps/server/test/migration/exports/listmonk/listmonk.sql')
const time = '2022-01-01 00:00:00+00'

/** Why a subscriber of the list gets no mail. */
const reasons = ['unsubscribed', 'blocklisted', 'disabled', 'bounced', 'complained'] as const
type Reason = (typeof reasons)[number]

/** Rows of the tables for one more subscriber of the first list. */
const rowsOf = (id: number, email: string, reason?: Reason): Readonly<Record<string, string>> => {
  const status = reason === 'blocklisted' || reason === 'disabled' ? reason : 'enabled'
  const subscription = reason === 'unsubscribed' ? reason : 'confirmed'
  const uuid = `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`
  const attributes = `{"city": "Town ${id % 50}", "projects": ${id % 7}}`
  const bounce = { bounced: 'hard', complained: 'complaint' }[reason as string]
  return {
    subscribers: [id, uuid, email, `Reader ${id}`, attributes, status, time, time].join('\t'),
    subscriber_lists: [id, 1, '{}', subscription, time, time].join('\t'),
    ...(bounce !== undefined && { bounces: [id, id, '\\N', bounce, 'x', '{}', time].join('\t') }),
  }
}

/**
 * The kept dump of listmonk with more subscribers on its first list. `readers` are all of that list who get mail, and as many as asked for;
 * `others` are those who do not, in each way that listmonk has.
 */
export const largeDump = (count: number) => {
  // Of the kept dump, Ada alone gets the mail of that list.
  const readers = Array.from({ length: count - 1 }, (_, n) => `reader-${n}@example.com`)
  const others = reasons.flatMap((reason) =>
    Array.from({ length: 20 }, (_, n) => ({ reason, email: `${reason}-${n}@example.com` })),
  )
  const all = [
    ...readers.map((email, n) => rowsOf(1000 + n, email)),
    ...others.map(({ email, reason }, n) => rowsOf(1000 + count + n, email, reason)),
  ]
  const text = readFileSync(kept, 'utf8').replace(
    /^COPY public\.(\w+) .*\n(?:.*\n)*?(?=\\\.$)/gm,
    (block, table: string) => block + all.flatMap((rows) => (table in rows ? [`${rows[table]}\n`] : [])).join(''),
  )
  return {
    text,
    readers: ['ada@example.com', ...readers],
    others: [...others.map(({ email }) => email), 'blocked@example.com', 'off@example.com', 'bounced@example.com'],
  }
}
