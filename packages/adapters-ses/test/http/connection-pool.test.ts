import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { httpConnectionPool } from '../../src/http/connection-pool.js'
import { type HttpConnectionPoolLimits, standardConnectionPoolLimits } from '../../src/http/sdk-client.js'
import { atEnd } from '../world.js'

const answer = (body = 'ok', headers = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`

/** A server that speaks as told, and connections to it. */
const talking = async (
  speak: (socket: Socket, nth: number) => void,
  limits: Partial<HttpConnectionPoolLimits> = {},
) => {
  const sockets = new Set<Socket>()
  let opened = 0
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    opened += 1
    speak(socket, opened)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint = { protocol: 'http:', hostname: '127.0.0.1', port, path: '/' }
  const connections = httpConnectionPool(endpoint, { ...standardConnectionPoolLimits, ...limits })
  atEnd(async () => {
    connections.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const ask = (text = 'POST / HTTP/1.1\r\n\r\n') => connections.exchange(() => Buffer.from(text))
  return { ask, connections, opened: () => opened }
}

describe('pooled connections', () => {
  it('are reused for sequential requests', async () => {
    const { ask, opened } = await talking((socket) => socket.on('data', () => socket.write(answer())))
    for (let n = 0; n < 5; n += 1) expect((await ask()).body.toString()).toBe('ok')
    expect(opened()).toBe(1)
  })

  it('are limited, and requests wait for one', async () => {
    const { ask, opened } = await talking((socket) => socket.on('data', () => socket.write(answer())), {
      connections: 3,
    })
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
    expect(answers).toHaveLength(50)
    expect(opened()).toBe(3)
  })

  it.each([
    ['the server says so', answer('ok', 'Connection: close\r\n')],
    ['it says more than it was asked', `${answer()}more`],
    ['it keeps them for no time', answer('ok', 'Keep-Alive: timeout=1\r\n')],
  ])('are not reused if %s', async (_, text) => {
    const { ask, opened } = await talking((socket) => socket.on('data', () => socket.write(text)))
    for (let n = 0; n < 3; n += 1) await ask()
    expect(opened()).toBe(3)
  })

  it('are not reused after the server closed them', async () => {
    let closed = 0
    const { ask, opened } = await talking((socket) => {
      socket.once('close', () => {
        closed += 1
      })
      socket.once('data', () => socket.end(answer()))
    })
    for (let n = 1; n <= 3; n += 1) {
      await ask()
      await vi.waitUntil(() => closed === n, { timeout: 30_000, interval: 1 })
    }
    expect(opened()).toBe(3)
  })

  it('are not reused after a response to half a request', async () => {
    const { ask, opened } = await talking((socket, nth) => {
      if (nth === 1) socket.once('data', () => socket.pause().write(answer('too large')))
      else socket.on('data', () => socket.write(answer()))
    })
    expect((await ask('x'.repeat(30_000_000))).body.toString()).toBe('too large')
    expect((await ask()).body.toString()).toBe('ok')
    expect(opened()).toBe(2)
  })

  it.each([
    ['breaks', (socket: Socket) => socket.destroy()],
    ['is reset', (socket: Socket) => socket.resetAndDestroy()],
    ['ends', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok')],
    ['brings something else', (socket: Socket) => socket.write('220 smtp.example\r\n\r\n')],
    [
      'brings more than a mebibyte',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n'),
    ],
  ])('report that a request was written if the connection %s instead of a response', async (_, speak) => {
    const { ask, opened } = await talking((socket) => socket.once('data', () => speak(socket)))
    await expect(ask()).rejects.toMatchObject({ name: 'NoAnswer', written: true })
    expect(opened()).toBe(1)
  })

  it('follow no redirect', async () => {
    const { ask, opened } = await talking((socket) =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 307 Moved\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n'),
      ),
    )
    expect(await ask()).toMatchObject({ status: 307 })
    expect(opened()).toBe(1)
  })

  it('are freed if a request cannot be composed', async () => {
    const { ask, connections, opened } = await talking((socket) => socket.on('data', () => socket.write(answer())), {
      connections: 1,
    })
    const unmade = connections.exchange(() => {
      throw new Error('It cannot be made')
    })
    await expect(unmade).rejects.toThrow('It cannot be made')
    expect((await ask()).status).toBe(200)
    expect(opened()).toBe(1)
  })

  it('end all requests when closed, and accept no more', async () => {
    let heard = 0
    const listening = (socket: Socket) => socket.on('data', (bytes) => (heard += bytes.length))
    const { ask, connections } = await talking(listening, { connections: 1 })
    const asked = [ask(), ask()]
    await expect.poll(() => heard).toBeGreaterThan(0)
    connections.close()
    await expect(asked[0]).rejects.toMatchObject({ written: true })
    await expect(asked[1]).rejects.toMatchObject({ written: false })
    await expect(ask()).rejects.toMatchObject({ name: 'NoAnswer', written: false })
  })
})
