import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseJsonBody, readRequestBytes } from '../src/request.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

const post = async (
  path: string,
  type: string | undefined,
  body: string | Buffer,
  headers: Record<string, string> = {},
) => {
  const response = await fetch(`${world.client.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.project.key}`, ...(type && { 'content-type': type }), ...headers },
    body,
    redirect: 'manual',
  })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const moment = (milliseconds: number) => new Promise((later) => setTimeout(later, milliseconds))

/** What a server reads of a body that comes in these pieces, a moment apart, when all has come. @param listens whether somebody hears it flow */
const readInPieces = async (pieces: readonly string[], listens: boolean) => {
  const whole = pieces.join('')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${whole.length}\r\n\r\n`)
  const [request, response] = (await once(server, 'request')) as [Request, Response]
  for (const piece of pieces) {
    socket.write(piece)
    await moment(10)
  }
  while (request.readableLength < whole.length) await moment(2)
  let heard = ''
  if (listens)
    request.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
    })
  const bytes = await readRequestBytes(request, response, 1_000)
  response.end()
  server.close()
  return { bytes: bytes.toString(), heard }
}

describe('a body that arrives in pieces before it is read', () => {
  const pieces = ['{"name":', '"n","sub', 'ject":"s"}']

  it('is read completely', async () => {
    expect(await readInPieces(pieces, false)).toEqual({ bytes: pieces.join(''), heard: '' })
  })

  it('is read completely by a second listener, too', async () => {
    expect(await readInPieces(pieces, true)).toEqual({ bytes: pieces.join(''), heard: pieces.join('') })
  })
})

describe('a JSON body', () => {
  const create = async (body: string | Buffer, type = 'application/json', headers = {}) => {
    const { status, text } = await post(
      `/v1/projectId/${world.project.project._id}/transactional-emails`,
      type,
      body,
      headers,
    )
    return `${status} ${JSON.parse(text).error?.message ?? ''}`
  }
  const email = '{"name":"n","subject":"s"}'
  const nested = (depth: number) =>
    `{"name":"\u2200","subject":"s","document":${'['.repeat(depth)}${']'.repeat(depth)}}`

  it.each([
    [1_000, 0],
    [3_000_000, 3],
  ])('of %d bytes yields to other requests %d times', async (length, times) => {
    let pauses = 0
    const pause = async () => {
      pauses += 1
    }
    const body = { content: 'x'.repeat(length) }
    expect(await parseJsonBody(Buffer.from(JSON.stringify(body)), pause)).toEqual(body)
    expect(pauses).toBe(times)
  })

  it('must be an object or an array', async () => {
    for (const body of ['1', 'null', '"text"', 'true'])
      expect(await create(body)).toBe('400 The body must be a JSON object.')
    for (const body of ['{"a":1} {}', '{a:1}']) expect(await create(body)).toBe('400 The body is not valid JSON.')
    expect(await create('[]')).not.toContain('JSON')
  })

  it('may be UTF-8 with or without a byte order mark, whatever the charset’s spelling', async () => {
    for (const type of ['application/json', 'application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"'])
      expect(await create(email, type)).toBe('201 ')
    expect(await create(`\ufeff${email}`)).toBe('201 ')
  })

  it('may be compressed', async () => {
    for (const [encoding, compressed] of [
      ['gzip', gzipSync(email)],
      ['deflate', deflateSync(email)],
      ['br', brotliCompressSync(email)],
    ] as const)
      expect(await create(compressed, 'application/json', { 'content-encoding': encoding })).toBe('201 ')
  })

  it('is rejected in any other encoding', async () => {
    for (const charset of ['utf-16le', 'utf-32', 'latin1', 'nothing'])
      expect(await create(Buffer.from(nested(50_000), 'utf16le'), `application/json; charset=${charset}`)).toBe(
        '400 The body must be encoded in UTF-8.',
      )
  })

  it('may be a hundred levels deep', async () => {
    expect(await create(nested(99))).not.toContain('levels deep')
    expect(await create(nested(100))).toBe('400 The body is nested more than 100 levels deep.')
  })

  it('may hold 50,000 values, which are counted before parsing', async () => {
    const numbers = (n: number) => `{"name":"n","subject":"s","document":[${'1,'.repeat(n)}1]}`
    expect(await create(numbers(49_000))).not.toContain('values')
    expect(await create(numbers(50_001))).toBe('400 The body contains more than 50000 values.')
  })

  it('counts commas only outside of texts', async () => {
    const subject = '\\\\\\",'.repeat(100)
    expect(await create(JSON.stringify({ name: ',"'.repeat(90), subject: `s${subject.slice(0, 400)}` }))).toBe('201 ')
    expect(await create(`{"name":"n","subject":"s${'\\\\,'.repeat(120)}"}`)).toBe('201 ')
  })

  it('counts brackets only outside of texts', async () => {
    expect(await create(JSON.stringify({ name: '[{'.repeat(99), subject: '\\"[{' }))).toBe('201 ')
  })

  it.each([
    ['', 'application/json', {}, 'Missing required field: name; Missing required field: subject'],
    ['   ', 'application/json', {}, 'The body is not valid JSON.'],
    [email, 'application/json', { 'content-encoding': 'gzip' }, 'The body cannot be read.'],
    [email, 'application/json', { 'content-encoding': 'rot13' }, 'The body cannot be read.'],
    [email, 'application/vnd.api+json', {}, 'The body must be JSON, with Content-Type: application/json.'],
    [email, 'multipart/form-data', {}, 'The body must be JSON, with Content-Type: application/json.'],
  ])('is rejected with %j as %s: %j', async (body, type, headers, message) => {
    expect(await create(body, type, headers)).toBe(`400 ${message}`)
  })
})

describe('a form', () => {
  const form = 'application/x-www-form-urlencoded'

  it.each([
    [413, form, `a=${'x'.repeat(20_000)}`, {}],
    [413, form, 'a=1&'.repeat(2_000), {}],
    [400, `${form}; charset=nothing`, 'a=1', {}],
    [400, form, 'a=1', { 'content-encoding': 'gzip' }],
    [403, 'multipart/form-data', 'a=1', {}],
    [403, form, '__proto__[x]=1&constructor=2&action=subscribe', {}],
  ])('that cannot be read gets a page with status %d', async (status, type, body, headers) => {
    const answer = await post('/preferences?token=forged', type, body, headers)
    expect([answer.status, answer.type]).toEqual([status, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('<h1>')
  })
})
