import { parentPort, workerData } from 'node:worker_threads'
import { sendingIn } from '#built/sending-thread/sending.js'

/**
 * Plain JavaScript, since a thread is started from a file as it lies there. The rest is what is built, from the sources as well. Orders
 * that come while it loads wait at the port.
 */
const { openMailer } = await import(workerData.module)
sendingIn(parentPort, workerData, openMailer)
