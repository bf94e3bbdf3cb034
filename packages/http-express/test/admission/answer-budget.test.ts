import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Response } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { responseMemoryBudget } from '../../src/admission/byte-budgets.js'
import { aWorld, type World } from '../world.js'

const megabyte = 1024 * 1024
const limits = { total: 100 * megabyte, share: 60 * megabyte }

/** An answer as far as the budget looks at it. */
const answering = () => {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy: () => {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  const headers: Record<string, string> = {}
  const response = Object.assign(new EventEmitter(), {
    req: { socket },
    closed: false,
    destroyed: false,
    headersSent: false,
    set: (name: string, value: string) => {
      headers[name] = value
    },
  })
  return { response: response as unknown as Response, socket, headers, over: () => response.emit('close') }
}

const kindOf = (asked: () => unknown): unknown => {
  try {
    asked()
    return 'room'
  } catch (error) {
    return (error as { readonly kind?: string }).kind
  }
}

describe('the budget of unread responses', () => {
  const budget = (more = {}) => {
    const { take, held } = responseMemoryBudget({ ...limits, ...more })
    return {
      held,
      take: (account: string, mb: number, one = answering()) =>
        take(one.response, [{ key: account, part: 1 }], mb * megabyte),
    }
  }

  it('limits each owner to a share, and leaves other owners theirs', () => {
    const { take } = budget()
    take('a', 60)
    const refused = answering()
    expect(kindOf(() => take('a', 0, refused))).toBe('busy')
    expect(refused.headers['Retry-After']).toBe('5')
    expect(kindOf(() => take('b', 40))).toBe('room')
  })

  it('frees the bytes when a response ends', () => {
    const { take, held } = budget()
    const first = answering()
    take('a', 60, first)
    first.over()
    expect(held()).toBe(0)
    expect(kindOf(() => take('a', 60))).toBe('room')
  })

  it('frees the bytes when the connection ends, also for a queued response', () => {
    const { take, held } = budget()
    const one = answering()
    const behind = Object.assign(new EventEmitter(), { req: { socket: one.socket } }) as unknown as Response
    take('a', 10, one)
    take('a', 20, { ...one, response: behind })
    one.socket.destroy()
    expect(held()).toBe(0)
  })

  it('holds the expected size until the real one is known, and nothing after the end', () => {
    const { take, held } = budget()
    const one = answering()
    const known = take('a', 50, one)
    expect(kindOf(() => take('a', 50))).toBe('busy')
    known(5 * megabyte)
    expect(held()).toBe(5 * megabyte)
    one.over()
    known(7 * megabyte)
    expect(held()).toBe(0)
  })

  it('counts the real size if none was expected', () => {
    const { take, held } = budget()
    take('a', 0)(7 * megabyte)
    expect(held()).toBe(7 * megabyte)
  })

  it('admits one response that is larger than a share', () => {
    expect(kindOf(() => budget().take('a', 1_000))).toBe('room')
  })

  it('admits owners who hold little while others hold the rest', () => {
    const { take } = budget()
    for (const owner of ['a', 'b']) take(owner, 50)
    expect(kindOf(() => take('c', 0.6))).toBe('room')
    expect(kindOf(() => take('c', 0))).toBe('room')
    expect(kindOf(() => take('c', 0.6))).toBe('busy')
    expect(kindOf(() => take('a', 1))).toBe('busy')
  })

  it('closes the slowest reader’s connection when another owner finds no room', async () => {
    const { take, held } = budget({ patience: 0 })
    const [slow, slower] = [answering(), answering()]
    take('a', 40, slower)
    take('b', 40, slow)
    await new Promise((resolve) => setTimeout(resolve, 2))
    take('c', 50)
    expect([slower.socket.destroyed, slow.socket.destroyed]).toEqual([true, false])
    expect(held()).toBe(90 * megabyte)
  })
})

describe('lists whose responses stay unread', () => {
  let world: World
  const sockets: Socket[] = []
  beforeEach(async () => {
    world = await aWorld({ answerLimits: { total: 20 * megabyte, share: 8 * megabyte } })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await world.client.close()
  })

  it('get 429 once their share is full, and 200 again after the readers leave', async () => {
    const { base } = world.client
    const { _id, key } = { ...world.project.project, key: world.project.key }
    const path = `/v1/projectId/${_id}/transactional-emails`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const document = 'x'.repeat(900_000)
    for (let n = 0; n < 20; n += 1) {
      const body = JSON.stringify({ name: `n${n}`, subject: 's', type: 'html', document })
      expect((await fetch(base + path, { method: 'POST', headers, body })).status).toBe(201)
    }
    const unread = connect(Number(new URL(base).port), '127.0.0.1').pause()
    sockets.push(unread)
    // What the kernel takes for a client that reads nothing is some megabytes.
    unread.write(`GET ${path}?limit=20 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    const statusOf = async (more = {}) =>
      (await fetch(`${base}${path}?limit=1`, { headers: { ...headers, ...more } })).status
    await expect.poll(() => statusOf()).toBe(429)
    expect(await statusOf({ 'if-none-match': '"x"' })).toBe(429)
    unread.destroy()
    await expect.poll(() => statusOf()).toBe(200)
  })
})
