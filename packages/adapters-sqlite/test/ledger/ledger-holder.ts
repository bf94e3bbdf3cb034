import { openSqliteStore } from '../../src/index.js'

/** Claims what is due for a worker of that name, says so, and does nothing more. */
const [, , file = '', worker = '', now = '', leaseUntil = '', projectId = ''] = process.argv
const { deliveries } = openSqliteStore({ file })
const claimed = await deliveries.claim({ queue: { lane: 'bulk', projectId }, worker, now, leaseUntil, limit: 10 })
process.stdout.write(`${claimed.length}\n`)
setInterval(() => undefined, 1_000)
