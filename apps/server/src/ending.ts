import type { RunningServer } from './server.js'

/** A shutdown takes at most this long, in ms; then the process ends anyway, and other workers reclaim its leases. */
const deadline = 20_000

/** Shuts down in order at the first SIGTERM or SIGINT, and exits at once at the second. */
export const endOnSignal = ({ stop }: Pick<RunningServer, 'stop'>): void => {
  let asked = false
  const end = () => {
    if (asked) process.exit(1)
    asked = true
    setTimeout(() => process.exit(1), deadline).unref()
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Prints an error of the start as commands do, without a stack trace, and exits with a code. */
export const failed = (error: unknown): never => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Keeps the process alive if the reader of its output closes the pipe, as in `npm start | head`. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
