import { parentPort, workerData } from 'node:worker_threads'
import { sendingIn } from '#built/sending-thread/sending.js'

/**
 * Plain JavaScript, because threads start from a file without a loader; the modules it imports are built ones. Messages that arrive while
 * it loads wait at the port.
 */
const { openMailer } = await import(workerData.module)
sendingIn(parentPort, workerData, openMailer)
