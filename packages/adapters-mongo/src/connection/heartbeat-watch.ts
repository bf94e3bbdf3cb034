import type { Log } from '@posthorn/core'
import type { MongoClient } from 'mongodb'

/** In ms. A server may hold a heartbeat for 10 s, and its response may take 5 s. */
const patience = 20_000
const lookEvery = 2_000
/** In ms: wait for old connections to close, and pause between tries. */
const closing = 5_000
const retryTime = 1_000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Reconnects, as the driver (7.8) waits forever if a socket closes just before a heartbeat. Returns the function that ends the watch. */
export const watchMongoHeartbeats = (client: MongoClient, log: Log): (() => void) => {
  const begun = new Map<string, number>()
  let [ended, connecting] = [false, false]
  const heard = ({ connectionId }: { readonly connectionId: string }) => void begun.delete(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId }) => begun.set(connectionId, performance.now()))
  client.on('serverHeartbeatSucceeded', heard)
  client.on('serverHeartbeatFailed', heard)
  client.on('serverClosed', ({ address }) => begun.delete(address))

  const connectAnew = async () => {
    log('warn', 'The heartbeat of the database stopped: reconnecting')
    await Promise.race([client.close(), pause(closing)])
    begun.clear()
    for (let isLogged = false; !ended; isLogged = true) {
      try {
        await client.connect()
        return
      } catch (error) {
        if (!isLogged) log('warn', 'The database cannot be connected to. This is retried every second', { error })
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
