import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Response } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerBudget } from '../src/answer-budget.js'
import { aWorld, type World } from './world.js'

const limits = { total: 100, share: 60, wait: 20, patience: 10_000 }

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

const kindOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'room',
    (error: { readonly kind?: string }) => error.kind,
  )

describe('what answers hold until they are taken', () => {
  it('is a share for each owner, and as much as that for another', async () => {
    const { hold, room } = answerBudget(limits)
    hold(answering().response, 'a', 70)
    const refused = answering()
    expect(await kindOf(room(refused.response, 'a'))).toBe('busy')
    expect(refused.headers['Retry-After']).toBe('5')
    expect(await kindOf(room(answering().response, 'b'))).toBe('room')
  })

  it('is given back when an answer is over, and who waits goes on', async () => {
    const { hold, room, held } = answerBudget({ ...limits, wait: 5_000 })
    const first = answering()
    hold(first.response, 'a', 70)
    const asked = room(answering().response, 'a')
    first.over()
    expect(await kindOf(asked)).toBe('room')
    expect(held()).toBe(0)
  })

  it('is given back when the connection ends, also of an answer that waits behind another', () => {
    const { hold, held } = answerBudget(limits)
    const { response, socket } = answering()
    hold(response, 'a', 10)
    hold(Object.assign(new EventEmitter(), { req: { socket } }) as unknown as Response, 'a', 20)
    socket.destroy()
    expect(held()).toBe(0)
  })

  it('is as much as there may be, until it is known', async () => {
    const { reserve } = answerBudget(limits)
    const known = await reserve(answering().response, 'a', 50)
    expect(await kindOf(reserve(answering().response, 'a', 50))).toBe('busy')
    known(5)
    expect(await kindOf(reserve(answering().response, 'a', 50))).toBe('room')
    expect(await kindOf(reserve(answering().response, 'b', 50))).toBe('busy')
  })

  it('lets one in whose like is larger than a share', async () => {
    const { reserve } = answerBudget(limits)
    expect(await kindOf(reserve(answering().response, 'a', 1_000))).toBe('room')
  })

  it('lets in who holds nothing and knows no length, whoever holds the rest', async () => {
    const { hold, room } = answerBudget(limits)
    for (const owner of ['a', 'b']) hold(answering().response, owner, 50)
    expect(await kindOf(room(answering().response, 'c'))).toBe('room')
    expect(await kindOf(room(answering().response, 'a'))).toBe('busy')
  })

  it('is taken from who has been slow the longest, where another finds no room', async () => {
    const { hold, reserve, held } = answerBudget({ ...limits, patience: 0 })
    const [slow, slower] = [answering(), answering()]
    hold(slower.response, 'a', 40)
    hold(slow.response, 'b', 40)
    await new Promise((resolve) => setTimeout(resolve, 2))
    await reserve(answering().response, 'c', 50)
    expect([slower.socket.destroyed, slow.socket.destroyed]).toEqual([true, false])
    expect(held()).toBe(90)
  })
})

describe('lists that nobody reads', () => {
  const megabyte = 1024 * 1024
  let world: World
  const sockets: Socket[] = []
  beforeEach(async () => {
    world = await aWorld({ answerLimits: { total: 20 * megabyte, share: 8 * megabyte, wait: 50 } })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await world.client.close()
  })

  it('are made until their share is full, and again when they are gone', async () => {
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
    const statusOf = async () => (await fetch(`${base}${path}?limit=1`, { headers })).status
    await expect.poll(statusOf, { timeout: 5_000 }).toBe(429)
    unread.destroy()
    await expect.poll(statusOf, { timeout: 5_000 }).toBe(200)
  })
})
