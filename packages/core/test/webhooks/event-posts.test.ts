import { fakeSecrets } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { signedPost } from '../../src/webhooks/event-posts.js'

const secrets = fakeSecrets()
const url = 'https://shop.example.com/'
const body = '{"test": 2432232314}'

it('a post has the key, and the signature that Standard Webhooks libraries expect', () => {
  const secret = { kind: 'api-key', text: 'ph_a key of the project', apiKeyId: 'k' } as const
  expect(signedPost(url, { id: 'msg_1', at: new Date(1_614_265_330_999), body }, secret, secrets)).toEqual({
    url,
    body,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer ph_a key of the project',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1614265330',
      // openssl dgst -sha256 -hmac, over `id.timestamp.body`
      'webhook-signature': 'v1,SrxGFSV2TRdK92cFCBzm9on0yCoRXuEHPjse+V2bVgg=',
    },
  })
})

it('a post with the webhook’s own secret is signed like the specification’s example, without sending the secret', () => {
  const text = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const bytes = new Uint8Array(Buffer.from(text.slice('whsec_'.length), 'base64'))
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body }
  const { headers } = signedPost(url, signed, { kind: 'own', text, bytes }, secrets)
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  expect(headers).not.toHaveProperty('authorization')
})
