import type { WebhookPost, WebhookPostOutcome } from '@posthorn/core/ports/runtime'
import { sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { aMailEvent } from './events.js'
import { aShop, names } from './shop.js'

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

describe('a slow receiver', () => {
  /** So many receivers that answer after ten seconds, and one that answers at once. */
  const aFleet = async (n: number) => {
    const shop = await aShop()
    const { core, clock, eventPoster } = shop
    await core.webhooks.remove(shop.project.scope)
    const others = await Promise.all(names(n, 'slow').map((name) => sampleProject(core, { name })))
    const quick = await sampleProject(core, { name: 'quick' })
    const secretKey = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    for (const { scope } of others)
      await core.webhooks.set(scope, { url: `https://slow.example.com/${scope.projectId}`, secretKey, sent: true })
    await core.webhooks.set(quick.scope, { url: 'https://quick.example.com/', secretKey, sent: true })
    const late: WebhookPostOutcome = { kind: 'unreachable', reason: 'it took too long to answer' }
    let open = 0
    let most = 0
    eventPoster.answer(async ({ url }: WebhookPost) => {
      if (url.startsWith('https://quick')) return undefined
      open += 1
      most = Math.max(most, open)
      await clock.sleep(10_000)
      open -= 1
      return late
    })
    const tell = (project: { readonly scope: { readonly projectId: string } }, ids: readonly string[]) =>
      core.webhooks.publish(
        ids.map((id) =>
          aMailEvent('sent', { _id: `${project.scope.projectId} ${id}`, projectId: project.scope.projectId }),
        ),
      )
    const quickPosts = () => eventPoster.posts.filter(({ url }) => url.startsWith('https://quick')).length
    return { ...shop, others, quick, tell, quickPosts, mostOpen: () => most }
  }

  it('delays other receivers by seconds only, even if there are many slow ones', async () => {
    const { core, clock, others, quick, tell, quickPosts, mostOpen } = await aFleet(25)
    for (const slow of others) await tell(slow, names(60))
    await core.worker.start()
    await clock.pass(1_000)
    await tell(quick, names(100))
    await clock.pass(9_000)
    expect(quickPosts()).toBe(100)
    for (let round = 0; round < 5; round += 1) {
      await tell(quick, names(100, `round ${round}`))
      await clock.pass(4_000)
      expect(quickPosts()).toBe(200 + 100 * round)
    }
    expect(mostOpen()).toBeLessThanOrEqual(25 * 10)
    const stopped = core.worker.stop()
    await clock.pass(60_000)
    await stopped
  })

  it('uses the turns of one account, for any number of its projects', async () => {
    const { core, clock, ports, others, quick, tell, quickPosts } = await aFleet(60)
    const [first] = others
    for (const { project } of others)
      await ports.repositories.projects.change({ _id: project._id }, (one) => ({
        ...one,
        accountId: first?.account._id ?? '',
      }))
    for (const slow of others) await tell(slow, names(20))
    await core.worker.start()
    await clock.pass(500)
    await tell(quick, names(100))
    await clock.pass(4_000)
    expect(quickPosts()).toBe(100)
    const stopped = core.worker.stop()
    await clock.pass(60_000)
    await stopped
  })

  it('gets two posts at a time, and all events in the end', async () => {
    const { core, clock, others, tell, eventPoster, states } = await aFleet(1)
    const [slow] = others
    if (!slow) throw new Error('There is one')
    eventPoster.answer(async () => {
      await clock.sleep(3_000)
      return undefined
    })
    await tell(slow, names(60))
    await core.worker.start()
    running.push(core.worker)
    await clock.pass(10 * 60_000)
    expect(await states()).toEqual(Array<string>(60).fill('delivered'))
    expect(eventPoster.posts).toHaveLength(60)
  })
})

describe('a page of events that takes longer than its claim', () => {
  it('releases events that were not posted, and posts none twice', async () => {
    const { core, clock, tell, eventPoster, states } = await aShop()
    let hold = true
    eventPoster.answer(async () => {
      if (hold) await clock.sleep(9_000)
      return undefined
    })
    await tell(...names(90))
    await core.worker.start()
    running.push(core.worker)
    await clock.pass(50_000)
    hold = false
    await clock.pass(5 * 60_000)
    const ids = eventPoster.posts.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(90)
    expect(ids).toHaveLength(90)
    expect(new Set(await states())).toEqual(new Set(['delivered']))
  })
})
