import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** In MB, for short-lived objects; V8 would use three times as much. */
const young = 16

const [, , memoryMb] = process.argv

try {
  // No memory in core dumps: a project could fill the disk (core(5)).
  writeFileSync('/proc/self/coredump_filter', '0')
} catch {
  // Only Linux has this file.
}

/**
 * In a thread: the process always notices the server's end, and ends too. The thread's limit stops gradual memory growth; one oversized
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
// No event reports an earlier end of the server.
if (!process.connected) process.exit()
// A terminal signals all its processes; the stopping server still needs this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
