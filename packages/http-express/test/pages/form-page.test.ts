import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anOwner, type ConsoleBrowser } from '../console/browser.js'
import { aWorld, type World } from '../world.js'

const evil = '</style><script>alert(1)</script>"\'&'

describe('the page of a form', () => {
  let world: World
  let owner: ConsoleBrowser
  let form = ''
  const own = () => new URL(world.ports.settings.publicUrl).origin
  const create = async (body: Record<string, unknown>) =>
    (
      await world.call('createSignupForm', {
        body: { name: 'News', subscriberListIds: [world.project.list._id], captchaType: 'none', ...body },
      })
    ).result._id
  const open = async (id: string, more = '', headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.client.base}/forms/${id}${more}`, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const submit = async (id: string, origin: string | undefined, email = 'ada@example.com') => {
    const response = await fetch(`${world.client.base}/v1/signup-forms/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(origin !== undefined && { origin }) },
      body: JSON.stringify({ email }),
    })
    return response.status
  }
  const status = async (email: string) =>
    (await world.call('getSubscriber', { params: { id: world.project.list._id, email } })).result?.status

  beforeAll(async () => {
    world = await aWorld()
    owner = await anOwner(world)
    form = await create({})
  })
  afterAll(() => world.client.close())

  it('runs only the script of forms, and shows only embedded images', async () => {
    const { headers, text } = await open(form)
    const policy = headers.get('content-security-policy') ?? ''
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(text) ?? []
    const digest = createHash('sha256').update(script).digest('base64')
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        'img-src data:',
        `script-src 'sha256-${digest}'`,
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(policy).not.toContain('unsafe')
  })

  it('permits the provider of a captcha and nobody else', async () => {
    const id = await create({ captchaType: 'challenge', challengeSiteKey: 'key', challengeSecretKey: 'secret' })
    const policy = (await open(id)).headers.get('content-security-policy') ?? ''
    const provider = new URL(world.ports.settings.challengeScriptUrl).origin
    expect(policy).toMatch(new RegExp(`script-src 'sha256-[^']+' ${provider};`))
    expect(policy).toContain(`frame-src ${provider};`)
  })

  it('escapes what the project wrote', async () => {
    const id = await create({ name: evil, btnLabel: evil, successMessage: evil, emailPlaceholder: evil })
    const { text } = await open(id)
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('</style><script>')
  })

  it('fills in the address that a form on another site brings, and changes nothing', async () => {
    const body = new URLSearchParams({ email: 'grace"><script>@example.com' })
    const response = await fetch(`${world.client.base}/forms/${form}`, { method: 'POST', body })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('value="grace&quot;&gt;&lt;script&gt;@example.com"')
    const twice = new URLSearchParams([
      ['email', 'a'],
      ['email', 'b'],
    ])
    expect((await fetch(`${world.client.base}/forms/${form}`, { method: 'POST', body: twice })).status).toBe(200)
  })

  it('speaks the language of the address, then of the browser, then of the project', async () => {
    expect((await open(form)).text).toContain('lang="en"')
    expect((await open(form, '', { 'accept-language': 'pl' })).text).toContain('<html lang="pl">')
    await world.call('updateProject', { body: { language: 'de' } })
    expect((await open(form, '', { 'accept-language': 'fi' })).text).toContain('<html lang="de">')
    const chosen = await open(form, '?language=fr', { 'accept-language': 'pl' })
    expect(chosen.text).toContain('<html lang="fr">')
    expect(chosen.text).toContain('"isFixed":true')
    expect((await open(form, '?language[a]=fr&language=%00', { 'accept-language': 'pl' })).text).toContain('lang="pl"')
    await world.call('updateProject', { body: { language: 'en' } })
  })

  it('subscribes from this server without an entry in the whitelist, and from no other site', async () => {
    expect(await submit(form, own())).toBe(201)
    expect(await status('ada@example.com')).toBe('active')
    for (const origin of ['https://evil.example', `${own()}.evil.example`, 'null', undefined])
      expect(await submit(form, origin, 'mallory@example.com')).toBe(403)
  })

  it('is gone while no page may subscribe in the project, and for a form that is unknown', async () => {
    await world.call('updateProject', { body: { browserAccess: 'none' } })
    expect((await open(form)).status).toBe(404)
    expect(await submit(form, own())).toBe(403)
    await world.call('updateProject', { body: { browserAccess: 'full' } })
    expect((await open(form)).status).toBe(200)
    expect((await open('000000000000000000000000')).status).toBe(404)
    expect((await open('%00')).status).toBe(404)
  })

  describe('in the console', () => {
    const at = (path: string) => `/projectId/${world.project.project._id}/signup-forms/${path}`

    it('is counted by what the subscriptions are now', async () => {
      const id = await create({ name: 'Counted' })
      for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) await submit(id, own(), email)
      await world.call('updateSubscriber', {
        params: { id: world.project.list._id, email: 'c@example.com' },
        body: { status: 'unsubscribed' },
      })
      expect((await owner.call('GET', at(`${id}/figures`))).result).toEqual({
        active: 2,
        unverified: 0,
        paused: 0,
        unsubscribed: 1,
      })
    })

    it.each(['form', 'done', 'question', 'confirmed'])('is previewed without script: %s', async (part) => {
      const id = await create({ name: evil, captchaType: 'svg', doubleOptIn: { confirmationTitle: evil } })
      const { result } = await owner.call<{ html: string }>('GET', at(`${id}/preview?part=${part}&language=de`))
      expect(result.html).toContain('<html lang="de">')
      expect(result.html).not.toContain('alert(1)</script>')
      expect(result.html.match(/<script/g) ?? []).toHaveLength(part === 'form' ? 1 : 0)
    })
  })
})
