import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { guardedListenOf } from '../../src/http-server.js'
import { guardServer, type ServerGuardOptions, serverOptions } from '../../src/index.js'

let servers: Server[] = []
let sockets: Socket[] = []
afterEach(() => {
  for (const one of sockets) one.destroy()
  for (const one of servers) one.close()
  for (const one of servers) one.closeAllConnections()
  servers = []
  sockets = []
})

const listening = async (server: Server): Promise<number> => {
  servers.push(server)
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Answers `/quick` at once, and anything else when it is released. */
const handler = () => {
  const waiting: (() => void)[] = []
  const answer = express()
  answer.get('/quick', (_request, response) => void response.end('quick'))
  answer.use((_request, response) => void waiting.push(() => response.end('slow')))
  return { answer, waiting, release: () => waiting.splice(0).map((one) => one()) }
}

const started = async (options: ServerGuardOptions) => {
  const { answer, ...held } = handler()
  return { ...held, port: await listening(guardServer(createServer(serverOptions, answer), options).listen(0)) }
}

const connected = async (port: number, written = '') => {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(written)
  const all = text(socket).catch(() => '')
  return { socket, all }
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

const limits = { connections: { total: 3, perBlock: 2 } }

describe('a guarded server', () => {
  it('serves a new client while one address holds unfinished requests', async () => {
    const { port } = await started(limits)
    const held: Awaited<ReturnType<typeof connected>>[] = []
    for (let n = 0; n < 10; n += 1) held.push(await connected(port, 'GET / HTTP/1.1\r\nX-Slow: '))
    expect(await (await connected(port, get('/quick'))).all).toMatch(/quick$/)
    await expect.poll(() => held.filter(({ socket }) => !socket.readableEnded && !socket.destroyed).length).toBe(1)
  })

  it('closes an unfinished body before a request in progress', async () => {
    const { port, waiting, release } = await started(limits)
    const working = await connected(port, get('/slow'))
    await expect.poll(() => waiting.length).toBe(1)
    const held = await connected(port, 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx')
    await expect.poll(() => waiting.length).toBe(2)
    expect(await (await connected(port, get('/quick'))).all).toMatch(/quick$/)
    expect(await held.all).toBe('')
    release()
    expect(await working.all).toMatch(/slow$/)
  })

  it('lets a trusted proxy open as many connections as the total allows', async () => {
    const { port } = await started({ ...limits, trustProxy: ['loopback'] })
    const proxied = [await connected(port), await connected(port)]
    expect(await (await connected(port, get('/quick'))).all).toMatch(/quick$/)
    expect(proxied.map(({ socket }) => socket.readableEnded)).toEqual([false, false])
  })

  it('is what an application listens with', async () => {
    const app = handler().answer
    const port = await listening(guardedListenOf(app, limits)(0))
    const held = [await connected(port, 'GET'), await connected(port, 'GET')]
    expect(await (await connected(port, get('/quick'))).all).toMatch(/quick$/)
    await expect.poll(() => held.filter(({ socket }) => !socket.readableEnded && !socket.destroyed).length).toBe(1)
  })
})
