import type { StartedServer } from './server.js'

/** In ms. Then the process exits, and other workers reclaim its leases. */
const deadline = 20_000

/** The first SIGTERM or SIGINT shuts down in order, the second exits at once. */
export const endOnSignal = ({ stop }: Pick<StartedServer, 'stop'>): void => {
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

/** Without a stack trace, as commands print errors. */
export const exitWithError = (error: unknown): never => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

/** Ignores closed output pipes, as in `npm start | head`. */
export const ignoreClosedPipes = (): void => {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
