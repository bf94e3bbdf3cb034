import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  brevoEvents,
  brevoReferenceHeaderFor,
  mailgunEvents,
  mailgunReferenceHeaderFor,
  type ProviderRequestHeaders,
  postmarkEvents,
  postmarkReferenceHeaderFor,
  sendgridEvents,
  sendgridPublicKey,
  sendgridReferenceHeaderFor,
} from '../../src/index.js'
import { aSentCampaign, failing } from '../world.js'

const now = Date.parse('2026-01-12T09:31:01Z')
const secret = 'a secret of the webhook'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicText = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const basic = (password: string) => `Basic ${Buffer.from(`posthorn:${password}`).toString('base64')}`

type Post = { readonly body: Buffer; readonly headers: ProviderRequestHeaders }
type Signing = { readonly seconds?: number; readonly token?: string; readonly by?: string }

const seconds = Math.floor(now / 1000)
let tokens = 0
const nextToken = () => {
  tokens += 1
  return `token-${tokens}`
}

/** How each provider posts a body: signed, or with its credential. */
const posts = {
  postmark: (text: string, { by = secret } = {} as Signing): Post => ({
    body: Buffer.from(text),
    headers: { authorization: basic(by) },
  }),
  brevo: (text: string, { by = secret } = {} as Signing): Post => ({
    body: Buffer.from(text),
    headers: { authorization: `Bearer ${by}` },
  }),
  mailgun: (text: string, { seconds: at = seconds, token = nextToken(), by = secret } = {} as Signing): Post => {
    const signature = createHmac('sha256', by).update(`${at}${token}`).digest('hex')
    const filled = text
      .replace('{{timestamp}}', String(at))
      .replace('{{token}}', token)
      .replace('{{signature}}', signature)
    return { body: Buffer.from(filled), headers: {} }
  },
  sendgrid: (text: string, { seconds: at = seconds, by } = {} as Signing): Post => {
    const body = Buffer.from(text)
    const key = by === undefined ? privateKey : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const signature = createSign('sha256').update(String(at)).update(body).sign(key, 'base64')
    return {
      body,
      headers: {
        'x-twilio-email-event-webhook-signature': signature,
        'x-twilio-email-event-webhook-timestamp': String(at),
      },
    }
  },
}
type Name = keyof typeof posts
const names = Object.keys(posts) as readonly Name[]
const posted = (name: Name, text: string, signing?: Signing) => posts[name](text, signing)

const started = async (isDown: () => boolean = () => false) => {
  const world = await aSentCampaign(1)
  const seen = new Set<string>()
  const options = { returnedMail: failing(world.core.returnedMail, isDown), log: world.ports.log, now: () => now }
  const webhooks = [
    postmarkEvents({ ...options, secret }),
    brevoEvents({ ...options, secret }),
    mailgunEvents({
      ...options,
      signingKey: secret,
      isNew: async (token) => !seen.has(token) && seen.add(token).size > 0,
      forget: async (token) => void seen.delete(token),
    }),
    sendgridEvents({ ...options, publicKey: sendgridPublicKey(publicText) }),
  ]
  const take = async (name: Name, { body, headers }: Post) => {
    const webhook = webhooks.find(({ path }) => path === `/v1/${name}/events`)
    webhook?.admit?.(headers)
    await webhook?.receive(body, headers)
  }
  const reference = world.sent[0]?.reference ?? ''
  return { ...world, take, reference, webhooks }
}

const fixture = (name: string, file: string) => readFileSync(join(import.meta.dirname, name, file), 'utf8')
const fixtures = names.flatMap((name) =>
  readdirSync(join(import.meta.dirname, name)).map((file) => [name, file.replace('.json', '')] as const),
)
const bounceOf: Readonly<Record<Name, string>> = {
  postmark: 'bounce-hard.json',
  brevo: 'bounce-hard.json',
  mailgun: 'bounce-permanent.json',
  sendgrid: 'bounce-invalid-address.json',
}
const bounce = (name: Name, reference: string) => fixture(name, bounceOf[name]).replaceAll('{{reference}}', reference)

describe('a provider’s webhook', () => {
  it.each(fixtures)('%s: %s counts once if posted twice', async (name, file) => {
    const { take, reference, suppressed, totals } = await started()
    const text = fixture(name, `${file}.json`).replaceAll('{{reference}}', reference)
    for (let told = 0; told < 2; told += 1) await take(name, posted(name, text))
    const [is] = file.split('-')
    expect((await suppressed()).map((one) => one.split(': ')[1])).toEqual(is === 'nothing' ? [] : [is])
    expect(await totals()).toMatchObject({ bounce: is === 'bounce' ? 1 : 0, complaint: is === 'complaint' ? 1 : 0 })
  })

  it.each(names)('%s: ignores mails of other senders', async (name) => {
    const { take, suppressed } = await started()
    for (const reference of [`b-${'a'.repeat(58)}`, '', 'x'.repeat(1_000)])
      await take(name, posted(name, bounce(name, reference)))
    expect(await suppressed()).toEqual([])
  })

  it.each(names)('%s: refuses a forged signature or secret', async (name) => {
    const { take, reference, suppressed } = await started()
    const forged = posted(name, bounce(name, reference), { by: 'somebody else' })
    await expect(take(name, forged)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await suppressed()).toEqual([])
  })

  it.each(names)('%s: refuses a missing signature or secret, and invalid bodies', async (name) => {
    const { take, reference } = await started()
    const isRefused = (text: string, headers?: ProviderRequestHeaders) => {
      const post = posted(name, text)
      return expect(take(name, headers ? { ...post, headers } : post)).rejects.toMatchObject({
        kind: expect.stringMatching(/^(?:forbidden|invalid)$/),
      })
    }
    if (name !== 'mailgun') await isRefused(bounce(name, reference), {})
    for (const text of ['', '{', 'null', '[1]', '"x"', '{"signature":{}}']) await isRefused(text)
  })

  it.each(names)('%s: is retried if it could not be stored', async (name) => {
    let down = true
    const { take, reference, suppressed } = await started(() => down)
    const post = posted(name, bounce(name, reference))
    await expect(take(name, post)).rejects.toThrow('The store is away')
    down = false
    await take(name, post)
    expect(await suppressed()).toHaveLength(1)
  })
})

describe('Mailgun’s signature', () => {
  it('is valid once', async () => {
    const { take, reference } = await started()
    const post = posts.mailgun(bounce('mailgun', reference), { token: 'once' })
    await take('mailgun', post)
    await expect(take('mailgun', post)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it.each([-10 * 3600, 600])('is refused %s seconds from now', async (off) => {
    const { take, reference } = await started()
    const post = posts.mailgun(bounce('mailgun', reference), { seconds: seconds + off })
    await expect(take('mailgun', post)).rejects.toMatchObject({ kind: 'forbidden' })
  })
})

describe('SendGrid’s signature', () => {
  it('covers body and time', async () => {
    const { take, reference } = await started()
    const { body, headers } = posts.sendgrid(bounce('sendgrid', reference))
    const changed = Buffer.from(body.toString().replace('bounce', 'bounce '))
    await expect(take('sendgrid', { body: changed, headers })).rejects.toMatchObject({ kind: 'forbidden' })
    const later = { ...headers, 'x-twilio-email-event-webhook-timestamp': String(seconds + 1) }
    await expect(take('sendgrid', { body, headers: later })).rejects.toMatchObject({ kind: 'forbidden' })
    const garbled = { ...headers, 'x-twilio-email-event-webhook-signature': 'AAAA' }
    await expect(take('sendgrid', { body, headers: garbled })).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it.each([-26 * 3600, 600])('is refused %s seconds from now, before the body is read', async (off) => {
    const { webhooks } = await started()
    const { headers } = posts.sendgrid('[]', { seconds: seconds + off })
    const webhook = webhooks.find(({ path }) => path.includes('sendgrid'))
    expect(() => webhook?.admit?.(headers)).toThrow('too old')
  })

  it('requires a key on the curve P-256', () => {
    const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    expect(() => sendgridPublicKey(other.export({ format: 'der', type: 'spki' }).toString('base64'))).toThrow('P-256')
    expect(() => sendgridPublicKey('no key')).toThrow(Error)
  })
})

it('secrets are accepted as a bearer token or password only', async () => {
  const { webhooks } = await started()
  const webhook = webhooks.find(({ path }) => path.includes('postmark'))
  for (const authorization of [basic(secret), `Bearer ${secret}`, `bearer ${secret}`])
    expect(() => webhook?.admit?.({ authorization })).not.toThrow()
  for (const authorization of [
    '',
    secret,
    `Digest ${secret}`,
    'Basic',
    'Basic =',
    `Basic ${Buffer.from(secret).toString('base64')}`,
    `Bearer ${secret}x`,
  ])
    expect(() => webhook?.admit?.({ authorization })).toThrow('not from the provider')
})

it('each provider’s reference header is one line', () => {
  const reference = `b-${'a'.repeat(58)}`
  expect(postmarkReferenceHeaderFor(reference)).toBe(`X-PM-Metadata-posthorn: ${reference}`)
  expect(mailgunReferenceHeaderFor(reference)).toBe(`X-Mailgun-Variables: {"posthorn": "${reference}"}`)
  expect(sendgridReferenceHeaderFor(reference)).toBe(`X-SMTPAPI: {"unique_args": {"posthorn": "${reference}"}}`)
  expect(brevoReferenceHeaderFor(reference)).toBe(`X-Mailin-custom: ${reference}`)
})
