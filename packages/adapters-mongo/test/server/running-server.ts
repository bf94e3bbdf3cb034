import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A server that the tests started. */
export type RunningServer = {
  /** Where it listens; the path, which names a database, is left to whoever connects. */
  readonly url: string
  readonly pid: number
  /** Ends it by its process id and waits for that. SIGTERM, a clean stop, unless told otherwise. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** How long a server may take until it listens, in milliseconds. */
const patience = 60_000

/**
 * Waits until the server prints what `announces` finds.
 * @throws Error with its last words when it ends, or says nothing in time
 */
export const running = async (server: ChildProcess, announces: RegExp): Promise<RunningServer> => {
  let said = ''
  const ended = once(server, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      said = (said + chunk).slice(-10_000)
      const found = announces.exec(said)
      if (found) resolve(found[0])
    }
    server.stdout?.on('data', listen)
    server.stderr?.on('data', listen)
    server.on('error', reject)
    ended.then(() => reject(new Error(`The server ended: ${said.trim()}`)), reject)
    setTimeout(() => reject(new Error(`The server does not answer: ${said.trim()}`)), patience).unref()
  }).catch((error: unknown) => {
    server.kill('SIGKILL')
    throw error
  })
  return {
    url,
    pid: server.pid ?? 0,
    stop: async (signal = 'SIGTERM') => {
      server.kill(signal)
      await ended
    },
  }
}
