import { parentPort, workerData } from 'node:worker_threads'
import { threadPipeline } from '#built/sending-thread/thread-pipeline.js'

/** Plain JavaScript: threads start without a loader. Messages that arrive during loading wait at the port. */
const { openMailer } = await import(workerData.module)
threadPipeline(parentPort, workerData, openMailer)
