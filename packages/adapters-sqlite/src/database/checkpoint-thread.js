import { workerData } from 'node:worker_threads'
import { answering } from './answering.js'

await answering((DatabaseSync) => {
  const connection = new DatabaseSync(workerData.file, { timeout: 10_000 })
  connection.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -256')
  const answer = () => {
    try {
      // A statement alone does not keep its connection from being collected as garbage.
      const { busy, log, checkpointed } = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
      return { isWhole: busy === 0 && log === checkpointed }
    } catch {
      return { isWhole: false }
    }
  }
  return { connection, answer }
})
