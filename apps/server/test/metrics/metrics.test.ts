import type { MailOutcome } from '@posthorn/core/ports/transport'
import { recordingMailer } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { type MeteredWorld, meteredWorld } from './metered-world.js'

/** A mailer that answers these, one after the other, and then takes everything. */
const answering = (outcomes: readonly MailOutcome[]) => {
  const mailer = recordingMailer()
  let n = 0
  return {
    ...mailer,
    send: async () => {
      const outcome = outcomes[n] ?? ({ kind: 'accepted', providerMessageId: 'x' } as const)
      n += 1
      return outcome
    },
  }
}

const campaign = ({ core, project }: MeteredWorld) =>
  core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello',
    type: 'html',
    document: '<p>Hello <a href="{{unsubscribeLink}}">leave</a></p>',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })

describe('mail metrics', () => {
  it('count attempts by kind and outcome, and errors by class', async () => {
    const world = await meteredWorld({
      mailer: answering([
        { kind: 'refused', error: { name: 'SmtpRefused', message: '550 5.7.1 Policy' } },
        { kind: 'deferred', error: { name: 'SmtpConnectionLost', message: 'reset' }, throttled: false },
        { kind: 'deferred', error: { name: 'SmtpThrottled', message: '450 slow down' }, throttled: true },
      ]),
    })
    await world.project.subscribe(5)
    await campaign(world)
    await world.core.worker.runUntilIdle()
    expect(await world.read('posthorn_mails_total')).toEqual([
      '{kind="campaign",outcome="sent"} 2',
      '{kind="campaign",outcome="failed"} 1',
      '{kind="campaign",outcome="put_off"} 2',
    ])
    expect(await world.read('posthorn_mail_failures_total')).toEqual([
      '{class="policy",end="final"} 1',
      '{class="connection",end="retried"} 1',
      '{class="throttled",end="retried"} 1',
    ])
    expect(await world.read('posthorn_throttles_total')).toEqual(['{account="server"} 1'])
    expect(await world.read('posthorn_mails_expanded_total')).toEqual(['5'])
  })

  it('count excluded recipients by reason', async () => {
    const world = await meteredWorld()
    await world.project.subscribe(3)
    await world.core.suppressions.create(world.project.scope, { email: 'reader1@example.com' })
    await campaign(world)
    await world.core.worker.runUntilIdle()
    expect(await world.read('posthorn_mails_excluded_total')).toEqual(['{reason="suppressed"} 1'])
  })

  it('count events of known mails', async () => {
    const world = await meteredWorld()
    await world.project.subscribe(1)
    await campaign(world)
    await world.core.worker.runUntilIdle()
    const [sent] = (await collect(world)).map(({ _id }) => _id)
    const marking = {
      _id: sent ?? '',
      mark: 'bounced',
      now: world.clock.now().toISOString(),
      counted: () => [],
    } as const
    await world.ports.deliveries.mark(marking)
    await world.ports.deliveries.mark({ ...marking, _id: 'nobody:knows' })
    expect(await world.read('posthorn_mail_events_total')).toEqual(['{type="bounced"} 1'])
  })

  it('count expired leases by who reclaimed them', async () => {
    const world = await meteredWorld({}, (store) => ({
      ...store,
      deliveries: { ...store.deliveries, reclaim: async () => ({ lost: 3, queued: 0 }) },
    }))
    const now = world.clock.now().toISOString()
    expect((await world.ports.deliveries.reclaim(now, now)).lost).toBe(3)
    expect(await world.read('posthorn_leases_lost_total')).toEqual(['3'])
  })
})

/** All deliveries of the only campaign. */
const collect = async ({ ports }: MeteredWorld) => {
  const found = []
  for await (const dispatch of ports.repositories.dispatches.each({}))
    for await (const one of ports.deliveries.each(dispatch._id, 'sent')) found.push(one)
  return found
}

describe('store metrics', () => {
  it('time every operation by port, and return its result', async () => {
    const world = await meteredWorld()
    const counts = await world.read('posthorn_store_duration_seconds_count')
    expect(counts.some((line) => line.startsWith('{port="records",operation="add"}'))).toBe(true)
    await world.store.counters.take([{ key: 'k', n: 2 }])
    expect(await world.store.counters.used('k')).toBe(2)
    expect((await world.read('posthorn_store_duration_seconds_count')).join()).toContain(
      '{port="counters",operation="used"}',
    )
  })

  it('count errors, and rethrow them unchanged', async () => {
    const world = await meteredWorld()
    const { repositories } = world.store
    const { list } = world.project
    await expect(repositories.subscriberLists.add(list as never)).rejects.toThrow('is taken')
    expect(await world.read('posthorn_store_errors_total')).toEqual(['{port="records",operation="add"} 1'])
  })

  it('pass on what is not a promise', async () => {
    const world = await meteredWorld()
    const names = []
    for await (const { name } of world.store.repositories.projects.each({})) names.push(name)
    expect(names).toHaveLength(1)
    expect(world.store.repositories.projects.noun).toBe('Project')
  })
})

describe('backlog metrics', () => {
  it('report the size and age of the queues', async () => {
    const world = await meteredWorld({ mailer: answering([]) })
    await world.project.subscribe(2)
    await campaign(world)
    expect(await world.read('posthorn_dispatches')).toEqual(['{stage="expanding"} 1'])
    expect(await world.read('posthorn_store_up')).toEqual(['1'])
  })

  it('query the store at most every ten seconds', async () => {
    let asked = 0
    let oldest = ''
    const world = await meteredWorld({}, (store) => ({
      ...store,
      deliveries: {
        ...store.deliveries,
        backlog: async () => {
          asked += 1
          return [
            { lane: 'transactional', queued: 0, sending: 0, uncertain: 0 },
            { lane: 'bulk', queued: 7, sending: 2, uncertain: 0, oldest },
          ]
        },
      },
    }))
    oldest = world.clock.now().toISOString()
    expect(await world.read('posthorn_queue_mails')).toEqual([
      '{lane="bulk",status="queued"} 7',
      '{lane="bulk",status="sending"} 2',
    ])
    world.clock.advance(9_000)
    await world.read('posthorn_queue_mails')
    const before = asked
    world.clock.advance(91_000)
    expect(await world.read('posthorn_queue_oldest_seconds')).toEqual(['{lane="bulk"} 100'])
    expect(asked).toBe(before + 1)
    await world.read('posthorn_queue_mails')
    expect(asked).toBe(before + 1)
  })

  it('are missing while the store is down; all others remain', async () => {
    let fails = true
    const world = await meteredWorld({}, (store) => ({
      ...store,
      deliveries: {
        ...store.deliveries,
        backlog: () => (fails ? Promise.reject(new Error('gone')) : store.deliveries.backlog()),
      },
    }))
    const text = await world.metrics.registry.metrics()
    expect(text).toContain('posthorn_store_up 0\n')
    expect(text).not.toMatch(/^posthorn_(?:queue|dispatches|webhook_(?:queue|oldest))[^#]* \d+$/m)
    expect(text).toContain('posthorn_mails_total{')
    fails = false
    expect(await world.read('posthorn_store_up')).toEqual(['1'])
  })
})

describe('webhook metrics', () => {
  it('count posts by the receiver’s response', async () => {
    const world = await meteredWorld()
    const post = { url: 'https://receiver.example.com/', headers: {}, body: '{}' }
    await world.ports.eventPoster.post(post)
    world.eventPoster.answer(() => ({ kind: 'answered', status: 500 }))
    await world.ports.eventPoster.post(post)
    world.eventPoster.answer(() => ({ kind: 'unreachable', reason: 'it is not there' }))
    await world.ports.eventPoster.post(post)
    expect(await world.read('posthorn_webhook_posts_total')).toEqual([
      '{outcome="accepted"} 1',
      '{outcome="refused"} 1',
      '{outcome="unreachable"} 1',
    ])
    expect(await world.read('posthorn_webhook_post_duration_seconds_count')).toEqual(['3'])
    expect(await world.read('posthorn_webhook_lag_seconds_count')).toEqual([])
  })

  it('report the delay from an event to its acceptance, from the posted body', async () => {
    const world = await meteredWorld()
    const { core, project } = world
    await core.webhooks.set(project.scope, {
      url: 'https://receiver.example.com/',
      secretKey: `whsec_${'A'.repeat(32)}`,
      sent: true,
    })
    await project.subscribe(1)
    await campaign(world)
    await core.worker.runUntilIdle()
    world.clock.advance(42_000)
    await core.worker.postEvents()
    expect(await world.read('posthorn_webhook_posts_total')).toEqual(['{outcome="accepted"} 1'])
    expect(await world.read('posthorn_webhook_lag_seconds_sum')).toEqual(['42'])
  })
})

describe('the labels of all metrics', () => {
  it('contain neither a project nor an address', async () => {
    const world = await meteredWorld()
    await world.project.subscribe(3)
    await campaign(world)
    await world.core.worker.runUntilIdle()
    const text = await world.metrics.registry.metrics()
    expect(text).not.toContain(world.project.scope.projectId)
    expect(text).not.toMatch(/"[^"]*@[^"]*"/)
    expect(text).not.toMatch(/"[0-9a-f]{24}"/)
  })
})
