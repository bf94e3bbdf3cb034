import { EventEmitter } from 'node:events'
import type { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchMongoHeartbeats } from '../../src/connection/heartbeat-watch.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const minute = 60_000
const server = { connectionId: 'db.example.com:27017' }

/** A client that says what is done with it, and whose server can be away. */
const aClient = ({ refusals = 0 } = {}) => {
  const done: string[] = []
  let left = refusals
  const client = Object.assign(new EventEmitter(), {
    close: async () => void done.push('close'),
    connect: async () => {
      left -= 1
      done.push(left >= 0 ? 'refused' : 'connect')
      if (left >= 0) throw new Error('nobody is there')
    },
  })
  const end = watchMongoHeartbeats(client as unknown as MongoClient, () => {})
  return { client, done, end }
}

describe('a client whose heartbeat', () => {
  it('succeeds or fails each time is left alone', async () => {
    const { client, done, end } = aClient()
    for (const outcome of ['serverHeartbeatSucceeded', 'serverHeartbeatFailed', 'serverHeartbeatSucceeded']) {
      client.emit('serverHeartbeatStarted', server)
      await vi.advanceTimersByTimeAsync(5_000)
      client.emit(outcome, server)
      await vi.advanceTimersByTimeAsync(minute)
    }
    expect(done).toEqual([])
    end()
  })

  it('never ends is reconnected until that succeeds', async () => {
    const { client, done, end } = aClient({ refusals: 2 })
    client.emit('serverHeartbeatStarted', server)
    await vi.advanceTimersByTimeAsync(minute)
    expect(done).toEqual(['close', 'refused', 'refused', 'connect'])
    end()
  })

  it('belongs to a removed server is left alone', async () => {
    const { client, done, end } = aClient()
    client.emit('serverHeartbeatStarted', server)
    client.emit('serverClosed', { address: server.connectionId })
    await vi.advanceTimersByTimeAsync(minute)
    expect(done).toEqual([])
    end()
  })

  it('has stopped because it was closed stays closed', async () => {
    const { client, done, end } = aClient()
    client.emit('serverHeartbeatStarted', server)
    end()
    await vi.advanceTimersByTimeAsync(minute)
    expect(done).toEqual([])
  })
})
