import { once } from 'node:events'
import { request } from 'node:http'
import { createCore } from '@posthorn/core'
import { forbidden, unavailable } from '@posthorn/core/ports/runtime'
import { inMemoryPorts } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyBudget, httpApp } from '../src/index.js'
import { type TestClient, testClient } from '../src/testing.js'

let client: TestClient
afterEach(() => client.close())

const started = async (receive: (body: string) => void = () => {}) => {
  const { ports } = inMemoryPorts()
  const taken: string[] = []
  const providerEvents = {
    path: '/v1/ses/events',
    receive: async (body: Uint8Array) => {
      const text = Buffer.from(body).toString('utf8')
      receive(text)
      taken.push(text)
    },
  }
  const core = createCore(ports)
  client = await testClient(httpApp({ core, publicUrl: 'https://mail.example.com', log: ports.log, providerEvents }))
  const post = async (body: string | undefined, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers },
      ...(body !== undefined && { body }),
    }
    const response = await fetch(`${client.base}/v1/ses/events`, init)
    return { status: response.status, text: await response.text() }
  }
  return { taken, post }
}

describe('the endpoint for a provider’s events', () => {
  it('passes the body on unread', async () => {
    const { taken, post } = await started()
    expect(await post('{"a":')).toEqual({ status: 204, text: '' })
    expect((await post('x'.repeat(256 * 1024))).status).toBe(204)
    expect((await post(undefined)).status).toBe(204)
    expect(taken.map(({ length }) => length)).toEqual([5, 256 * 1024, 0])
  })

  it('rejects bodies larger than 256 kB', async () => {
    const { taken, post } = await started()
    expect((await post('x'.repeat(256 * 1024 + 1))).status).toBe(413)
    expect(taken).toEqual([])
  })

  it.each([
    [forbidden('The signature does not fit.'), 403],
    [unavailable('Later.'), 503],
  ])('answers %s with its status', async (refusal, status) => {
    const { post } = await started(() => {
      throw refusal
    })
    expect(await post('{}')).toMatchObject({ status, text: expect.stringContaining(refusal.message) })
  })

  it('serves several providers, each with its own size limit and check before the body is read', async () => {
    const { ports } = inMemoryPorts()
    const taken: string[] = []
    const one = (name: string, largest: number) => ({
      path: `/v1/${name}/events`,
      largest,
      admit: ({ authorization }: Readonly<Record<string, unknown>>) => {
        if (authorization !== name) throw forbidden('No.')
      },
      receive: async (body: Uint8Array, headers: Readonly<Record<string, unknown>>) => {
        taken.push([name, body.length, headers['x-signature']].join(' '))
      },
    })
    const providerEvents = [one('small', 10), one('large', 1_000_000)]
    const core = createCore(ports)
    client = await testClient(httpApp({ core, publicUrl: 'https://mail.example.com', log: ports.log, providerEvents }))
    const post = async (name: string, authorization: string, size: number) => {
      const headers = { authorization, 'x-signature': 'signed' }
      const body = 'x'.repeat(size)
      return (await fetch(`${client.base}/v1/${name}/events`, { method: 'POST', headers, body })).status
    }
    expect(await post('small', 'small', 10)).toBe(204)
    expect(await post('small', 'small', 11)).toBe(413)
    expect(await post('small', 'wrong', 11)).toBe(403)
    expect(await post('large', 'large', 1_000_000)).toBe(204)
    expect(taken).toEqual(['small 10 signed', 'large 1000000 signed'])
  })

  it('accepts genuine events while strangers hold unfinished bodies', async () => {
    const { ports } = inMemoryPorts()
    const budget = bodyBudget({ total: 4_000_000, share: 2_000_000, wait: 20 })
    const providerEvents = { path: '/v1/mailgun/events', receive: async () => {} }
    const options = { core: createCore(ports), log: ports.log, providerEvents, bodyBudget: budget, trustProxy: 1 }
    client = await testClient(httpApp({ ...options, publicUrl: 'https://mail.example.com' }))
    const held = Array.from({ length: 40 }, () => {
      const one = request(`${client.base}/v1/mailgun/events`, {
        method: 'POST',
        headers: { 'x-forwarded-for': '198.51.100.66', 'content-length': 200_000 },
      })
      one.on('error', () => undefined)
      one.write('{')
      return one
    })
    await Promise.race(held.map((one) => once(one, 'response')))
    expect(budget.held()).toBe(200_000)
    const post = async (address: string, size: number) => {
      const init = { method: 'POST', headers: { 'x-forwarded-for': address }, body: 'x'.repeat(size) }
      return (await fetch(`${client.base}/v1/mailgun/events`, init)).status
    }
    expect(await post('192.0.2.1', 200_000)).toBe(204)
    expect(await post('198.51.100.66', 16 * 1024)).toBe(204)
    expect(await post('198.51.100.66', 100_000)).toBe(429)
    for (const one of held) one.destroy()
  })

  it('does not exist if no provider is configured', async () => {
    const { ports } = inMemoryPorts()
    client = await testClient(
      httpApp({ core: createCore(ports), publicUrl: 'https://mail.example.com', log: ports.log }),
    )
    expect((await fetch(`${client.base}/v1/ses/events`, { method: 'POST', body: '{}' })).status).toBe(404)
  })
})
