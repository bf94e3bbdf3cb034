import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkSignature, headersOf } from '../src/developers/signature.js'

const now = new Date('2026-03-01T12:00:00Z')
const at = String(now.getTime() / 1000 - 60)
const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`
const body = '{"type":"bounce","reason":"Größe"}'

const signed = (text: string, key: string | Buffer = Buffer.from(secret.slice(6), 'base64')) => {
  const signature = createHmac('sha256', key).update(`evt_1.${at}.${text}`).digest('base64')
  return `Host: shop.example\nWebhook-Id: evt_1\nwebhook-timestamp: ${at}\nwebhook-signature: v1,${signature}`
}
const verdict = (post: { readonly body?: string; readonly headers?: string; readonly secret?: string }) =>
  checkSignature({ body, headers: signed(body), secret, ...post }, now)

describe('the signature check', () => {
  it('accepts what was signed with the secret, and states its age', async () => {
    expect(await verdict({})).toEqual({ kind: 'signed', age: 60 })
    expect(await verdict({ secret: ` ${secret}\n` })).toEqual({ kind: 'signed', age: 60 })
    expect(await verdict({ headers: signed(body, 'ph_a-key'), secret: 'ph_a-key' })).toMatchObject({ kind: 'signed' })
  })

  it.for([
    ['another body', { body: '{"type":"open"}' }, 'other-secret'],
    ['another secret', { secret: `whsec_${'A'.repeat(40)}` }, 'other-secret'],
    ['a body that was formatted', { body: JSON.stringify(JSON.parse(body), undefined, 2) }, 'body-changed'],
    ['a body with a line added', { body: `${body}\n` }, 'body-changed'],
    ['a body that was cut', { body: body.slice(0, -3) }, 'no-json'],
    ['a body that is no object', { body: '5' }, 'no-json'],
    ['a secret that is no base64', { secret: 'whsec_!' }, 'no-secret'],
    ['an empty secret', { secret: ' ' }, 'no-secret'],
    ['a time that is none', { headers: signed(body).replace(at, 'yesterday') }, 'no-time'],
    ['no signature in the header', { headers: signed(body).replace('v1,', 'v0,') }, 'other-secret'],
  ] as const)('names %s', async ([, post, kind]) => {
    expect(await verdict(post)).toMatchObject({ kind })
  })

  it('names the headers that are missing', async () => {
    expect(await verdict({ headers: 'webhook-id: evt_1\nno header' })).toEqual({
      kind: 'no-header',
      missing: ['webhook-timestamp', 'webhook-signature'],
    })
  })

  it('reads headers in any case, also from JSON', () => {
    const text = '{\n  "Webhook-Id": "evt_1",\r\n  webhook-timestamp : 12\n'
    expect(headersOf(text)).toEqual({ 'webhook-id': 'evt_1', 'webhook-timestamp': '12' })
  })
})
