import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** Of its memory, what is for objects that live shortly, in MB; V8 would keep three times as much. */
const young = 16

const [, , memoryMb] = process.argv

try {
  // What an aborted process leaves behind says what memory there was, and not what was in it: else a project could fill the disk (core(5)).
  writeFileSync('/proc/self/coredump_filter', '0')
} catch {
  // Only Linux has it.
}

/**
 * The process in which work is done for projects. It does none itself but hands it to a thread, so that it hears, whatever the thread is at,
 * that the server has gone, and goes, too. The thread's limit ends it where memory grows step by step; what takes too much at once
 * makes V8 abort the process, and no other.
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
// A terminal tells them to all its processes: the server still needs what is done here while it stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
