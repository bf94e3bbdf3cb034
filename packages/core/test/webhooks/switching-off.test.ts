import { describe, expect, it } from 'vitest'
import { aShop, down, hour, names } from './shop.js'

const day = 24 * hour

describe('a receiver that is down', () => {
  it('loses no event after a short outage', async () => {
    const { tell, work, states, eventPoster, kept } = await aShop()
    eventPoster.answer(() => down)
    await tell(...names(30))
    await work(6 * hour)
    await tell(...names(30, 'later'))
    eventPoster.answer(() => undefined)
    await work(12 * hour)
    expect(new Set(await states())).toEqual(new Set(['delivered']))
    expect(await kept()).toHaveLength(60)
  })

  /** An event an hour. */
  const down3days = async () => {
    const shop = await aShop()
    shop.eventPoster.answer(() => down)
    for (let n = 0; n < 73; n += 1) {
      await shop.tell(`event ${n}`)
      await shop.work(hour)
    }
    return shop
  }

  it('is shown as failing, with time and reason, until it accepts a post', async () => {
    const { core, project, tell, work, eventPoster, clock } = await aShop()
    eventPoster.answer(() => down)
    const since = clock.now().toISOString()
    await tell('one')
    await work(2 * hour)
    const reason = 'the receiver answered 503'
    expect(await core.webhooks.get(project.scope)).toMatchObject({ failing: { since, reason } })
    eventPoster.answer(() => undefined)
    await work(5 * hour)
    expect(await core.webhooks.get(project.scope)).not.toHaveProperty('failing')
  })

  it('is switched off after three days, as configuration and log show', async () => {
    const { core, project, lines, eventPoster, kept, tell, clock } = await down3days()
    const webhook = await core.webhooks.get(project.scope)
    const reason = expect.stringMatching(
      /^No post was taken since 2026-01-06T12:00:00\.000Z; the last: the receiver answered 503$/,
    )
    expect(webhook?.disabled).toEqual({ reason, since: expect.stringMatching(/^2026-01-09T1/) })
    expect(lines.filter(({ message }) => message === 'A webhook was switched off')).toHaveLength(1)
    const posted = eventPoster.posts.length
    await tell('told while it is off')
    clock.advance(2 * day)
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(posted)
    const all = await kept()
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['given-up']))
    expect(all.at(-1)?.reason).toMatch(/^The webhook is switched off\. No post was taken since/)
  })

  it('gets events again when switched on, and a replay of those given up', async () => {
    const { core, project, eventPoster, tell, states, clock } = await down3days()
    await tell('told while it is off')
    await core.worker.postEvents()
    eventPoster.answer(() => undefined)
    await expect(core.webhooks.replay(project.scope, { state: 'given-up' })).rejects.toThrow(
      'Please switch it on first.',
    )
    expect(await core.webhooks.enable(project.scope)).not.toHaveProperty('disabled')
    await core.webhooks.replay(project.scope, { state: 'given-up' })
    await core.worker.postEvents()
    clock.advance(day)
    await core.worker.postEvents()
    expect(await states()).toEqual(Array<string>(74).fill('delivered'))
  })

  it('gets events again after a new configuration', async () => {
    const { core, project, set, eventPoster, tell } = await down3days()
    eventPoster.answer(() => undefined)
    const before = eventPoster.posts.length
    expect(await set()).not.toHaveProperty('disabled')
    await tell('new')
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(before + 1)
    expect(await core.webhooks.get(project.scope)).not.toHaveProperty('failing')
  })

  it('is not switched off for two failures that are days apart', async () => {
    const { core, project, eventPoster, tell, work, clock } = await aShop()
    eventPoster.answer(() => down)
    await tell('one')
    await work(26 * hour)
    clock.advance(9 * day)
    await tell('two')
    await core.worker.postEvents()
    expect(await core.webhooks.get(project.scope)).not.toHaveProperty('disabled')
  })

  it('is not switched off if it accepts some posts', async () => {
    const { core, project, eventPoster, tell, work } = await aShop()
    let n = 0
    eventPoster.answer(() => (++n % 10 === 0 ? undefined : down))
    for (let turn = 0; turn < 80; turn += 1) {
      await tell(`event ${turn}`)
      await work(hour)
    }
    expect(await core.webhooks.get(project.scope)).not.toHaveProperty('disabled')
  })

  it('is not switched off for posts to an earlier URL', async () => {
    const { core, project, set, eventPoster, tell, work } = await aShop()
    eventPoster.answer(({ url }) => (url.startsWith('https://shop') ? down : undefined))
    await tell('one')
    await work(hour)
    await set({ url: 'https://new.example.com/' })
    await work(hour)
    expect(await core.webhooks.get(project.scope)).not.toHaveProperty('failing')
  })
})
