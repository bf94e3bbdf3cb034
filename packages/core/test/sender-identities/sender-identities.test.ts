import { createCore } from '@posthorn/core'
import { aCampaign, aTransactionalEmail, aTriggeredEmail, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const { ports } = inMemoryPorts(changes)
  const core = createCore(ports)
  const { scope, sender } = await sampleProject(core)
  const add = (email: string, region = 'eu-west-1') => core.senderIdentities.create(scope, { email, region })
  const addresses = async () => (await core.senderIdentities.list(scope)).items.map(({ email }) => email)
  return { core, ports, scope, sender, add, addresses }
}

describe('a project’s sender identities', () => {
  it('are ordered by creation until one becomes the default', async () => {
    const { core, scope, sender, add, addresses } = await start()
    const [b, c] = [await add('b@example.com'), await add('c@example.com')]
    expect(await addresses()).toEqual(['post@example.com', 'b@example.com', 'c@example.com'])
    await core.senderIdentities.setDefault(scope, c._id)
    await core.senderIdentities.setDefault(scope, b._id)
    expect(await addresses()).toEqual(['b@example.com', 'c@example.com', 'post@example.com'])
    await add('last@example.com')
    expect((await addresses()).at(-1)).toBe('last@example.com')
    expect(await core.senderIdentities.setDefault(scope, sender._id)).toMatchObject({ email: 'post@example.com' })
    expect((await addresses())[0]).toBe('post@example.com')
  })

  it('are listed without pages, and can be filtered', async () => {
    const { core, scope, add } = await start()
    for (let i = 0; i < 40; i += 1) await add(`s${i}@example.com`, i % 2 ? 'eu-west-1' : 'us-east-1')
    expect((await core.senderIdentities.list(scope)).items).toHaveLength(41)
    expect((await core.senderIdentities.list(scope, { filter: { region: 'us-east-1' } })).count).toBe(20)
    const [first] = (await core.senderIdentities.list(scope)).items
    const email = first?.email.toUpperCase() ?? ''
    expect((await core.senderIdentities.list(scope, { filter: { email } })).items).toContainEqual(first)
    expect((await core.senderIdentities.list(scope, { filter: { email: 'nobody@example.com' } })).count).toBe(0)
    await expect(core.senderIdentities.list(scope, { filter: { position: '1' } })).rejects.toThrow('unknown field')
  })

  it('are unique by address and region in any spelling', async () => {
    const { add } = await start()
    await add('b@example.com')
    await add('b@example.com', 'us-east-1')
    await expect(add('B@Example.com')).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('require an existing region, a verified domain and a single-line name', async () => {
    const { core, scope, add } = await start({
      domainVerified: async (_projectId, domain, region) => domain === 'example.com' && region === 'eu-west-1',
    })
    await expect(add('b@example.com', 'mars-1')).rejects.toThrow('region: expected one of us-east-1')
    await expect(add('b@example.com', 'us-east-1')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('example.com is not verified in us-east-1'),
    })
    await expect(
      core.senderIdentities.create(scope, { email: 'b@example.com', region: 'eu-west-1', name: 'B\r\nBcc: x@y.zz' }),
    ).rejects.toThrow('name: must not contain line breaks')
  })

  it('of another project are not found', async () => {
    const { core, sender } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await expect(core.senderIdentities.setDefault(other, sender._id)).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Sender identity not found',
    })
    await expect(core.senderIdentities.remove(other, sender._id)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('cannot be removed while any email uses them', async () => {
    const { core, ports, scope, add } = await start()
    const { campaigns, triggeredEmails, transactionalEmails } = ports.repositories
    const { projectId } = scope
    const remove = (id: string) => core.senderIdentities.remove(scope, id)
    const [a, b, c, free] = [await add('a@x.yz'), await add('b@x.yz'), await add('c@x.yz'), await add('d@x.yz')]
    await campaigns.add(aCampaign({ projectId, senderIdentity: a._id }))
    await triggeredEmails.add(aTriggeredEmail({ projectId, senderIdentity: b._id }))
    await transactionalEmails.add(aTransactionalEmail({ projectId, senderIdentity: c._id }))
    for (const { _id } of [a, b, c])
      await expect(remove(_id)).rejects.toMatchObject({
        kind: 'blocked',
        message: 'The sender identity is in use by the email News.',
      })
    expect(await remove(free._id)).toEqual({ _id: free._id })
  })

  it('keep the last one while a scheduled campaign needs it', async () => {
    const { core, ports, scope, sender, add } = await start()
    const { projectId } = scope
    const remove = (id: string) => core.senderIdentities.remove(scope, id)
    const campaign = aCampaign({ projectId, status: 'scheduled', scheduledTo: '2027-01-01T00:00:00.000Z' })
    await ports.repositories.campaigns.add(campaign)
    await expect(remove(sender._id)).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringMatching(
        /^The sender identity is the only one, and the scheduled campaign News needs it\. /,
      ),
    })
    const another = await add('another@example.com')
    expect(await remove(sender._id)).toEqual({ _id: sender._id })
    await ports.repositories.campaigns.change({ _id: campaign._id }, (one) => ({ ...one, status: 'draft' as const }))
    expect(await remove(another._id)).toEqual({ _id: another._id })
  })
})
