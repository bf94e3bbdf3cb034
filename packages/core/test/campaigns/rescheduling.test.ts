import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const minute = 60_000

const aShop = async (fields: object = {}) => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, subscribe } = await sampleProject(core)
  await subscribe(2)
  const at = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds).toISOString()
  const { _id } = await core.campaigns.create(scope, {
    name: 'News',
    subject: 's',
    type: 'text',
    document: 'd',
    timeZone: 'UTC',
    subscriberListId: list._id,
    ...fields,
  })
  const update = (changes: object) => core.campaigns.update(scope, _id, changes)
  return { core, clock, mailer, at, update, scope, _id }
}

describe('a sent campaign', () => {
  const sent = async () => {
    const shop = await aShop()
    const asked = { status: 'scheduled', scheduledTo: shop.at(-minute) }
    await shop.update(asked)
    await shop.core.worker.runUntilIdle()
    expect((await shop.core.campaigns.get(shop.scope, shop._id)).status).toBe('sent')
    return { ...shop, asked }
  }

  it('is not sent again by a repeated request, nor without a time', async () => {
    const { core, mailer, update, asked } = await sent()
    for (const again of [asked, { status: 'scheduled' }])
      await expect(update(again)).rejects.toMatchObject({
        kind: 'invalid',
        message: expect.stringMatching(/^scheduledTo: the campaign was last sent at 20/),
      })
    await expect(update({ status: 'scheduled', scheduledTo: '' })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'scheduledTo: expected an ISO 8601 date and time',
    })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(2)
  })

  it('is not sent again with its last start time, nor from the archive', async () => {
    const { clock, update } = await sent()
    const then = clock.now().toISOString()
    clock.advance(minute)
    await expect(update({ status: 'scheduled', scheduledTo: then })).rejects.toMatchObject({ kind: 'invalid' })
    await update({ status: 'archive' })
    await expect(update({ status: 'scheduled' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is sent again at a time after its last start', async () => {
    const { core, clock, mailer, at, update } = await sent()
    clock.advance(minute)
    expect(await update({ status: 'scheduled', scheduledTo: at(-1) })).toMatchObject({ status: 'being-sent' })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(4)
  })

  it('is sent again after it was made a draft', async () => {
    const { core, mailer, update } = await sent()
    await update({ status: 'draft' })
    await update({ status: 'scheduled' })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(4)
  })
})

describe('the time zone of a scheduled campaign', () => {
  const scheduled = () =>
    aShop({ timeZone: 'Europe/Vienna', status: 'scheduled', scheduledTo: '2026-07-01T18:00:05.250' })

  it('keeps the local time if it changes alone', async () => {
    const { update } = await scheduled()
    expect(await update({ timeZone: 'America/New_York' })).toMatchObject({ scheduledTo: '2026-07-01T22:00:05.250Z' })
    expect(await update({ timeZone: 'Europe/Vienna' })).toMatchObject({ scheduledTo: '2026-07-01T16:00:05.250Z' })
  })

  it('does not move the time if it stays the same or a time is given', async () => {
    const { update } = await scheduled()
    expect(await update({ timeZone: 'Europe/Vienna', name: 'N' })).toMatchObject({
      scheduledTo: '2026-07-01T16:00:05.250Z',
    })
    expect(await update({ timeZone: 'Asia/Tokyo', scheduledTo: '2026-07-02T09:00:00' })).toMatchObject({
      scheduledTo: '2026-07-02T00:00:00.000Z',
    })
  })

  it('must exist', async () => {
    await expect((await scheduled()).update({ timeZone: 'Europe/Nowhere' })).rejects.toMatchObject({ kind: 'invalid' })
  })
})
