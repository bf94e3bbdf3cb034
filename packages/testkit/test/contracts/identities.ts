import type { DomainIdentities, DomainIdentityReference } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'

/** A label of a host name (RFC 1035 section 2.3.1). */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const hostName = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/

const shop: DomainIdentityReference = { domain: 'shop.example', region: 'eu-west-1', projectId: 'a'.repeat(24) }
const sister: DomainIdentityReference = { ...shop, projectId: 'b'.repeat(24) }

/** Every method of `DomainIdentities`, for a provider without domains at first. */
export const identitiesContract = (name: string, make: () => DomainIdentities | Promise<DomainIdentities>) => {
  describe(`${name}: identities`, () => {
    let identities: DomainIdentities
    beforeEach(async () => {
      identities = await make()
    })
    const selectors = async (of: DomainIdentityReference) =>
      (await identities.create(of)).dkim.map(({ selector }) => selector)

    it('have three DKIM records, a bounce host, an SPF record and a tenant with valid names', async () => {
      const { dkim, bounceHost, spf, tenant } = await identities.create(shop)
      expect(dkim).toHaveLength(3)
      for (const { selector, target } of dkim)
        expect([selector, target]).toEqual([expect.stringMatching(label), expect.stringMatching(hostName)])
      expect(new Set(dkim.flatMap(({ selector, target }) => [selector, target])).size).toBe(6)
      expect(bounceHost).toMatch(hostName)
      expect(spf).toMatch(/^v=spf1 [!-~ ]+$/)
      for (const text of Object.values(tenant)) expect(text).toMatch(/^[\w-]{1,64}$/)
    })

    it('are the same when created again, also after another project removed its own', async () => {
      const first = await identities.create(shop)
      expect(await identities.create(shop)).toEqual(first)
      await identities.create(sister)
      await identities.remove({ ...sister, shared: true })
      expect(await identities.create(shop)).toEqual(first)
    })

    it('share records between projects or not, as `perProject` says', async () => {
      const [mine, hers] = [await selectors(shop), await selectors(sister)]
      expect(mine.filter((one) => hers.includes(one))).toEqual(identities.perProject ? [] : mine)
      expect((await identities.create(sister)).tenant).not.toEqual((await identities.create(shop)).tenant)
    })

    it('can be removed twice, or without having existed', async () => {
      await identities.create(shop)
      for (let times = 0; times < 2; times += 1) await identities.remove({ ...shop, shared: false })
      await identities.remove({ ...sister, shared: false })
      expect((await identities.create(shop)).dkim).toHaveLength(3)
    })

    it('have different records for each domain and region', async () => {
      const places = fc.uniqueArray(
        fc.record({ domain: fc.domain(), region: fc.constantFrom('eu-west-1', 'us-east-1', 'eu-north-1') }),
        { minLength: 2, maxLength: 5, selector: ({ domain, region }) => `${domain} ${region}` },
      )
      await fc.assert(
        fc.asyncProperty(places, async (asked) => {
          const all = await Promise.all(asked.map((place) => selectors({ ...shop, ...place })))
          expect(new Set(all.flat()).size).toBe(3 * asked.length)
        }),
        { numRuns: 20 },
      )
    })
  })
}
