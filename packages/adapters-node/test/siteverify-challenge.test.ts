import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { siteverifyChallenge } from '../src/index.js'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A provider on loopback. */
const provider = async (answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> => {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/siteverify`
}

const saying = (body: string, status = 200) =>
  provider((_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body))

describe('a siteverify challenge', () => {
  it('is posted as a form of secret and token', async () => {
    const seen: unknown[] = []
    const url = await provider(async (request, response) => {
      const form = new URLSearchParams(await text(request))
      seen.push([request.method, request.url, request.headers['content-type'], Object.fromEntries(form)])
      response.end('{"success":true}')
    })
    const secret = 's&cret=+é'
    expect(await siteverifyChallenge({ url })(secret, 'to&ken=1')).toBe(true)
    expect(seen).toEqual([
      ['POST', '/siteverify', 'application/x-www-form-urlencoded', { secret, response: 'to&ken=1' }],
    ])
  })

  it.each([
    '{"success":false,"error-codes":["timeout-or-duplicate"]}',
    '{"success":"true"}',
    '{"success":1}',
    '{}',
    'null',
    '[true]',
    '"success"',
  ])('is not solved if the response is %s', async (body) => {
    expect(await siteverifyChallenge({ url: await saying(body) })('secret', 'token')).toBe(false)
  })

  it.each([
    ['no JSON', '<html>', 200],
    ['a failure, whatever it says', '{"success":true}', 500],
    ['an answer that is larger than any honest one', `{"success":true,"x":"${'x'.repeat(70_000)}"}`, 200],
  ])('fails for %s', async (_what, body, status) => {
    await expect(siteverifyChallenge({ url: await saying(body, status) })('secret', 'token')).rejects.toThrow(
      /JSON|answered|more than/,
    )
  })

  it('does not send the secret to a redirect', async () => {
    let followed = 0
    const url = await provider((request, response) => {
      if (request.url === '/elsewhere') followed += 1
      response.writeHead(307, { location: '/elsewhere' }).end('{"success":true}')
    })
    await expect(siteverifyChallenge({ url })('secret', 'token')).rejects.toThrow(
      'The challenge provider failed: it answered 307',
    )
    expect(followed).toBe(0)
  })

  it('fails if the provider times out, at the start or midway', async () => {
    const silent = await provider(() => {})
    const halting = await provider((_request, response) => response.write('{"success":'))
    for (const url of [silent, halting])
      await expect(siteverifyChallenge({ url, timeoutMs: 50 })('secret', 'token')).rejects.toThrow(
        'it took too long to answer',
      )
  })

  it('fails if nobody listens', async () => {
    const url = await provider(() => {})
    for (const close of closing.splice(0)) close()
    await expect(siteverifyChallenge({ url })('secret', 'token')).rejects.toThrow('it refused the connection')
  })
})
