import type { RequestListener } from 'node:http'
import { localReceiver } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { httpEventPoster } from '../src/index.js'

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const receiving = async (answer: RequestListener) => {
  const receiver = await localReceiver(answer)
  open.push(receiver)
  return receiver
}
const answering = (status: number, headers: Record<string, string> = {}) =>
  receiving((_, response) => response.writeHead(status, headers).end('said'))

const headers = { 'content-type': 'application/json', authorization: 'Bearer ph_key', 'webhook-id': 'one' }
const body = JSON.stringify({ type: 'sent', subject: 'Grüße “😀”' })

/** Lets posts go to this machine. */
const near = httpEventPoster({ allowPrivate: true })
const strict = httpEventPoster()
/** Waits for one and a half seconds only. */
const hasty = httpEventPoster({ allowPrivate: true, timeoutMs: 1_500 })

describe('a post', () => {
  it('arrives unchanged', async () => {
    const { url, received } = await answering(204)
    expect(await near.post({ url, headers, body })).toEqual({ kind: 'answered', status: 204 })
    expect(received).toMatchObject([{ method: 'POST', url: '/hooks?from=posthorn', headers, body }])
  })

  it.each([200, 201, 400, 404, 410, 429, 500, 503])('reports the status %i', async (status) => {
    const { url } = await answering(status)
    expect(await near.post({ url, headers, body })).toEqual({ kind: 'answered', status })
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    const elsewhere = await answering(200)
    const { url } = await answering(status, { location: elsewhere.url })
    expect(await near.post({ url, headers, body })).toEqual({ kind: 'answered', status })
    expect(elsewhere.received).toEqual([])
  })

  it('is aborted after a timeout', async () => {
    const { url, received } = await receiving(() => undefined)
    expect(await hasty.post({ url, headers, body })).toEqual({
      kind: 'unreachable',
      reason: 'it took too long to answer',
    })
    await expect.poll(() => received).toHaveLength(1)
  })

  it('is aborted if the response’s headers never end', async () => {
    const { url } = await receiving((_, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const drip = setInterval(() => response.socket?.write('x'), 50)
      response.socket?.once('close', () => clearInterval(drip))
    })
    expect(await hasty.post({ url, headers, body })).toMatchObject({ kind: 'unreachable' })
  })

  it('counts by its status if the body is slow and endless', async () => {
    const { url } = await receiving((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 50)
      response.once('close', () => clearInterval(drip))
    })
    expect(await hasty.post({ url, headers, body })).toEqual({ kind: 'answered', status: 200 })
  })

  it('reads only the beginning of an endless body', async () => {
    let written = 0
    const { url } = await receiving((_, response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(64 * 1024)
      const pour = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', pour)
      pour()
    })
    expect(await near.post({ url, headers, body })).toEqual({ kind: 'answered', status: 200 })
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it('reports why there was no response, without an address', async () => {
    const broken = await receiving((request) => request.socket.destroy())
    const gone = await answering(200)
    await gone.close()
    const outcomes = await Promise.all([
      near.post({ url: broken.url, headers, body }),
      near.post({ url: gone.url, headers, body }),
      near.post({ url: `https://127.0.0.1:${broken.port}/`, headers, body }),
    ])
    expect(outcomes.slice(0, 2)).toEqual([
      { kind: 'unreachable', reason: 'it broke the connection' },
      { kind: 'unreachable', reason: 'it refused the connection' },
    ])
    expect(outcomes[2]).toMatchObject({ kind: 'unreachable' })
    expect(JSON.stringify(outcomes)).not.toContain('127.0.0.1')
  })
})

describe('a post to a private address', () => {
  const refused = { kind: 'unreachable', reason: 'it is not on the public internet' }

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::8.8.8.8]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:53aa:64c:0:fbff:80ff:fffe]/',
    'http://[fec0::1]/',
    'http://[5f00::1]/',
    'http://[4000::1]/',
    'http://[2001:db8::1]/',
  ])('is refused: %s', async (url) => {
    expect(await strict.post({ url, headers, body })).toEqual(refused)
  })

  it('is refused if a public name resolves to it, without connecting', async () => {
    const { port, received } = await answering(200)
    const rebinding = httpEventPoster({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
    expect(await rebinding.post({ url: `http://shop.example.com:${port}/`, headers, body })).toEqual(refused)
    expect(await strict.post({ url: `http://localhost:${port}/`, headers, body })).toEqual(refused)
    expect(received).toEqual([])
  })

  it('is refused if none of a name’s addresses is public', async () => {
    const addresses = ['10.0.0.1', '192.0.2.1', 'fd00::1', 'ff02::1', 'no address']
    const lookup = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const poster = httpEventPoster({ lookup })
    expect(await poster.post({ url: 'https://shop.example.com/', headers, body })).toEqual(refused)
  })

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'nowhere'])('is refused for another scheme: %s', async (url) => {
    expect(await near.post({ url, headers, body })).toMatchObject({ kind: 'unreachable' })
  })
})
