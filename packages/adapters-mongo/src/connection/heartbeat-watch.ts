import type { Log } from '@posthorn/core'
import type { MongoClient } from 'mongodb'

/** Longer than any heartbeat takes: ten seconds that a server may keep one, and five for the answer. In milliseconds. */
const patience = 20_000
const lookEvery = 2_000
/** How long is waited for the old connections to close, and between two tries to make new ones. */
const closing = 5_000
const retryTime = 1_000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * Has the client connect anew when a heartbeat of its own neither succeeds nor fails. The driver (7.8) waits for ever for a socket to
 * drain that was closed just before it wrote to it; where that was the heartbeat, it never looks at the server again, and thinks it
 * away for good. Answers how to end the watch.
 */
export const watchHeartbeats = (client: MongoClient, log: Log): (() => void) => {
  const begun = new Map<string, number>()
  let [ended, connecting] = [false, false]
  const heard = ({ connectionId }: { readonly connectionId: string }) => void begun.delete(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId }) => begun.set(connectionId, performance.now()))
  client.on('serverHeartbeatSucceeded', heard)
  client.on('serverHeartbeatFailed', heard)
  client.on('serverClosed', ({ address }) => begun.delete(address))

  const connectAnew = async () => {
    log('warn', 'The connections to the database are made anew: its heartbeat had stopped')
    await Promise.race([client.close(), pause(closing)])
    begun.clear()
    for (let isLogged = false; !ended; isLogged = true) {
      try {
        await client.connect()
        return
      } catch (error) {
        if (!isLogged) log('warn', 'The database cannot be connected to; this is tried again until it can', { error })
        await pause(retryTime)
      }
    }
  }

  const look = () => {
    const oldest = Math.min(...begun.values())
    if (connecting || performance.now() - oldest < patience) return
    connecting = true
    void connectAnew()
      .catch((error: unknown) => log('error', 'The database cannot be connected to', { error }))
      .finally(() => {
        connecting = false
      })
  }

  const timer = setInterval(look, lookEvery).unref()
  return () => {
    ended = true
    clearInterval(timer)
  }
}
