import { webcrypto } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/index.js'

const secret = `whsec_${Buffer.from('a secret of 32 bytes, and no more').toString('base64')}`
const other = `whsec_${Buffer.from('another secret of as many bytes..').toString('base64')}`
const apiKey = 'ph_an-api-key'
const ofText = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`

const bounce = { type: 'bounce', reason: '550 5.1.1 Unbekannt: Jürgen', emailData: { to: 'ada@example.com' } }
const body = JSON.stringify(bounce)
const now = new Date('2026-03-01T12:00:00Z')
const id = 'event-1'

/** Signed by the reference implementation of Standard Webhooks. */
const signed = (text: string, key = secret, at = now) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(key).sign(id, at, text),
})

describe('a post signed by another implementation of Standard Webhooks', () => {
  it('is taken, with its id and type', async () => {
    const event = await verifyWebhook(body, signed(body), secret, { now })
    expect(event).toEqual({ ...bounce, id })
    expect(event.type === 'bounce' && event.reason).toContain('Jürgen')
  })

  it('is taken as bytes, from Headers, and from Node’s headers in any case', async () => {
    const headers = signed(body)
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    expect(await verifyWebhook(Buffer.from(body), new Headers(headers), secret, { now })).toMatchObject({ id })
    expect(await verifyWebhook(body, upper, secret, { now })).toMatchObject({ id })
  })

  it('is taken if an API key signs: its text is the key', async () => {
    expect(await verifyWebhook(body, signed(body, ofText(apiKey)), apiKey, { now })).toMatchObject({ id })
  })

  it('is taken by one of several secrets, or one of several signatures', async () => {
    expect(await verifyWebhook(body, signed(body), [other, secret], { now })).toMatchObject({ id })
    const headers = signed(body)
    const both = `v2,unknown v1,${'A'.repeat(43)}= ${signed(body, other)['webhook-signature']} ${headers['webhook-signature']}`
    expect(await verifyWebhook(body, { ...headers, 'webhook-signature': both }, secret, { now })).toMatchObject({ id })
  })

  it('is a batch if the webhook posts batches', async () => {
    const batch = JSON.stringify({
      events: [
        { ...bounce, id: 'a' },
        { ...bounce, id: 'b' },
      ],
    })
    const event = await verifyWebhook(batch, signed(batch), secret, { now })
    expect(event).toMatchObject({ type: 'batch', id, events: [{ id: 'a' }, { id: 'b' }] })
  })
})

describe('a post is refused', () => {
  const refused = (headers: Record<string, string>, why: string, text = body) =>
    expect(verifyWebhook(text, headers, secret, { now })).rejects.toThrow(new WebhookVerificationError(why))

  it('with another secret, a changed body, id or time, or only a part of the signature', async () => {
    const why = 'No signature of the post fits the secret.'
    await refused(signed(body, other), why)
    await refused(signed(body), why, `${body} `)
    await refused({ ...signed(body), 'webhook-id': 'event-2' }, why)
    await refused({ ...signed(body), 'webhook-timestamp': String(now.getTime() / 1000 + 1) }, why)
    const { 'webhook-signature': signature } = signed(body)
    await refused({ ...signed(body), 'webhook-signature': signature.slice(0, 20) }, why)
    await refused({ ...signed(body), 'webhook-signature': 'v1,' }, why)
    await refused({ ...signed(body), 'webhook-signature': signature.replace('v1,', 'v2,') }, why)
  })

  it('without one of its headers', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await refused({ ...signed(body), [name]: '' }, `The header ${name} is missing.`)
  })

  it('if it is older, or newer, than five minutes, unless more is accepted', async () => {
    const at = (seconds: number) => signed(body, secret, new Date(now.getTime() + seconds * 1000))
    await refused(at(-301), 'The post is 301 s old; 300 s are accepted.')
    await refused(at(301), 'The post is 301 s in the future; 300 s are accepted.')
    expect(await verifyWebhook(body, at(-300), secret, { now })).toMatchObject({ id })
    expect(await verifyWebhook(body, at(-301), secret, { now, tolerance: 600 })).toMatchObject({ id })
    await refused({ ...signed(body), 'webhook-timestamp': 'NaN' }, 'The header webhook-timestamp is not a number.')
  })
})

it('a secret that is none is a mistake of the program', async () => {
  await expect(verifyWebhook(body, signed(body), 'whsec_?', { now })).rejects.toThrow(TypeError)
  await expect(verifyWebhook(body, signed(body), '', { now })).rejects.toThrow(TypeError)
})

it('the signature is compared by WebCrypto, in constant time', async () => {
  const verified: unknown[] = []
  const verify = webcrypto.subtle.verify.bind(webcrypto.subtle)
  webcrypto.subtle.verify = (...args) => {
    verified.push(args[0])
    return verify.apply(webcrypto.subtle, args)
  }
  try {
    await verifyWebhook(body, signed(body), secret, { now })
  } finally {
    webcrypto.subtle.verify = verify
  }
  expect(verified).toEqual(['HMAC'])
})
