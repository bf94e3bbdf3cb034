import { createCore, serverMailer } from '@posthorn/core'
import { SesError } from '@posthorn/local-aws'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { ownAccountMailers } from '../../src/index.js'
import { atEnd, region, started } from '../world.js'

const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }

/** A campaign to 20 readers by a project's own account, whose rate is 5 a second. */
const ownCampaign = async ({ sendingEnabled = true } = {}) => {
  const world = inMemoryPorts()
  const { clock, ports } = world
  const now = () => clock.now().getTime()
  const ses = await started({ now })
  const shop = ses.addAccount({ id: '210000000001', ...keys, account: { maxSendRate: 5, sendingEnabled } })
  shop.region(region).identities.verify('example.com', true)
  const own = ownAccountMailers({ aws: { endpoint: ses.url }, now })
  atEnd(own.close)
  const mailers = serverMailer(recordingMailer(), async ({ projectId }) =>
    own.of({ owner: projectId, region, credentials: keys }),
  )
  const core = createCore({ ...ports, mailers })
  const project = await sampleProject(core)
  await ports.repositories.projects.change({ _id: project.scope.projectId }, (one) => ({
    ...one,
    status: 'byoCloudSes',
  }))
  await project.subscribe(20)
  const { _id } = await core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello',
    type: 'text',
    document: 'Hello',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  return {
    ses,
    shop,
    campaign: () => core.campaigns.get(project.scope, _id),
    retry: () => core.campaigns.retryFailed(project.scope, _id),
    credits: project.credits,
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await core.worker.runUntilIdle()
        clock.advance(1_000)
      }
    },
    receivers: () => ses.sent.map(({ to }) => to[0]),
  }
}

it('a campaign of an own account stops with advice when its keys fail, and continues by a retry', async () => {
  const { ses, campaign, retry, credits, pass, receivers } = await ownCampaign()
  await pass(2)
  const sent = receivers().length
  expect(sent).toBe(10)
  ses.failWith(({ accountId }) =>
    accountId === '210000000001' ? new SesError('SignatureDoesNotMatch', 'It does not match.', 403) : undefined,
  )
  await pass(10)
  expect(await campaign()).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('Store a new access key and secret in cloudConfig'),
  })
  expect(await credits()).toBe(10_000 - sent)
  ses.failWith(() => undefined)
  await pass(5)
  expect(await retry()).toBe(20 - sent)
  await pass(20)
  expect(await campaign()).toMatchObject({ status: 'sent' })
  expect(receivers()).toHaveLength(20)
  expect(new Set(receivers()).size).toBe(20)
})

it('a campaign of an own account that is paused before it begins stops without sending', async () => {
  const { ses, shop, campaign, retry, pass, receivers } = await ownCampaign({ sendingEnabled: false })
  await pass(1)
  expect(await campaign()).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('paused') })
  expect(ses.calls.filter(({ operation }) => operation === 'SendEmail')).toEqual([])
  shop.change({ sendingEnabled: true })
  await pass(5)
  await retry()
  await pass(20)
  expect(await campaign()).toMatchObject({ status: 'sent' })
  expect(new Set(receivers()).size).toBe(20)
})
