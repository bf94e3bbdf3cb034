import { createCore } from '@posthorn/core'
import type { FeedReader } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

const url = 'https://feeds.example.com/news'
const feed = { url, feedType: 'json', variableName: 'news', required: true } as const

/** A feed whose text is another one each time that it is read. */
const changing = (size = 0) => {
  const reads: string[] = []
  const feedReader: FeedReader = {
    read: async (asked) => {
      reads.push(asked.url)
      return { title: `Edition ${reads.length}`, rest: 'x'.repeat(size) }
    },
  }
  return { reads, feedReader }
}

const aCampaign = async (feedReader: FeedReader, readers: number) => {
  const world = inMemoryPorts({ feedReader })
  const core = createCore(world.ports)
  const { scope, list, subscribe } = await sampleProject(core)
  await subscribe(readers)
  const email = { name: 'News', subject: '{{news.title}}', type: 'text', document: '{{news.title}}' } as const
  const { _id } = await core.campaigns.create(scope, {
    ...email,
    feeds: [feed],
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: world.clock.now().toISOString(),
  })
  const subjects = () => new Set(world.mailer.sent.map(({ mime }) => /^Subject: (.*)$/m.exec(mime)?.[1]?.trim()))
  const keys = () => (world.ports.files as unknown as { keys: () => readonly string[] }).keys()
  return { ...world, core, scope, _id, subjects, keys }
}

describe('a campaign’s feeds', () => {
  it('are read once, however large they are and however often mails are deferred', async () => {
    const { reads, feedReader } = changing(4_500_000)
    const { core, mailer, clock, subjects } = await aCampaign(feedReader, 6)
    let refuses = 3
    mailer.answer(() => {
      refuses -= 1
      return refuses >= 0 ? { kind: 'deferred', throttled: false, error: { name: '451', message: 'Later' } } : undefined
    })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(3)
    clock.advance(60 * 60_000)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(6)
    expect([reads.length, subjects()]).toEqual([1, new Set(['Edition 1'])])
  })

  it('are the same for a worker that starts later, and are removed at the end', async () => {
    const { reads, feedReader } = changing()
    const { core, ports, mailer, clock, subjects, keys } = await aCampaign(feedReader, 4)
    let refuses = 2
    mailer.answer(() => {
      refuses -= 1
      return refuses >= 0 ? { kind: 'deferred', throttled: false, error: { name: '451', message: 'Later' } } : undefined
    })
    await core.worker.runUntilIdle()
    expect(keys().filter((key) => key.includes('/feeds-'))).toHaveLength(1)
    const other = createCore({ ...ports, settings: { ...ports.settings, workerName: 'worker-2' } })
    clock.advance(60 * 60_000)
    await other.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(4)
    expect([reads.length, subjects()]).toEqual([1, new Set(['Edition 1'])])
    expect(keys().filter((key) => key.includes('/feeds-'))).toEqual([])
  })

  it('are the first reader’s if two workers read them concurrently', async () => {
    const { reads, feedReader } = changing()
    const { core, ports, mailer, subjects, keys, scope, _id } = await aCampaign(feedReader, 4)
    const { dispatches } = ports.repositories
    const racing = createCore({
      ...ports,
      repositories: {
        ...ports.repositories,
        dispatches: {
          ...dispatches,
          change: async (where, decide) => {
            const kept = { file: 'attachments/theirs/feeds-1', bytes: 100 }
            await ports.files.put(kept.file, new TextEncoder().encode('{"news":{"title":"Theirs"}}'))
            await dispatches.change(where, (one) =>
              one.feeds && !one.feeds.kept ? { ...one, feeds: { ...one.feeds, kept } } : one,
            )
            return dispatches.change(where, decide)
          },
        },
      },
    })
    await racing.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(4)
    expect([reads.length, subjects()]).toEqual([1, new Set(['Theirs'])])
    expect(keys().filter((key) => key.includes('/feeds-'))).toEqual(['attachments/theirs/feeds-1'])
    expect(await core.campaigns.get(scope, _id)).toMatchObject({ status: 'sent' })
  })

  it('stop it before any mail if a required one fails', async () => {
    const { core, mailer, scope, _id } = await aCampaign(
      { read: async () => Promise.reject(new Error('it answered 500')) },
      2,
    )
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    expect(await core.campaigns.get(scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: 'The feed news could not be read: it answered 500',
    })
  })
})

describe('single mails with hanging feeds', () => {
  it('delay neither other accounts nor others of their own, and are not all read at once', async () => {
    let open = 0
    let most = 0
    const feedReader: FeedReader = {
      read: async () => {
        open += 1
        most = Math.max(most, open)
        return new Promise(() => undefined)
      },
    }
    const { ports, mailer, clock } = inMemoryPorts({ feedReader })
    const core = createCore(ports)
    await core.worker.start()
    const content = { name: 'Code', subject: 'Code', type: 'text', document: 'Code' } as const
    const attacker = await sampleProject(core, { name: 'Attacker' })
    const victim = await sampleProject(core, { name: 'Victim' })
    const transactional = async ({ scope }: typeof victim, feeds: readonly object[] = []) =>
      (await core.transactionalEmails.create(scope, { ...content, feeds: feeds as never }))._id
    const slow = await transactional(
      attacker,
      Array.from({ length: 20 }, (_, n) => ({ ...feed, url: `${url}/${n}`, variableName: `f${n}` })),
    )
    const plain = [await transactional(attacker), await transactional(victim)] as const
    for (let n = 0; n < 1_367; n += 1)
      await core.sends.transactional(attacker.scope, { transactionalId: slow, email: `reader${n}@example.com` })
    await clock.pass(5_000)
    await core.sends.transactional(victim.scope, { transactionalId: plain[1], email: 'victim@example.com' })
    await core.sends.transactional(attacker.scope, { transactionalId: plain[0], email: 'attacker@example.com' })
    await clock.passUntil(() => mailer.sent.length === 2, 5_000)
    expect(most).toBeLessThanOrEqual(2)
  })
})
