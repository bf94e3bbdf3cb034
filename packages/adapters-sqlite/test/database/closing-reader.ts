import { setTimeout as wait } from 'node:timers/promises'
import { openReaders } from '../../src/database/readers.js'

/** A process of its own that closes its readers in the middle of queries that would never end: `closing-reader.ts <file> <how often>`. */
const [file = '', often = ''] = process.argv.slice(2)
const endless =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE in_time()) SELECT count(*) FROM n'

for (let n = 0; n < Number(often); n += 1) {
  const readers = openReaders(file)
  await Promise.all(['a', 'b'].map((owner) => readers.request(owner)('SELECT 1')))
  const refused = Promise.allSettled([readers.request('a')(endless), readers.request('b').parts(endless, [[], []])])
  await wait(20)
  await readers.close()
  await refused
}
