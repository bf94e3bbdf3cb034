import { setTimeout as wait } from 'node:timers/promises'
import { openReaders } from '../../src/database/readers.js'

/** A process of its own that exits in the middle of queries that would never end: `exiting-reader.ts <file>`. */
const [file = ''] = process.argv.slice(2)
const endless =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE in_time()) SELECT count(*) FROM n'

const readers = openReaders(file)
await Promise.all(['a', 'b'].map((owner) => readers.request(owner)('SELECT 1')))
void readers.request('a')(endless)
void readers.request('b')(endless)
await wait(20)
process.exit(3)
