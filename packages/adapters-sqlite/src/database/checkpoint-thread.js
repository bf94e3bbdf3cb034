import { workerData } from 'node:worker_threads'
import { answering } from './thread-connection.js'

await answering((DatabaseSync) => {
  const connection = new DatabaseSync(workerData.file, { timeout: 10_000 })
  connection.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -256')
  const answer = () => {
    try {
      // Use `connection` here: a statement does not protect it from garbage collection.
      const { busy, log, checkpointed } = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
      return { isWhole: busy === 0 && log === checkpointed }
    } catch {
      return { isWhole: false }
    }
  }
  return { connection, answer }
})
