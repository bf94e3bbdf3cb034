import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { smtpConnectionAdmission } from '../src/server/admission.js'

const limits = {
  connections: 50,
  connectionsPerCaller: 5,
  lifetime: 600_000,
  replaceableAfter: 30_000,
  commands: 1_000,
}

/** What is asked of a socket. */
const aSocket = (remotePort = 1) => {
  const socket = {
    ...{ remoteAddress: '192.0.2.1', remotePort, bytesRead: 0, destroyed: false },
    destroy: () => {
      socket.destroyed = true
    },
  }
  return socket
}
type Fake = ReturnType<typeof aSocket>

describe('admission to the bounce port', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const opened = () => {
    const door = smtpConnectionAdmission(limits, Date.now)
    return { ...door, comes: (socket: Fake) => door.refusal(socket as unknown as Socket) }
  }

  it('keeps nothing of closed connections, however many there were', () => {
    const { comes } = opened()
    for (let n = 0; n < 10_000; n += 1) {
      const socket = aSocket()
      expect(comes(socket)).toBeUndefined()
      socket.destroy()
    }
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('closes a connection at the end of its lifetime', () => {
    const { comes } = opened()
    const socket = aSocket()
    comes(socket)
    vi.advanceTimersByTime(limits.lifetime - 1_000)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1_000)
    expect(socket.destroyed).toBe(true)
  })

  it('closes a connection that only sends commands, within a second', () => {
    const { comes } = opened()
    const socket = aSocket()
    comes(socket)
    socket.bytesRead = limits.commands + 1
    vi.advanceTimersByTime(1_000)
    expect(socket.destroyed).toBe(true)
  })

  it('allows long messages, with dots doubled in transit', () => {
    const { comes, carried } = opened()
    const [socket, other] = [aSocket(1), aSocket(2)]
    comes(socket)
    comes(other)
    socket.bytesRead = 20_000
    other.bytesRead = 20_000
    carried({ remoteAddress: '192.0.2.1', remotePort: 1 }, 10_000)
    vi.advanceTimersByTime(1_000)
    expect([socket.destroyed, other.destroyed]).toEqual([false, true])
  })

  it('has no timers after it is closed', () => {
    const { comes, close } = opened()
    comes(aSocket())
    close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
