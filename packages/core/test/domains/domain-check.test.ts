import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'
const hour = 60 * 60_000
const query = { limit: 10, skip: 0 }

/** A project that sends from a domain of its own, which is verified. */
const start = async (changes: { readonly domainVerified?: () => Promise<boolean> } = {}) => {
  const world = inMemoryPorts()
  const core = createCore({ ...world.ports, domainVerified: changes.domainVerified })
  const { scope } = await sampleProject(core)
  const domain = await core.domains.create(scope, { domain: 'shop.example', region })
  world.dns.publish(domain.requiredDns)
  await core.domains.check(scope, domain._id)
  const sender = (await core.senderIdentities.list(scope, { filter: { email: 'no-reply@shop.example' } })).items[0]
  const mail = await core.transactionalEmails.create(scope, {
    ...{ name: 'T', subject: 'S', type: 'text', document: 'D', senderIdentity: sender?._id },
  })
  const lose = async () => {
    for (const { name } of domain.requiredDns.dkimCNAMEs) world.dns.set('CNAME', name, [])
    return core.domains.check(scope, domain._id)
  }
  return {
    ...world,
    core,
    scope,
    domain,
    lose,
    check: () => core.domains.check(scope, domain._id),
    restore: () => {
      world.dns.publish(domain.requiredDns)
      return core.domains.check(scope, domain._id)
    },
    send: () => core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: mail._id }),
    warnings: async () => (await core.domains.get(scope, domain._id)).warnings,
  }
}

describe('a domain that has lost DKIM', () => {
  it('is reported by a warning and a log entry, with the end of sending', async () => {
    const { core, scope, lose, warnings, lines } = await start()
    expect(await warnings()).toBeUndefined()
    const warning =
      'The last check of shop.example in eu-west-1 did not find its DKIM records; they have been missing since 2026-01-06T12:00:00.000Z. ' +
      'From 2026-01-09T12:00:00.000Z on, mail from the domain is not sent until a check finds them.'
    expect((await lose()).warnings).toEqual([warning])
    expect(await warnings()).toEqual([warning])
    expect((await core.domains.list(scope)).items[0]?.warnings).toEqual([warning])
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([{ message: warning }])
  })

  it('sends for 72 hours, then stops', async () => {
    const { lose, send, check, clock } = await start()
    await lose()
    clock.advance(40 * hour)
    await check()
    clock.advance(32 * hour - 1)
    await send()
    clock.advance(1)
    await expect(send()).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(
        /^Project Email AWS configurations not found\. The last check of shop\.example .* Mail from the domain is not sent until/,
      ),
    })
  })

  it('sends again when a check finds DKIM', async () => {
    const { lose, send, restore, warnings, clock } = await start()
    await lose()
    clock.advance(100 * hour)
    expect((await restore()).warnings).toBeUndefined()
    expect(await warnings()).toBeUndefined()
    await send()
    await lose()
    clock.advance(71 * hour)
    await send()
  })

  it('stops campaigns that were scheduled before', async () => {
    const { core, scope, lose, clock } = await start()
    const [list] = (await core.subscriberLists.list(scope, query)).items
    await core.subscribers.subscribe(scope, list?._id ?? '', { email: 'ada@example.com' })
    const [sender] = (await core.senderIdentities.list(scope, { filter: { email: 'no-reply@shop.example' } })).items
    const { _id } = await core.campaigns.create(scope, {
      ...{ name: 'C', subject: 'S', type: 'text', document: 'D', timeZone: 'UTC', subscriberListId: list?._id ?? '' },
      ...{ senderIdentity: sender?._id, status: 'scheduled', scheduledTo: '2026-01-10T12:00:00Z' },
    })
    await lose()
    clock.advance(96 * hour)
    await core.worker.maintain()
    await core.worker.runUntilIdle()
    expect(await core.campaigns.get(scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('Mail from the domain is not sent'),
    })
  })

  it('has no effect if a relay decides which senders it accepts', async () => {
    const { lose, send, clock } = await start({ domainVerified: async () => true })
    await lose()
    clock.advance(100 * hour)
    expect(await send()).toMatchObject({ success: true })
  })
})
