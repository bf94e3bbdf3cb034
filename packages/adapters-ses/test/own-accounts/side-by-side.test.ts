import { createCore, serverMailer } from '@posthorn/core'
import { ownAccountLookup } from '@posthorn/core/ports/transport'
import { SesError } from '@posthorn/local-aws'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { ownAccountMailers, sesMailer } from '../../src/index.js'
import { atEnd, awsOf, region, started } from '../world.js'

const readers = 60
const rate = { maxSendRate: 10 }
const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }

type World = ReturnType<typeof inMemoryPorts>

/** Three campaigns at once, by the server's account, by an access key and by a role: in which second each was done. */
const campaigns = async (throttles: boolean) => {
  let world: World | undefined
  const now = () => world?.clock.now().getTime() ?? 0
  const ses = await started({ account: rate, now })
  const shop = ses.addAccount({ id: '210000000001', ...keys, account: rate })
  const farm = ses.addAccount({ id: '210000000002', account: rate })
  for (const one of [ses, shop, farm]) one.region(region).identities.verify('example.com', true)
  if (throttles) {
    let calls = 0
    ses.failWith(({ operation, accountId }) => {
      if (operation !== 'SendEmail' || accountId !== shop.id) return undefined
      calls += 1
      return calls % 2 === 0 ? new SesError('TooManyRequestsException', 'Slow down.', 429) : undefined
    })
  }
  const { aws } = awsOf(ses)
  const own = ownAccountMailers({ aws: { endpoint: ses.url }, ...(aws && { sts: aws }), now })
  const shared = sesMailer({ region, ...awsOf(ses), now })
  atEnd(own.close)
  atEnd(() => shared.close())
  const { ports, clock, ...others } = inMemoryPorts({
    mailers: serverMailer(shared, async (channel) => {
      const access = await ownAccountLookup(ports)(channel)
      return own.of({ owner: access.projectId, ...access })
    }),
  })
  world = { ports, clock, ...others }
  const core = createCore(ports)

  const begin = async (name: string, enter?: (externalId: string) => object) => {
    const { scope, list, subscribe } = await sampleProject(core, { name })
    await subscribe(readers)
    if (enter) {
      const { link } = await core.ownCloud.setupLink(scope)
      const cloudConfig = enter(/externalId=([^&]+)/.exec(link)?.[1] ?? '')
      await core.projects.update(scope, { status: 'byoCloudSes', cloudConfig: { region, ...cloudConfig } })
    }
    const { _id } = await core.campaigns.create(scope, {
      ...{ name, subject: name, type: 'text', document: 'Hello', timeZone: 'UTC', subscriberListId: list._id },
      ...{ status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' },
    })
    return async () => (await core.campaigns.get(scope, _id)).status === 'sent'
  }
  const isDone = {
    shared: await begin('Shared'),
    key: await begin('Key', () => keys),
    role: await begin('Role', (externalId) => ({ roleArn: farm.addRole({ name: 'sending', externalId }) })),
  }
  const doneIn: Record<string, number> = {}
  for (let second = 1; second <= 200 && Object.keys(doneIn).length < 3; second += 1) {
    await core.worker.runUntilIdle()
    for (const [name, done] of Object.entries(isDone)) if (!(name in doneIn) && (await done())) doneIn[name] = second
    clock.advance(1_000)
  }
  const sentBy = (id: string) => ses.sent.filter(({ accountId }) => accountId === id).map(({ to }) => to[0])
  return { doneIn, sent: [ses.own.id, shop.id, farm.id].map(sentBy) }
}

it('two own accounts and the server send side by side without slowing each other', async () => {
  const [calm, throttled] = [await campaigns(false), await campaigns(true)]
  for (const { sent } of [calm, throttled])
    for (const addresses of sent) {
      expect(addresses).toHaveLength(readers)
      expect(new Set(addresses).size).toBe(readers)
    }
  expect(throttled.doneIn).toMatchObject({ shared: calm.doneIn.shared, role: calm.doneIn.role })
  expect(throttled.doneIn.key).toBeGreaterThan(calm.doneIn.key ?? 0)
})
