import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'

const connection = new DatabaseSync(workerData.file, { timeout: 10_000 })
connection.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -256')

/** Plain JavaScript, since a thread is started from a file as it lies there, whether from the sources or from what is built. */
parentPort.on('message', () => {
  try {
    // A statement alone does not keep its connection from being collected as garbage.
    const { busy, log, checkpointed } = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    parentPort.postMessage({ isWhole: busy === 0 && log === checkpointed })
  } catch {
    parentPort.postMessage({ isWhole: false })
  }
})
