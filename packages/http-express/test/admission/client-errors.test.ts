import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardServer, serverOptions } from '../../src/index.js'

const server = guardServer(
  createServer(serverOptions, (request, response) => {
    if (request.url === '/half') response.write('half')
    else if (request.url !== '/never') response.end('whole')
  }),
)
let port = 0
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** All that comes back for these bytes, until the server closes the connection. */
const answered = async (...parts: readonly string[]) => {
  const socket = connect(port, '127.0.0.1')
  const all = text(socket).catch(() => '')
  for (const part of parts) socket.write(part)
  return all
}

const parsedAnswer = (answer: string) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { statusLine: head.split('\r\n')[0], head, body: JSON.parse(body) }
}

describe('an unreadable request', () => {
  it.each([9_000, 300_000])('gets the error envelope: a query of %d characters', async (length) => {
    const { statusLine, head, body } = parsedAnswer(
      await answered(`GET /v1/x?filter[name]=${'x'.repeat(length)} HTTP/1.1\r\nHost: a\r\n\r\n`),
    )
    expect(statusLine).toBe('HTTP/1.1 431 Request Header Fields Too Large')
    expect(head).toContain('Content-Type: application/json')
    expect(head).toContain('Connection: close')
    expect(body).toEqual({
      status: 431,
      error: {
        name: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
        message: 'The URL and the headers of the request are larger than 8 KB.',
      },
    })
  })

  it('gets the error envelope: not HTTP', async () => {
    const { statusLine, body } = parsedAnswer(await answered('HELLO\r\n\r\n'))
    expect(statusLine).toBe('HTTP/1.1 400 Bad Request')
    expect(body).toMatchObject({ status: 400, error: { name: 'VALIDATION_ERROR' } })
  })

  it.each(['/half', '/never'])('closes the connection silently while a response is in progress: %s', async (path) => {
    expect(await answered(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, 'HELLO\r\n\r\n')).not.toContain('VALIDATION_ERROR')
  })
})
