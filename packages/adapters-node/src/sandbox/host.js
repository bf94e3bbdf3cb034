import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** Memory for short-lived objects, in MB; V8 would use three times as much. */
const young = 16

const [, , memoryMb] = process.argv

try {
  // Omits memory from core dumps: otherwise a project could fill the disk (core(5)).
  writeFileSync('/proc/self/coredump_filter', '0')
} catch {
  // Only Linux has this file.
}

/**
 * Works in a thread: this process always notices that the server ended, and ends too. The thread's limit stops gradual memory growth; one oversized
 * allocation makes V8 abort only this process.
 */
const worker = new Worker(new URL('./worker.js', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: Number(memoryMb), maxYoungGenerationSizeMb: young },
})
worker.on('error', () => undefined)
worker.on('exit', () => process.exit(1))
worker.on('message', (said) => process.send?.(said, () => undefined))

process.on('message', (task) => worker.postMessage(task))
process.on('disconnect', () => process.exit())
// The server ended before this process listened: no event reports it.
if (!process.connected) process.exit()
// A terminal signals all its processes, but the server needs this one while it stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
