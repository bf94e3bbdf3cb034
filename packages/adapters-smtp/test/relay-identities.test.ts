import { describe, expect, it } from 'vitest'
import { relayIdentities } from '../src/index.js'

const identities = relayIdentities({ relayDomain: 'mail.example.com' })
const shop = { domain: 'shop.example', region: 'eu-west-1', projectId: 'p1' }

describe('a relay’s domains', () => {
  it('have DNS records below the operator’s domain', async () => {
    const { dkim, bounceHost, spf, tenant } = await identities.create(shop)
    expect(dkim).toHaveLength(3)
    for (const { selector, target } of dkim) expect(target).toBe(`${selector}.dkim.mail.example.com`)
    expect(bounceHost).toBe('feedback-smtp.eu-west-1.mail.example.com')
    expect(spf).toBe('v=spf1 include:mail.example.com ~all')
    expect(tenant).toEqual({ name: 'posthorn-p1', configurationSet: 'posthorn-p1' })
  })

  it('are confirmed by their records alone, and removed without an effect', async () => {
    expect(await identities.verified(shop)).toBe(true)
    expect(await identities.remove({ ...shop, shared: false })).toBeUndefined()
  })
})
