import { createHash } from 'node:crypto'
import { addressFingerprint, signedToken } from '@posthorn/core/ports/transport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'

const email = 'reader1@example.com'
const evil = '<script>alert(1)</script>"\'&'

let world: World
let preferences = ''
let unsubscribe = ''
beforeAll(async () => {
  world = await aWorld()
  const { project, core, ports } = world
  await project.subscribe(1)
  const { result: confirmation } = await world.call('createTransactionalEmail', {
    body: { name: 'Confirm', subject: 'Confirm', type: 'html', document: '<a href="{{verifyLink}}">yes</a>' },
  })
  const lists = [
    { name: evil, description: evil },
    { name: 'Private', private: true },
    { name: 'Strict', doubleOptIn: { active: true, emailId: confirmation._id } },
  ]
  for (const body of lists) await world.call('createSubscriberList', { body })
  const strict = (await world.call('listSubscriberLists', { query: { 'filter[name]': 'Strict' } })).result.items[0]
  await world.call('subscribe', { params: { id: String(strict?._id) }, body: { email } })
  const { _id } = await core.contacts.get(project.scope, email)
  const c = String(_id)
  const a = addressFingerprint(ports.secrets, { _id: c, emailKey: email.toLowerCase() })
  preferences = `/preferences?token=${signedToken(ports.secrets, { purpose: 'preferences', c, a })}`
  unsubscribe = `/v1/subscriber-lists/${project.list._id}/${email}/unsubscribe?token=${signedToken(ports.secrets, { purpose: 'unsubscribe', l: project.list._id, c })}`
})
afterAll(() => world.client.close())

const open = async (path: string, form?: Record<string, string>) => {
  const response = await fetch(`${world.client.base}${path}`, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const status = async () =>
  (await world.call('getSubscriber', { params: { id: world.project.list._id, email } })).result.status

/** The part of the page about one list. */
const item = async (name: string) =>
  (await open(preferences)).text.split(/<\/?li>/).find((text) => text.includes(`<h2>${name}</h2>`)) ?? ''

describe('every page', () => {
  it('has no script and no external content, and is neither cached nor indexed', async () => {
    for (const path of [preferences, unsubscribe, '/preferences?token=x', '/v1/verify?token=x']) {
      const { headers, text } = await open(path)
      expect(text).not.toMatch(/<script|<img|<link|@import|url\(|\son\w+=|https?:/)
      expect(text).toContain('<meta name="robots" content="noindex">')
      expect(headers.get('content-security-policy')).not.toContain('script')
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
    }
  })

  it('of a confirmation allows only its own script', async () => {
    const strict = (await world.call('listSubscriberLists', { query: { 'filter[name]': 'Strict' } })).result.items[0]
    const { _id: c } = await world.core.contacts.get(world.project.scope, email)
    const x = world.clock.now().getTime() / 1000 + 60
    const a = addressFingerprint(world.ports.secrets, { _id: String(c), emailKey: email.toLowerCase() })
    const token = signedToken(world.ports.secrets, { purpose: 'verify', c: String(c), a, l: [String(strict?._id)], x })
    const { headers, text } = await open(`/v1/verify?token=${token}`)
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? []
    const digest = createHash('sha256').update(script).digest('base64')
    expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${digest}';`)
    expect(text.split('<script').length).toBe(2)
  })

  it('answers HEAD requests of machines without changing anything', async () => {
    const { status: code } = await fetch(`${world.client.base}${unsubscribe}`, { method: 'HEAD' })
    expect([code, await status()]).toEqual([200, 'active'])
  })
})

describe('the unsubscribe page', () => {
  it('changes nothing, however often it is opened', async () => {
    for (let n = 0; n < 3; n += 1) expect((await open(unsubscribe)).text).toContain('Unsubscribe from Readers?')
    expect(await status()).toBe('active')
  })

  it('explains a damaged link', async () => {
    const { status: code, text } = await open(unsubscribe.slice(0, -3))
    expect(code).toBe(403)
    expect(text).toContain('may lack its end')
  })
})

describe('the preferences page', () => {
  it('shows public lists and the person’s own, with the status on each', async () => {
    expect(await item('Private')).toBe('')
    expect(await item('Readers')).toContain('Subscribed</span>')
    expect(await item('Strict')).toContain('Waiting for your confirmation')
    expect((await open(preferences)).text).not.toContain('<script')
  })

  it('labels its buttons for screen readers with the list’s name', async () => {
    const names = (text: string) => [...text.matchAll(/<button[^>]*aria-label="([^"]+)"/g)].map(([, name]) => name)
    expect(names(await item('Readers'))).toEqual(['Pause Readers', 'Unsubscribe: Readers'])
    expect(names(await item('Strict'))).toEqual(['Subscribe: Strict', 'Unsubscribe: Strict'])
  })

  it('lets a paused subscriber resume', async () => {
    await open(preferences, { action: 'pause', listId: world.project.list._id, pausedUntil: '2027-01-01' })
    expect(await item('Readers')).toContain('Get mail again')
    await open(preferences, { action: 'subscribe', listId: world.project.list._id })
    expect(await status()).toBe('active')
  })

  it.each([
    [{}, 400],
    [{ action: 'delete' }, 400],
    [{ action: 'subscribe', listId: '0'.repeat(24) }, 404],
    [{ action: 'pause', pausedUntil: '' }, 400],
    [{ action: 'constructor' }, 400],
  ])('answers the invalid form %j with an error page', async (form, code) => {
    const answer = await open(preferences, form as Record<string, string>)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([code, 'text/html; charset=utf-8'])
    expect(await status()).toBe('active')
  })
})
