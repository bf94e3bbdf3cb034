import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connectionLimiter, connectionLimits } from '../../src/admission/connections.js'

/** A connection as far as the limit looks at it. */
const connection = (remoteAddress = '192.0.2.1') => {
  let onClose = () => {}
  const socket = {
    ...{ remoteAddress, bytesRead: 0, bytesWritten: 0, destroyed: false, isWorkedOn: false },
    once: (_: 'close', listener: () => void) => {
      onClose = listener
    },
    destroy: () => {
      socket.destroyed = true
      onClose()
    },
  }
  return socket
}
type Fake = ReturnType<typeof connection>

const opened = (limits: { total: number; perBlock: number }, proxy = '10.0.0.1') => {
  const { enter, touch, count } = connectionLimiter(limits, {
    trusts: (address) => address === proxy,
    isWorkedOn: (socket) => (socket as unknown as Fake).isWorkedOn,
  })
  return {
    count,
    touch: (one: Fake) => touch(one as unknown as Socket),
    enter: (...all: Fake[]) => {
      for (const one of all) enter(one as unknown as Socket)
    },
  }
}
const closed = (...all: Fake[]) => all.map(({ destroyed }) => destroyed)

describe('a new connection over a limit', () => {
  it('replaces the longest idle connection of its address block', () => {
    const { enter, count } = opened({ total: 10, perBlock: 2 })
    const [other, first, second, third] = [connection('198.51.100.7'), connection(), connection(), connection()]
    enter(other, first, second, third)
    expect(closed(other, first, second, third)).toEqual([false, true, false, false])
    expect(count()).toBe(3)
  })

  it('counts all addresses of an IPv6 /64 as one block', () => {
    const { enter } = opened({ total: 10, perBlock: 1 })
    const [one, same, other] = [connection('2001:db8::1'), connection('2001:db8::2'), connection('2001:db8:0:1::1')]
    enter(one, same, other)
    expect(closed(one, same, other)).toEqual([true, false, false])
  })

  it('replaces the longest idle connection of all, over the total limit', () => {
    const { enter, touch } = opened({ total: 2, perBlock: 2 })
    const [first, second, third] = [connection('192.0.2.1'), connection('192.0.2.2'), connection('192.0.2.3')]
    enter(first, second)
    touch(first)
    enter(third)
    expect(closed(first, second, third)).toEqual([false, true, false])
  })

  it('spares a connection whose body still arrives, until nothing more arrives', () => {
    const { enter } = opened({ total: 2, perBlock: 2 })
    const [upload, idle, third, fourth] = [connection(), connection(), connection(), connection()]
    enter(upload, idle)
    upload.bytesRead = 1_000
    enter(third)
    expect(closed(upload, idle)).toEqual([false, true])
    third.bytesRead = 10
    enter(fourth)
    expect(closed(upload, third)).toEqual([true, false])
  })

  it('never replaces a connection with a request in progress, and is closed if there are only such', () => {
    const { enter, count } = opened({ total: 2, perBlock: 2 })
    const [working, idle, third, fourth] = [connection(), connection(), connection(), connection()]
    working.isWorkedOn = true
    enter(working, idle, third)
    expect(closed(working, idle, third)).toEqual([false, true, false])
    third.isWorkedOn = true
    enter(fourth)
    expect(closed(working, third, fourth)).toEqual([false, false, true])
    expect(count()).toBe(2)
  })
})

describe('a trusted proxy', () => {
  it('may open more connections than an address block, within the total', () => {
    const { enter } = opened({ total: 3, perBlock: 1 })
    const all = Array.from({ length: 4 }, () => connection('10.0.0.1'))
    enter(...all)
    expect(closed(...all)).toEqual([true, false, false, false])
  })
})

describe('closed connections', () => {
  it('free their slots, however many there were', () => {
    const { enter, count } = opened({ total: 2, perBlock: 1 })
    for (let n = 0; n < 10_000; n += 1) {
      const one = connection(`192.0.2.${n % 250}`)
      enter(one)
      one.destroy()
    }
    expect(count()).toBe(0)
  })
})

describe('the connection limits', () => {
  it.each([
    ['what the reserve leaves of the open files', 2_048, { total: 988, perBlock: 247 }],
    ['4,000 at most', 1_048_576, { total: 4_000, perBlock: 1_000 }],
    ['4,000 for a process without a limit', Number.POSITIVE_INFINITY, { total: 4_000, perBlock: 1_000 }],
    ['a quarter of few open files', 256, { total: 64, perBlock: 16 }],
  ])('are %s', (_, files, limits) => {
    expect(connectionLimits({}, () => files)).toEqual(limits)
  })

  it('follow the operator’s settings', () => {
    expect(connectionLimits({ total: 9_000 }, () => 256)).toEqual({ total: 9_000, perBlock: 2_250 })
    expect(connectionLimits({ total: 9_000, perBlock: 5 })).toEqual({ total: 9_000, perBlock: 5 })
  })

  it('suit the process that runs this test', () => {
    const { total, perBlock } = connectionLimits()
    expect(total).toBeGreaterThan(0)
    expect(perBlock).toBeLessThanOrEqual(total)
  })
})
