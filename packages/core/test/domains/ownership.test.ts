import { createCore, type Scope } from '@posthorn/core'
import { without } from '@posthorn/core/ports/runtime'
import type { RequiredDns } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'
const domain = 'shop.example'
const ownershipName = `_posthorn.${domain}`

/** Two accounts on a provider that has a domain once, whoever adds it: its DKIM records are the same for both. */
const start = async () => {
  const world = inMemoryPorts()
  const core = createCore({ ...world.ports, domainVerified: undefined })
  const { scope: mine, account } = await sampleProject(core)
  const { scope: theirs } = await sampleProject(core, { name: 'Other' })
  const add = (at: Scope, name = domain) => core.domains.create(at, { domain: name, region })
  const check = async (at: Scope) => {
    const [found] = (await core.domains.list(at, { filter: { domain } })).items
    return core.domains.check(at, found?._id ?? '')
  }
  const shown = async (at: Scope) => (await core.domains.list(at, { filter: { domain } })).items[0]
  const isVerified = async (at: Scope) => (await shown(at))?.observed.dkim.allOk
  /** What the owner has been given, but for the ownership record. */
  const publishDkim = (required: RequiredDns) => world.dns.publish(without(required, 'ownership'))
  const name = (...records: readonly RequiredDns[]) =>
    world.dns.set(
      'TXT',
      ownershipName,
      records.flatMap(({ ownership }) => ownership?.value ?? []),
    )
  const sister = async (): Promise<Scope> => {
    const { _id } = await core.projects.create({ accountId: account._id, name: 'Sister' })
    return { projectId: _id, caller: 'api-key' }
  }
  const send = async (at: Scope) => {
    const { items } = await core.senderIdentities.list(at, { filter: { email: `no-reply@${domain}` } })
    const mail = await core.transactionalEmails.create(at, {
      ...{ name: 'T', subject: 'S', type: 'text', document: 'D', senderIdentity: items[0]?._id ?? '' },
    })
    return core.sends.transactional(at, { email: 'ada@example.com', transactionalId: mail._id })
  }
  return { ...world, core, mine, theirs, sister, add, check, shown, isVerified, publishDkim, name, send }
}

describe('a domain that only one account has added', () => {
  it('needs no ownership record', async () => {
    const { add, mine, dns, check, isVerified } = await start()
    const { requiredDns } = await add(mine)
    expect(requiredDns.ownership).toBeUndefined()
    dns.publish(requiredDns)
    expect((await check(mine)).warnings).toBeUndefined()
    expect(await isVerified(mine)).toBe(true)
    expect(dns.asked).not.toContain(`TXT ${ownershipName}`)
  })

  it('needs an ownership record if DKIM records of an earlier claimant are in DNS', async () => {
    const { core, add, mine, theirs, dns, check, isVerified } = await start()
    const { _id, requiredDns } = await add(mine)
    dns.publish(requiredDns)
    await core.domains.remove(mine, _id)
    const theirClaim = await add(theirs)
    expect(theirClaim.requiredDns.dkimCNAMEs).toEqual(requiredDns.dkimCNAMEs)
    expect((await check(theirs)).warnings?.[0]).toContain(`TXT record ${ownershipName}`)
    expect(await isVerified(theirs)).toBe(false)
    dns.publish(theirClaim.requiredDns)
    await check(theirs)
    expect(await isVerified(theirs)).toBe(true)
  })

  it('needs an ownership record if DNS does not respond', async () => {
    const { core, add, mine, dns } = await start()
    const { _id, requiredDns } = await add(mine)
    await core.domains.remove(mine, _id)
    for (const { name } of requiredDns.dkimCNAMEs) dns.set('CNAME', name, new Error('SERVFAIL'))
    expect((await add(mine)).requiredDns.ownership).toMatchObject({ type: 'TXT', name: ownershipName })
  })
})

describe('a domain that two accounts have added', () => {
  it('has one ownership record per account', async () => {
    const { add, mine, theirs, sister, shown } = await start()
    await add(mine)
    const { requiredDns } = await add(theirs)
    const hers = await add(await sister())
    const mineNow = await shown(mine)
    expect(requiredDns.ownership?.value).toMatch(/^posthorn-domain-verification=[\w-]{43}$/)
    expect(mineNow?.requiredDns.ownership).toEqual(hers.requiredDns.ownership)
    expect(mineNow?.requiredDns.ownership?.value).not.toBe(requiredDns.ownership?.value)
    expect(mineNow?.warnings?.[0]).toContain('another account has added it too')
  })

  it('belongs to the account that DNS names, even if another added it first', async () => {
    const { add, mine, theirs, dns, check, isVerified, core } = await start()
    await add(mine)
    const { requiredDns } = await add(theirs)
    dns.publish(requiredDns)
    await check(mine)
    await check(theirs)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([false, true])
    const senders = (await core.senderIdentities.list(theirs)).items.map(({ email }) => email)
    expect(senders).toContain(`no-reply@${domain}`)
  })

  it('is not verified by DKIM records alone', async () => {
    const { add, mine, theirs, publishDkim, check, isVerified } = await start()
    await add(mine)
    publishDkim((await add(theirs)).requiredDns)
    for (const one of [mine, theirs, mine]) await check(one)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([false, false])
  })

  it('stays with the verified account if another adds and checks it', async () => {
    const { core, add, mine, theirs, dns, check, isVerified, send, shown } = await start()
    dns.publish((await add(mine)).requiredDns)
    await check(mine)
    for (let times = 0; times < 2; times += 1) {
      const { _id } = await add(theirs)
      for (const one of [theirs, mine, theirs]) await check(one)
      expect([await isVerified(mine), await isVerified(theirs)]).toEqual([true, false])
      await expect(core.senderIdentities.create(theirs, { email: `ceo@${domain}`, region })).rejects.toMatchObject({
        kind: 'invalid',
      })
      await core.domains.remove(theirs, _id)
    }
    expect((await shown(mine))?.warnings).toBeUndefined()
    await send(mine)
  })

  it('is lost at once when DNS names another account, with the reason', async () => {
    const { add, mine, theirs, dns, check, isVerified, send, shown, lines, core } = await start()
    dns.publish((await add(mine)).requiredDns)
    await check(mine)
    await send(mine)
    dns.publish((await add(theirs)).requiredDns)
    await check(theirs)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([false, true])
    const [warning = ''] = (await shown(mine))?.warnings ?? []
    expect(warning).toMatch(/^DNS names another account as the owner of shop\.example in eu-west-1, since 2026-/)
    expect(warning).toContain((await shown(mine))?.requiredDns.ownership?.value)
    await expect(send(mine)).rejects.toThrow('DNS names another account as the owner of shop.example')
    await expect(core.senderIdentities.create(mine, { email: `a@${domain}`, region })).rejects.toMatchObject({
      kind: 'invalid',
    })
    expect(lines.map(({ message }) => message)).toContain('DNS names another account as the owner of a domain')
    expect(await check(mine)).toMatchObject({ warnings: [warning], observed: { ownership: { present: false } } })
  })

  it('is also lost by the account’s own check, and returns when DNS names it again', async () => {
    const { add, mine, theirs, dns, check, isVerified, send, name, shown } = await start()
    dns.publish((await add(mine)).requiredDns)
    await check(mine)
    const { requiredDns } = await add(theirs)
    name(requiredDns)
    expect((await check(mine)).warnings?.[0]).toContain('DNS names another account')
    const own = (await shown(mine))?.requiredDns
    if (own) name(own)
    expect((await check(mine)).warnings).toBeUndefined()
    await send(mine)
    await check(theirs)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([true, false])
  })

  it('belongs to both if DNS names both', async () => {
    const { add, mine, theirs, publishDkim, check, isVerified, name, shown } = await start()
    await add(mine)
    const { requiredDns } = await add(theirs)
    publishDkim(requiredDns)
    name(requiredDns, (await shown(mine))?.requiredDns ?? requiredDns)
    for (const one of [mine, theirs, mine]) await check(one)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([true, true])
  })

  it('is not verified for the first claimant by records that its owner left in DNS', async () => {
    const { core, add, mine, theirs, dns, check, isVerified } = await start()
    await add(mine)
    const owner = await add(theirs)
    dns.publish(owner.requiredDns)
    await core.domains.remove(theirs, owner._id)
    await check(mine)
    expect(await isVerified(mine)).toBe(false)
  })

  it('is not regained by another account’s DKIM records', async () => {
    const { add, mine, theirs, dns, check, isVerified, publishDkim } = await start()
    const { requiredDns } = await add(mine)
    dns.publish(requiredDns)
    await check(mine)
    for (const { name } of requiredDns.dkimCNAMEs) dns.set('CNAME', name, [])
    await check(mine)
    publishDkim((await add(theirs)).requiredDns)
    await check(mine)
    expect(await isVerified(mine)).toBe(false)
  })

  it('does not change while DNS does not respond', async () => {
    const { add, mine, theirs, dns, check, isVerified } = await start()
    dns.publish((await add(mine)).requiredDns)
    await check(mine)
    await add(theirs)
    dns.set('TXT', ownershipName, new Error('SERVFAIL'))
    for (const one of [mine, theirs]) await check(one)
    expect([await isVerified(mine), await isVerified(theirs)]).toEqual([true, false])
  })

  it('needs ownership records from both if added at once', async () => {
    const { add, mine, theirs, shown } = await start()
    await Promise.all([add(mine), add(theirs)])
    for (const one of [mine, theirs]) expect((await shown(one))?.requiredDns.ownership).toBeDefined()
  })

  it('stays at the provider for the other when one removes it', async () => {
    const { core, add, mine, theirs, identities } = await start()
    const { _id } = await add(mine)
    await add(theirs)
    await core.domains.remove(mine, _id)
    expect(identities.known()).toEqual([`${domain} in ${region}`])
  })

  it('can be removed from one by the operator, and exports its record', async () => {
    const { core, add, mine, theirs } = await start()
    await add(mine)
    const { _id } = await add(theirs)
    const { rows } = await core.domains.dnsExport(theirs, _id)
    expect(rows.at(-1)).toMatchObject({ type: 'TXT', name: ownershipName, priority: '' })
    expect(await core.domains.release(domain, mine.projectId)).toHaveLength(1)
    expect((await core.domains.list(theirs)).count).toBe(1)
  })
})
