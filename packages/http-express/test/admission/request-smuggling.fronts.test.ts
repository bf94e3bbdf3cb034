import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as tcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardServer, serverOptions } from '../../src/index.js'

/** What a front and the server must never see as two requests: the second would be answered to another client. */
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const post = (...lines: string[]) => ['POST /front HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n')
const chunkedEnd = '0\r\n\r\n'
const chunk = (size: string, data: string) => `${size}\r\n${data}\r\n`

/** Messages whose length a front and the server may read differently (RFC 9112 sections 5.2, 6.1, 6.3 and 11.2). */
const ambiguous: Readonly<Record<string, string>> = {
  'Content-Length and Transfer-Encoding': `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}${chunkedEnd}${smuggled}`,
  'Transfer-Encoding and Content-Length': `${post('Transfer-Encoding: chunked', `Content-Length: ${5 + smuggled.length}`)}${chunkedEnd}${smuggled}`,
  'two different lengths': `${post('Content-Length: 0', `Content-Length: ${smuggled.length}`)}${smuggled}`,
  'two lengths in one field': `${post(`Content-Length: 0, ${smuggled.length}`)}${smuggled}`,
  'a length with a sign': `${post(`Content-Length: +${smuggled.length}`)}${smuggled}`,
  'a negative length': `${post('Content-Length: -1')}${smuggled}`,
  'a hexadecimal length': `${post('Content-Length: 0x0')}${smuggled}`,
  'a length that overflows': `${post('Content-Length: 18446744073709551616')}${smuggled}`,
  'a space before the colon': `${post(`Content-Length : ${smuggled.length}`)}${smuggled}`,
  'a folded field': `${post('X: y', ' Transfer-Encoding: chunked', 'Content-Length: 0', ' 0')}${smuggled}`,
  'a folded Transfer-Encoding': `${post('Transfer-Encoding:', ' chunked', 'Content-Length: 5')}${chunkedEnd}${smuggled}`,
  'Transfer-Encoding with a vertical tab': `${post('Transfer-Encoding: \x0bchunked', 'Content-Length: 5')}${chunkedEnd}${smuggled}`,
  'an unknown Transfer-Encoding': `${post('Transfer-Encoding: xchunked', 'Content-Length: 5')}${chunkedEnd}${smuggled}`,
  'chunked before another coding': `${post('Transfer-Encoding: chunked, identity')}${chunkedEnd}${smuggled}`,
  'two Transfer-Encodings': `${post('Transfer-Encoding: chunked', 'Transfer-Encoding: x')}${chunkedEnd}${smuggled}`,
  'a field that ends in a bare LF': `POST /front HTTP/1.1\r\nHost: a\r\nX: y\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n${chunkedEnd}${smuggled}`,
  'a field that contains a bare CR': `POST /front HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 5\r\n\r\n${smuggled}`,
  'a NUL in a field': `${post('X: \0Content-Length: 5')}${smuggled}`,
  'a chunk size with a sign': `${post('Transfer-Encoding: chunked')}${chunk('+0', '')}${smuggled}`,
  'a chunk size with 0x': `${post('Transfer-Encoding: chunked')}${chunk('0x0', '')}${smuggled}`,
  'a chunk size that overflows': `${post('Transfer-Encoding: chunked')}${chunk('10000000000000000', '')}${smuggled}`,
  'a chunk that ends in a bare LF': `${post('Transfer-Encoding: chunked')}1\nx\n0\n\n${smuggled}`,
  'a chunk longer than its size': `${post('Transfer-Encoding: chunked')}${chunk('1', `x${smuggled}`)}${chunkedEnd}`,
  'a chunk extension with a bare LF': `${post('Transfer-Encoding: chunked')}2;\nxx\r\n${(smuggled.length + 3).toString(16)}\r\n0\r\n\r\n${smuggled}`,
}

/** Messages that take memory or time to read. */
const excessive: Readonly<Record<string, string>> = {
  'a megabyte of chunk extensions': `${post('Transfer-Encoding: chunked')}1;${'x'.repeat(1_000_000)}\r\nx\r\n${chunkedEnd}`,
  'a megabyte of extensions over many chunks': `${post('Transfer-Encoding: chunked')}${`1;${'x'.repeat(100)}\r\nx\r\n`.repeat(10_000)}${chunkedEnd}`,
  'a chunk-size line of a megabyte': `${post('Transfer-Encoding: chunked')}${'0'.repeat(1_000_000)}1\r\nx\r\n${chunkedEnd}`,
  'a megabyte of trailers': `${post('Transfer-Encoding: chunked', 'Trailer: X')}0\r\n${'X: y\r\n'.repeat(170_000)}\r\n`,
  'a thousand header fields of a kilobyte': post(
    ...Array.from({ length: 1_000 }, (_, n) => `X-${n}: ${'y'.repeat(1_000)}`),
  ),
}

let server: Server
let paths: string[] = []
let longest = 0
let port = 0
beforeAll(async () => {
  const app = express()
  app.use((request, response) => {
    paths.push(request.path)
    let bytes = 0
    request.on('data', (data: Buffer) => {
      bytes += data.length
      longest = Math.max(longest, bytes)
    })
    request.on('end', () => response.end('ok'))
    request.on('error', () => response.destroy())
  })
  server = guardServer(createServer(serverOptions, app)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** All that comes back for the bytes and one more request, until the other side closes the connection or waits for more. */
const answered = async (to: number, bytes: string): Promise<string> => {
  paths = []
  const socket = connect(to, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.setTimeout(500, () => socket.destroy())
  // Not ended: nginx gives up a client that says it sends no more.
  socket.write(`${bytes}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1')
  let all = ''
  socket.on('data', (data) => {
    all += data.toString('latin1')
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return all
}

describe('the server itself', () => {
  it.each(Object.entries(ambiguous))('rejects %s, and reads no second request after it', async (_, bytes) => {
    const answer = await answered(port, bytes)
    expect(paths).not.toContain('/smuggled')
    expect(answer).toMatch(/^HTTP\/1.1 400 |^$/)
  })

  // Node reads extensions and zeros of small chunks without keeping them, within the time of a request.
  it.each(Object.entries(excessive))('buffers little of %s', async (_, bytes) => {
    longest = 0
    expect(await answered(port, bytes)).toMatch(/^HTTP\/1.1 (200|400|413|431) |^$/)
    expect(longest).toBeLessThan(64 * 1024)
  })
})

const freePort = async (): Promise<number> => {
  const probe = tcpServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port: free } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return free
}

const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, [program === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const nginxConfiguration = (directory: string, from: number, to: number) => `
daemon off;
error_log ${directory}/error.log;
pid ${directory}/nginx.pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  upstream posthorn { server 127.0.0.1:${to}; keepalive 1; }
  server {
    listen 127.0.0.1:${from};
    location / {
      proxy_pass http://posthorn;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
    }
  }
}
`
const caddyConfiguration = (from: number, to: number) =>
  `{\n  admin off\n  auto_https off\n}\nhttp://127.0.0.1:${from} {\n  reverse_proxy 127.0.0.1:${to}\n}\n:${from} {\n  reverse_proxy 127.0.0.1:${to}\n}\n`

/** Where they are installed. Each request that reaches the server has a response that the front read as one, so no request hides in another. */
describe.each(['nginx', 'caddy'])('behind %s, where it is installed', (front) => {
  const installed = isInstalled(front)
  let directory = ''
  let program: ChildProcess | undefined
  let frontPort = 0
  beforeAll(async () => {
    if (!installed && process.env.CI) throw new Error(`${front} is not installed`)
    if (!installed) return
    directory = mkdtempSync(join(tmpdir(), 'posthorn-front-'))
    frontPort = await freePort()
    const file = join(directory, 'configuration')
    const isNginx = front === 'nginx'
    writeFileSync(file, isNginx ? nginxConfiguration(directory, frontPort, port) : caddyConfiguration(frontPort, port))
    const given = isNginx ? ['-p', directory, '-c', file] : ['run', '--adapter', 'caddyfile', '--config', file]
    program = spawn(front, given, { stdio: 'ignore', env: { ...process.env, HOME: directory } })
    while (!/ 200 /.test(await answered(frontPort, ''))) await setTimeout(20)
  })
  afterAll(async () => {
    if (!program) return
    program.kill()
    await once(program, 'exit')
    rmSync(directory, { recursive: true, force: true })
  })

  /** How many requests a connection's answers are for; interim ones do not count. */
  const answersIn = (answer: string) => (answer.match(/HTTP\/1\.1 [2-5]\d\d /g) ?? []).length

  it.skipIf(!installed).each(Object.entries(ambiguous))('does not let %s hide a request', async (_, bytes) => {
    const answer = await answered(frontPort, bytes)
    expect(paths.length).toBeLessThanOrEqual(answersIn(answer))
  })
})
