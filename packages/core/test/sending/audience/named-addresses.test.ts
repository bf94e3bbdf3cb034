import { createCore } from '@posthorn/core'
import { collected } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (credits?: number) => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const project = await sampleProject(core, { ...(credits !== undefined && { credits }) })
  const { addressPages, dispatches } = world.ports.repositories
  const email = await core.triggeredEmails.create(project.scope, {
    name: 'News',
    subject: 'News',
    type: 'html',
    document: '<p>News <a href="{{unsubscribeLink}}">leave</a></p>',
    subscriberListId: project.list._id,
  })
  const send = (emails: readonly string[], requestId?: string) =>
    core.sends.triggered(
      { ...project.scope, ...(requestId !== undefined && { requestId }) },
      { triggeredId: email._id, emails: [...emails] },
    )
  const pages = () => collected(addressPages.each({}))
  return { ...world, core, project, dispatches, send, pages, triggeredId: email._id }
}

const readers = (n: number) => Array.from({ length: n }, (_, i) => `reader${i + 1}@example.com`)

describe('a send to many addresses', () => {
  it('accepts more addresses from an embedding program than from a request, in pages of a thousand', async () => {
    const { core, project, pages, dispatches, triggeredId } = await start()
    const emails = readers(12_000)
    const send = (caller: 'operator' | 'api-key') =>
      core.sends.triggered({ ...project.scope, caller }, { triggeredId, emails })
    await expect(send('api-key')).rejects.toMatchObject({ kind: 'invalid' })
    await send('operator')
    expect(await pages()).toHaveLength(12)
    const [dispatch] = await collected(dispatches.each({}))
    expect(dispatch?.audience).toMatchObject({ emails: [], pages: { addresses: 12_000 } })
  })

  it('sends to those on the list, and stores the addresses beside the dispatch', async () => {
    const { core, project, mailer, dispatches, send, pages } = await start()
    await project.subscribe(1_100)
    const { dispatchId } = await send([...readers(1_100), ...readers(3), 'stranger@example.com'])
    expect((await dispatches.get({ _id: dispatchId }))?.audience).toMatchObject({
      emails: [],
      pages: { addresses: 1_101 },
    })
    expect((await pages()).map(({ place, emails }) => [place, emails.length])).toEqual([
      [0, 1_000],
      [1, 101],
    ])
    await core.worker.runUntilIdle()
    expect(new Set(mailer.sent.map(({ to }) => to))).toEqual(new Set(readers(1_100)))
    expect(mailer.sent).toHaveLength(1_100)
    expect(await project.credits()).toBe(8_900)
  })

  it('returns how many recipients there are, and who is excluded and why', async () => {
    const { core, project, send } = await start()
    await project.subscribe(3)
    await core.suppressions.create(project.scope, { email: 'reader2@example.com' })
    expect(await send(['Reader1@example.com', 'reader2@example.com', 'stranger@example.com'])).toMatchObject({
      accepted: 1,
      excluded: [
        { email: 'reader2@example.com', reason: 'suppressed' },
        { email: 'stranger@example.com', reason: 'not-subscribed' },
      ],
    })
    expect(await send(['stranger@example.com'])).toMatchObject({ accepted: 0, deliveryId: expect.any(String) })
  })

  it('lists the first hundred exclusions, and counts the others', async () => {
    const { core, project, send, triggeredId } = await start()
    await project.subscribe(2)
    const answer = await send([...readers(2), ...readers(152).slice(2)], 'a'.repeat(24))
    expect(answer).toMatchObject({ accepted: 2, excludedCount: 150 })
    expect(answer.excluded).toHaveLength(100)
    expect(await core.sends.made({ ...project.scope, requestId: 'a'.repeat(24) })).toEqual(answer)
    expect(await core.sends.triggered(project.scope, { triggeredId })).toMatchObject({ accepted: 2, excluded: [] })
  })

  it('is accepted once per request id', async () => {
    const { core, project, mailer, send, pages } = await start()
    await project.subscribe(2)
    const emails = readers(501)
    expect(await send(emails, 'request')).toEqual(await send(emails, 'request'))
    expect(await pages()).toHaveLength(1)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(2)
  })

  it('stores nothing if it is refused', async () => {
    const { project, send, pages } = await start(1)
    await project.subscribe(2)
    await expect(send(readers(501))).rejects.toMatchObject({ kind: 'blocked' })
    expect(await pages()).toEqual([])
  })

  it('removes its addresses a day after they became deliveries', async () => {
    const { core, project, send, pages, clock } = await start()
    await project.subscribe(1)
    await send(readers(501))
    clock.advance(25 * 3_600_000)
    await core.worker.maintain()
    expect(await pages()).toHaveLength(1)
    await core.worker.runUntilIdle()
    await core.worker.maintain()
    expect(await pages()).toEqual([])
  })
})

describe('a send to a few addresses', () => {
  it('stores them in its dispatch', async () => {
    const { project, dispatches, send, pages } = await start()
    await project.subscribe(1)
    const { dispatchId } = await send(readers(500))
    expect(await pages()).toEqual([])
    expect((await dispatches.get({ _id: dispatchId }))?.audience).toMatchObject({ emails: readers(500) })
  })
})
