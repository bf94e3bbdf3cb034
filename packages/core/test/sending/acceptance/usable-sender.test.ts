import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const sentence = 'Project Email AWS configurations not found. '
const region = 'eu-west-1'

const start = async () => {
  const { ports, mailer, dns, clock } = inMemoryPorts({ domainVerified: undefined })
  const core = createCore(ports)
  const project = await sampleProject(core)
  const { scope } = project
  const operator = { ...scope, caller: 'operator' } as const
  await core.senderIdentities.remove(scope, project.sender._id)
  const email = async (given = {}) =>
    (await core.transactionalEmails.create(scope, { name: 'T', subject: 'T', type: 'text', document: 'T', ...given }))
      ._id
  const send = (transactionalId: string) =>
    core.sends.transactional(scope, { email: 'ada@example.com', transactionalId })
  const domain = async (name: string) => {
    const added = await core.domains.create(scope, { domain: name, region })
    dns.publish(added.requiredDns)
    await core.domains.check(scope, added._id)
    return {
      lose: async () => {
        for (const { name: selector } of added.requiredDns.dkimCNAMEs) dns.set('CNAME', selector, [])
        await core.domains.check(scope, added._id)
        clock.advance(73 * 60 * 60_000)
      },
    }
  }
  const sender = (address: string) => core.senderIdentities.create(operator, { email: address, name: '', region })
  const from = async () => {
    await core.worker.runUntilIdle()
    return mailer.sent.map((mail) => mail.from)
  }
  const senders = async () => {
    for (const { _id } of (await core.senderIdentities.list(scope)).items)
      await core.senderIdentities.remove(scope, _id)
  }
  return { core, scope, project, ports, email, send, domain, sender, from, senders }
}

describe('a send', () => {
  it('is refused without a sender identity', async () => {
    const { email, send, senders } = await start()
    await senders()
    await expect(send(await email())).rejects.toMatchObject({
      kind: 'invalid',
      message: `${sentence}The project has no sender identity to send from. Add one first.`,
    })
  })

  it('is refused if no sender has a verified domain', async () => {
    const { email, send, domain, sender, senders } = await start()
    const lost = await domain('lost.example.com')
    await senders()
    await sender('post@lost.example.com')
    await lost.lose()
    await expect(send(await email())).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(`${sentence}No sender identity`),
    })
  })

  it('uses the first sender with a verified domain by default', async () => {
    const { email, send, domain, sender, from, senders } = await start()
    const lost = await domain('lost.example.com')
    await domain('good.example.com')
    await senders()
    await sender('post@lost.example.com')
    await sender('post@good.example.com')
    await lost.lose()
    await send(await email())
    expect(await from()).toEqual(['post@good.example.com'])
  })

  it('is refused if its sender’s domain was lost three days ago', async () => {
    const { email, send, domain, sender } = await start()
    const lost = await domain('lost.example.com')
    const { _id } = await sender('post@lost.example.com')
    await sender('post@good.example.com')
    await lost.lose()
    await expect(send(await email({ senderIdentity: _id }))).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(`${sentence}The last check of lost.example.com in eu-west-1 did not find`),
    })
  })

  it('accepts the operator’s sender without a domain of the project', async () => {
    const { email, send, sender, from } = await start()
    await sender('post@operated.example.com')
    await send(await email())
    expect(await from()).toEqual(['post@operated.example.com'])
  })

  it('is refused for an own account that this server does not support', async () => {
    const { email, send, sender, ports, project } = await start()
    await sender('post@operated.example.com')
    const id = await email()
    await ports.repositories.projects.change({ _id: project.project._id }, (one) => ({ ...one, status: 'byoCloudSes' }))
    await expect(send(id)).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining(sentence) })
  })
})

it('a schedule without a usable sender is refused, and nothing is stored', async () => {
  const { core, scope, project, senders } = await start()
  await senders()
  const body = { name: 'C', subject: 'C', type: 'text', document: 'C', timeZone: 'UTC' } as const
  const schedule = { status: 'scheduled', scheduledTo: '2027-01-01', subscriberListId: project.list._id } as const
  await expect(core.campaigns.create(scope, { ...body, ...schedule })).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining(sentence),
  })
  expect((await core.campaigns.list(scope, { limit: 10, skip: 0 })).count).toBe(0)
})
