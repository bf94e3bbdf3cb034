import { type FigureMetric, figureSubject } from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from '../tracking/sent-campaign.js'

/** The token of the first link of that kind in a mail. */
const tokenIn = (mime: string, path: string): string => {
  const unfolded = mime.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return new RegExp(`${path}\\?token=([\\w.-]+)`).exec(unfolded)?.[1] ?? ''
}

const events: readonly FigureMetric[] = [
  'subscribe',
  'unsubscribe',
  'resubscribe',
  'pause-subscription',
  'unpause-subscription',
]

const start = async () => {
  const world = await aSentCampaign(2)
  const { core, project, ports, mailer, campaignId } = world
  const { scope, list } = project
  const told = async (subject: string) => {
    const sums = await ports.figures.totals(subject, {})
    return Object.fromEntries(events.flatMap((event) => (sums[event] ? [[event, sums[event]]] : [])))
  }
  return {
    ...world,
    preferences: tokenIn(mailer.sent[0]?.mime ?? '', '/preferences'),
    oneClick: tokenIn(mailer.sent[0]?.mime ?? '', '/unsubscribe'),
    update: (input: object) => core.subscribers.update(scope, list._id, 'reader1@example.com', { ...input }),
    ofList: () => told(figureSubject.list(list._id)),
    ofEmail: () => told(figureSubject.email(campaignId)),
    list,
  }
}

describe('a membership’s events', () => {
  it('are counted for its list, by the earlier status', async () => {
    const { update, ofList, ofEmail } = await start()
    expect(await ofList()).toEqual({ subscribe: 2 })
    await update({ status: 'paused', pausedUntil: '2026-02-01' })
    await update({ status: 'paused', pausedUntil: '2026-03-01' })
    await update({ status: 'active' })
    await update({ status: 'active' })
    await update({ status: 'unsubscribed' })
    await update({ status: 'unsubscribed' })
    await update({ status: 'active' })
    expect(await ofList()).toEqual({
      subscribe: 2,
      'pause-subscription': 1,
      'unpause-subscription': 1,
      unsubscribe: 1,
      resubscribe: 1,
    })
    expect(await ofEmail()).toEqual({})
  })

  it('include a subscription once the address is verified', async () => {
    const { core, project, list, ofList } = await start()
    await core.subscribers.subscribe(project.scope, list._id, { email: 'new@example.com', status: 'unverified' })
    expect(await ofList()).toEqual({ subscribe: 2 })
    await core.subscribers.update(project.scope, list._id, 'new@example.com', { status: 'active' })
    expect(await ofList()).toEqual({ subscribe: 3 })
  })

  it('are counted for the email whose link was used, and shown at the recipient', async () => {
    const { core, oneClick, preferences, list, recipients, ofList, ofEmail } = await start()
    await core.subscribers.unsubscribe(list._id, oneClick)
    await core.subscribers.unsubscribe(list._id, oneClick)
    expect(await ofEmail()).toEqual({ unsubscribe: 1 })
    const change = (wish: object) =>
      core.subscribers.changePreferences(preferences, { lists: [{ _id: list._id, ...wish } as never] })
    await change({ status: 'active' })
    await change({ status: 'paused', pausedUntil: '2026-02-01' })
    await change({ status: 'active' })
    const all = { unsubscribe: 1, resubscribe: 1, 'pause-subscription': 1, 'unpause-subscription': 1 }
    expect(await ofEmail()).toEqual(all)
    expect(await ofList()).toEqual({ subscribe: 2, ...all })
    expect((await recipients({ filter: { unsubscribed: 'true' } })).items).toMatchObject([
      { email: 'reader1@example.com', unsubscribed: true, resubscribed: true, paused: true, subscribed: false },
    ])
  })

  it('include the automatic end of a pause', async () => {
    const { core, clock, update, ofList } = await start()
    await update({ status: 'paused', pausedUntil: '2026-01-06T12:01:00Z' })
    clock.advance(60_000)
    await core.worker.maintain()
    await core.worker.maintain()
    expect(await ofList()).toMatchObject({ 'unpause-subscription': 1 })
  })
})
