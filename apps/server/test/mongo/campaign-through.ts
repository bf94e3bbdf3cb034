import { expect } from 'vitest'
import { projectOf, type RunningServer } from '../../../../tests/server-process.js'
import { campaignTo, eventually, type Fleet, recipients } from './fleet.js'

/** What may happen in the middle of a campaign. Answers how many mails may have gone twice by it. */
export type Disturbance = (
  fleet: Fleet,
  workers: readonly [RunningServer, RunningServer],
  api: RunningServer,
) => Promise<number>

/**
 * Two API processes and two workers, a campaign that is planned by one and asked for of the other, and the disturbance
 * when a hundred mails have left: everybody is served, no more than may be are served twice, and all that is counted is exact.
 */
export const campaignThrough = async (fleet: Fleet, disturb: Disturbance): Promise<void> => {
  const { relay, start, command, prepare, inFlight } = fleet
  const [first, second] = [await start('api'), await start('api')]
  const project = await prepare(first)
  const workers = [await start('worker'), await start('worker')] as const
  const { _id = '' } = await project.post('/campaigns', campaignTo(project.list))
  const other = projectOf(second, { project: project.project, list: project.list })
  await eventually(() => relay.total() > 100)
  expect(relay.total()).toBeLessThan(recipients)
  const twice = await disturb(fleet, workers, second)
  const status = () =>
    other.get(`/campaigns/${_id}`).then(
      (campaign) => campaign.status,
      () => undefined,
    )
  await eventually(async () => (await status()) === 'sent')

  expect(relay.recipients()).toBe(recipients)
  expect(relay.total() - recipients).toBeLessThanOrEqual(twice)
  expect(await inFlight()).toBe(0)
  // What a killed process had begun to count, another ends within half a minute.
  await eventually(async () => Number((await other.get(`/campaigns/${_id}/stats`)).sent) === recipients)
  const none = { failed: 0, queued: 0, sending: 0, uncertain: 0, excluded: 0 }
  expect(await command('campaign', 'status', _id)).toMatchObject({ deliveries: { ...none, sent: recipients } })
  expect(await command('account', 'list')).toMatchObject([{ credits: 10_000 - recipients }])
  expect(await other.get(`/campaigns/${_id}/stats`)).toMatchObject({ sent: recipients, failed: 0 })
}
