import { parentPort, workerData } from 'node:worker_threads'
import { threadPipeline } from '#built/sending-thread/thread-pipeline.js'

/** Plain JavaScript: threads start from a file without a loader. Messages that arrive while it loads wait at the port. */
const { openMailer } = await import(workerData.module)
threadPipeline(parentPort, workerData, openMailer)
