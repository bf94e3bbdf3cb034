import { describe, expect, it } from 'vitest'
import { relayIdentities } from '../src/index.js'

const identities = relayIdentities({ relayDomain: 'mail.example.com' })
const shop = { domain: 'shop.example', region: 'eu-west-1', projectId: 'p1' }

describe('the domains of a relay', () => {
  it('have records that lead below the operator’s name', async () => {
    const { dkim, bounceHost, spf, tenant } = await identities.create(shop)
    expect(dkim).toHaveLength(3)
    for (const { selector, target } of dkim) expect(target).toBe(`${selector}.dkim.mail.example.com`)
    expect(bounceHost).toBe('feedback-smtp.eu-west-1.mail.example.com')
    expect(spf).toBe('v=spf1 include:mail.example.com ~all')
    expect(tenant).toEqual({ name: 'posthorn-p1', configurationSet: 'posthorn-p1' })
  })

  it('have selectors that fit a label of DNS, stay the same, and are a project’s own', async () => {
    const selectors = async (changes: Partial<typeof shop> = {}) =>
      (await identities.create({ ...shop, ...changes })).dkim.map(({ selector }) => selector)
    const mine = await selectors()
    expect(await selectors()).toEqual(mine)
    const others = [{ projectId: 'p2' }, { region: 'us-east-1' }, { domain: 'other.example' }]
    const all = [mine, ...(await Promise.all(others.map(selectors)))].flat()
    expect(new Set(all).size).toBe(all.length)
    for (const selector of all) expect(selector).toMatch(/^[0-9a-f]{1,63}$/)
  })

  it('are confirmed by their records alone, and are forgotten in silence', async () => {
    expect(await identities.verified(shop)).toBe(true)
    expect(await identities.remove({ ...shop, shared: false })).toBeUndefined()
  })
})
