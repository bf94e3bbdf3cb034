import { addressFingerprint, signedToken, type TokenPayload } from '@posthorn/core/ports/transport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'

let world: World
let strict = ''
const logoUrl = 'https://cdn.example.com/a;b,c/logo.png?x=1'

beforeAll(async () => {
  world = await aWorld()
  const { call } = world
  await call('updateProject', { body: { name: 'Shop & <Sons>', logoUrl } })
  await call('createCustomField', { body: { name: 'language', type: 'string' } })
  const email = { name: 'C', subject: 'C', type: 'text', document: '{{verifyLink}}' }
  const emailId = (await call('createTransactionalEmail', { body: email })).result._id
  const doubleOptIn = { active: true, emailId, confirmationTitle: '', confirmationMessage: '' }
  strict = (await call('createSubscriberList', { body: { name: 'Strict', doubleOptIn } })).result._id
})
afterAll(() => world.client.close())

const token = (payload: TokenPayload) => signedToken(world.ports.secrets, payload)
const soon = () => world.clock.now().getTime() / 1000 + 60

let people = 0
/** The links of somebody new on both lists. */
const aReader = async (fields: object = {}) => {
  people += 1
  const email = `reader${people}@example.com`
  const l = world.project.list._id
  await world.call('createContact', { body: { email, ...fields } })
  for (const id of [l, strict]) await world.call('subscribe', { params: { id }, body: { email } })
  const c = String((await world.core.contacts.get(world.project.scope, email))._id)
  const a = addressFingerprint(world.ports.secrets, { _id: c, emailKey: email })
  return {
    email,
    preferences: `/preferences?token=${token({ purpose: 'preferences', c, a })}`,
    unsubscribe: `/v1/subscriber-lists/${l}/${email}/unsubscribe?token=${token({ purpose: 'unsubscribe', l, c })}`,
    verify: `/v1/verify?token=${token({ purpose: 'verify', c, a, l: [strict], x: soon() })}`,
    expired: `/v1/verify?token=${token({ purpose: 'verify', c, a, l: [strict], x: 1 })}`,
  }
}

const open = async (path: string, { form, accept }: { form?: Record<string, string>; accept?: string } = {}) => {
  const response = await fetch(`${world.client.base}${path}`, {
    redirect: 'manual',
    headers: { ...(accept !== undefined && { 'accept-language': accept }) },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })
  const text = await response.text()
  const policy = response.headers.get('content-security-policy') ?? ''
  return { status: response.status, policy, text, lang: /<html lang="(\w+)">/.exec(text)?.[1] }
}
const titleOf = (text: string) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]

describe('a page behind a link in a mail', () => {
  it('shows the project’s name and logo, and allows no other image', async () => {
    const { preferences, unsubscribe, verify, expired } = await aReader()
    const after = [await open(unsubscribe, { form: { page: '1' } }), await open(verify, { form: {} })]
    const pages = [
      ...(await Promise.all([preferences, unsubscribe, verify, expired].map((path) => open(path)))),
      ...after,
    ]
    for (const { text, policy } of pages) {
      expect(text).toContain('<span>Shop &amp; &lt;Sons&gt;</span>')
      expect(text).toContain(`<img src="${logoUrl}" alt="" referrerpolicy="no-referrer">`)
      expect(policy).toContain('; img-src https://cdn.example.com/a%3Bb%2Cc/logo.png; ')
    }
  })

  it('shows them for a removed contact, too, as far as the link identifies the project', async () => {
    const { email, unsubscribe } = await aReader()
    await world.call('deleteContact', { params: { email } })
    const { status, text } = await open(unsubscribe)
    expect([status, titleOf(text)]).toEqual([404, 'This did not work'])
    expect(text).toContain('Shop &amp;')
    expect(text).toContain('no longer there')
  })

  it('shows neither if the link is invalid, and allows no images', async () => {
    const { text, policy } = await open('/preferences?token=x')
    expect(text).not.toContain('Shop')
    expect(text).toContain('The link is invalid or has expired.')
    expect(policy).not.toContain('img-src')
  })

  it('has a default text after a confirmation', async () => {
    const { verify } = await aReader()
    const { text } = await open(verify, { form: {} })
    expect(titleOf(text)).toBe('Your subscription is confirmed')
    expect(text).toContain('<p>Thank you. You can close this page.</p>')
  })
})

describe('the language of a page', () => {
  it('is the contact’s, else the browser’s, else the project’s, else English', async () => {
    const known = await aReader({ language: 'de-AT' })
    const unknown = await aReader({ language: 'tlh' })
    expect((await open(known.preferences, { accept: 'fr' })).lang).toBe('de')
    expect((await open(unknown.preferences, { accept: 'ja, fr;q=0.8, en;q=0.5' })).lang).toBe('fr')
    expect((await open(unknown.preferences, { accept: 'ja' })).lang).toBe('en')
    await world.call('updateProject', { body: { language: 'pl' } })
    expect((await open(unknown.preferences, { accept: 'ja' })).lang).toBe('pl')
    expect((await open(unknown.preferences, { accept: '*' })).lang).toBe('pl')
    expect((await open(unknown.preferences, { accept: 'en-US' })).lang).toBe('en')
    expect((await world.call('updateProject', { body: { language: 'en' } })).result.language).toBe('en')
    expect((await world.call('updateProject', { body: { language: 'tlh' } })).status).toBe(400)
  })

  it.each([
    ['de', 'Ihre Abonnements', 'Von Readers abmelden?', 'Bestätigen Sie Ihre Anmeldung', 'Das hat nicht geklappt'],
    ['es', 'Sus suscripciones', '¿Darse de baja de Readers?', 'Confirme su suscripción', 'No ha funcionado'],
  ])('applies to every page, error pages included: %s', async (accept, ...titles) => {
    const { preferences, unsubscribe, verify } = await aReader()
    const paths = [preferences, unsubscribe, verify, '/v1/verify?token=x']
    const pages = await Promise.all(paths.map((path) => open(path, { accept })))
    expect(pages.map(({ text }) => titleOf(text))).toEqual(titles)
    expect(pages.map(({ lang }) => lang)).toEqual([accept, accept, accept, accept])
    const wrong = await open(preferences, { accept, form: { action: 'pause', pausedUntil: '2001-01-01' } })
    expect([wrong.status, titleOf(wrong.text)]).toEqual([400, titles[3]])
    expect(wrong.text).not.toContain('pausedUntil date')
  })

  it('also formats its dates', async () => {
    const { preferences } = await aReader({ language: 'de' })
    await open(preferences, { form: { action: 'pause', pausedUntil: '2099-01-31' } })
    expect((await open(preferences)).text).toContain(
      'Pausiert bis <time datetime="2099-01-31T00:00:00.000Z">31. Januar 2099</time>',
    )
  })
})

describe('a link of a test mail', () => {
  it('opens a page that says so in the project’s name, however it is requested', async () => {
    const document = '{{unsubscribeLink}} {{pauseSubscriptionLink}}'
    const body = { name: 'T', subject: 'T', type: 'text', document, subscriberListId: world.project.list._id }
    const { _id } = (await world.call('createTriggeredEmail', { body })).result
    const { text } = (await world.call('renderPreview', { params: { id: _id }, body: {} })).result
    const links = text.split(' ').map((link) => link.replace('https://posthorn.example.com', ''))
    const [unsubscribe, pause] = await Promise.all(links.map((link) => open(link)))
    for (const page of [unsubscribe, pause]) {
      expect([page?.status, titleOf(page?.text ?? '')]).toEqual([200, 'This is a test'])
      expect(page?.text).toContain('Shop &amp;')
      expect(page?.text).not.toContain('<form')
    }
    expect([unsubscribe?.text.includes('unsubscribe'), pause?.text.includes('pause')]).toEqual([true, true])
    expect((await open('/test-link?token=x')).status).toBe(403)
    const { preferences } = await aReader()
    expect((await open(preferences.replace('/preferences', '/test-link'))).status).toBe(403)
    expect((await open(`/preferences?${links[0]?.split('?')[1]}`)).status).toBe(403)
  })
})
