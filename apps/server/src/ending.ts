import type { RunningServer } from './server.js'

/** How long a shutdown may take before the process ends anyway; leases let another worker go on. */
const deadline = 20_000

/** Ends the process cleanly at the first SIGTERM or SIGINT; at once at the second. */
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

/** What goes wrong at the start is printed as the commands print it, without a stack trace, and ends the process with an exit code. */
export const failed = (error: unknown): never => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Lets the process live on when whoever read its output has gone: `npm start | head` is no reason to stop sending. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
