import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { type TestClient, testClient } from '../src/testing.js'

let client: TestClient
afterEach(() => client.close())

const started = async () => {
  const { ports, mailer, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const { _id } = await core.transactionalEmails.create(scope, {
    name: 'Receipt',
    subject: 'Receipt',
    type: 'html',
    document: '<body><a href="https://exämple.com/a b?x={{order}}">x</a><a href="https://example.com/y">y</a></body>',
  })
  await core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: _id, data: { order: '7/ü' } })
  await core.worker.runUntilIdle()
  clock.advance(60_000)
  client = await testClient(httpApp({ core, publicUrl: ports.settings.publicUrl, log: ports.log }))
  const html = (mailer.sent[0]?.mime ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const urls = [...html.matchAll(/"https:\/\/posthorn\.example\.com(\/[co]\/[^"]+)"/g)].map(([, path = '']) => path)
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(client.base + path, {
      redirect: 'manual',
      method,
      headers: {
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    })
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
  const totals = async () => {
    await core.tracking.flush()
    return core.statistics.ofEmail(scope, 'transactionalEmails', _id, { timeZone: 'UTC' })
  }
  return { urls, ask, totals, clock }
}

describe('a link of a mail', () => {
  it('redirects to its target, without a Referer or caching', async () => {
    const { urls, ask, totals, clock } = await started()
    const [own = '', common = ''] = urls
    const { status, headers } = await ask(own)
    expect(status).toBe(302)
    expect(headers.get('location')).toBe('https://xn--exmple-cua.com/a%20b?x=7/%C3%BC')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    clock.advance(5_000)
    expect((await ask(common)).headers.get('location')).toBe('https://example.com/y')
    expect(await totals()).toMatchObject({ clicks: 2, uniqueClicks: 1, opens: 0 })
  })

  it('returns 404 if it was not signed here, and counts nothing', async () => {
    const { urls, ask, totals } = await started()
    const [own = '', common = ''] = urls
    const forged = [
      `${own}A`,
      common.replace(/\/2$/, '/9'),
      common.replace('/c/', '/c/A'),
      '/c/x/1',
      '/c/x/1/y',
      `/c/${'x'.repeat(5_000)}/1`,
      `/c/https:%2F%2Fevil.example.com/1`,
      '/o/x',
    ]
    for (const path of forged) expect((await ask(path)).status).toBe(404)
    expect(await totals()).toMatchObject({ clicks: 0, machineClicks: 0, opens: 0, machineOpens: 0 })
  })

  it('counts HEAD requests as a machine’s, and supports no other method', async () => {
    const { urls, ask, totals } = await started()
    const [, common = '', trap = '', image = ''] = urls
    expect((await ask(common, 'HEAD')).headers.get('location')).toBe('https://example.com/y')
    const posted = await ask(common, 'POST')
    expect(posted.status).toBe(405)
    expect(posted.headers.get('allow')).toBe('GET, HEAD')
    expect((await ask(trap)).status).toBe(204)
    const { status, headers, bytes } = await ask(image)
    expect([status, headers.get('content-type'), headers.get('cross-origin-resource-policy')]).toEqual([
      200,
      'image/gif',
      'cross-origin',
    ])
    expect(Buffer.from(bytes).toString('latin1').slice(0, 6)).toBe('GIF89a')
    expect(await totals()).toMatchObject({ clicks: 0, machineClicks: 1 })
  })
})
