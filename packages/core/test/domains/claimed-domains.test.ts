import { allowAnySenderDomain, createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject, scriptedDomainIdentities } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'

/** Two accounts on a server whose relay takes every sender. */
const start = async () => {
  const { ports, dns } = inMemoryPorts({
    domainVerified: allowAnySenderDomain,
    identities: scriptedDomainIdentities({ perProject: true }),
  })
  const core = createCore(ports)
  const owner = await sampleProject(core, { name: 'Owner' })
  const stranger = await sampleProject(core, { name: 'Stranger' })
  const add = (scope: Scope, domain: string, where = region) => core.domains.create(scope, { domain, region: where })
  const verified = async (scope: Scope, domain: string) => {
    const added = await add(scope, domain)
    dns.publish(added.requiredDns)
    return core.domains.check(scope, added._id)
  }
  const send = async (scope: Scope, email: string) =>
    (await core.senderIdentities.create(scope, { email, region })).email
  return { core, owner, stranger, add, verified, send }
}

const refused = { kind: 'invalid', message: expect.stringContaining('another account has added the domain') }

describe('a sender for a relay that accepts every domain', () => {
  it('may use a domain that no account has added', async () => {
    const { stranger, send } = await start()
    expect(await send(stranger.scope, 'me@shop.example')).toBe('me@shop.example')
  })

  it.each(['ceo@shop.example', 'CEO@Shop.Example', 'ceo@mail.shop.example', 'ceo@a.b.shop.example'])(
    'is refused if another account has verified the domain: %s',
    async (email) => {
      const { owner, stranger, verified, send } = await start()
      await verified(owner.scope, 'shop.example')
      await expect(send(stranger.scope, email)).rejects.toMatchObject(refused)
      expect(await send(owner.scope, email)).toBe(email)
    },
  )

  it('is refused if another account has added the domain in any region, until DNS names the owner', async () => {
    const { owner, stranger, add, verified, send } = await start()
    await add(owner.scope, 'shop.example', 'us-east-1')
    await expect(send(stranger.scope, 'ceo@shop.example')).rejects.toMatchObject(refused)
    await add(stranger.scope, 'shop.example')
    for (const { scope } of [owner, stranger])
      await expect(send(scope, 'ceo@shop.example')).rejects.toMatchObject(refused)
    await verified(owner.scope, 'shop.example')
    expect(await send(owner.scope, 'ceo@shop.example')).toBe('ceo@shop.example')
    await expect(send(stranger.scope, 'ceo@shop.example')).rejects.toMatchObject(refused)
  })

  it('may use a sub-domain of one that another account has added without verifying it', async () => {
    const { owner, stranger, add, send } = await start()
    await add(stranger.scope, 'co.example')
    expect(await send(owner.scope, 'me@shop.co.example')).toBe('me@shop.co.example')
  })

  it('may use a domain of another project of its account', async () => {
    const { core, owner, add, send } = await start()
    const { _id: projectId } = await core.projects.create({ accountId: owner.account._id, name: 'Sister' })
    await add(owner.scope, 'shop.example')
    expect(await send({ projectId, caller: 'api-key' }, 'me@shop.example')).toBe('me@shop.example')
  })

  it('may use any domain that the operator adds', async () => {
    const { owner, stranger, verified, send } = await start()
    await verified(owner.scope, 'shop.example')
    expect(await send({ ...stranger.scope, caller: 'operator' }, 'me@shop.example')).toBe('me@shop.example')
  })
})
