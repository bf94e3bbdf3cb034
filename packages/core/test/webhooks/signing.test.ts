import { fakeSecrets } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { signedPost } from '../../src/webhooks/signing.js'

it('a post carries the key, and the signature that Standard Webhooks libraries expect', () => {
  const secrets = fakeSecrets()
  const webhook = { url: 'https://shop.example.com/', secretKey: secrets.seal('ph_a key of the project') }
  const body = '{"test": 2432232314}'
  expect(signedPost(webhook, { id: 'msg_1', at: new Date(1_614_265_330_999), body }, secrets)).toEqual({
    url: webhook.url,
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
