import { type Core, createCore, Refusal, type Scope } from '@posthorn/core'
import { inMemoryPorts, portsKilledAtWrite, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async ({ credits = 1000 } = {}) => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core, { credits })
  const run = (subscribers: readonly unknown[], options: object = {}) =>
    core.subscribers.bulk.run(scope, list._id, { subscribers: subscribers as never }, options)
  const told = async (subscribers: readonly unknown[], options: object = {}) =>
    (await run(subscribers, options)).results.map(
      ({ status, subscriberStatus, violations }) => violations?.join('; ') ?? `${status} ${subscriberStatus}`,
    )
  const statusOf = async (name: string) => (await core.subscribers.get(scope, list._id, `${name}@example.com`)).status
  const askFirst = async () => {
    const { _id: emailId } = await core.transactionalEmails.create(scope, {
      name: 'Confirm',
      subject: 'Confirm',
      type: 'text',
      document: 'Please follow {{verifyLink}}',
    })
    await core.subscriberLists.update(scope, list._id, { doubleOptIn: { active: true, emailId } })
  }
  return { core, ports, clock, mailer, scope, list, run, told, statusOf, askFirst }
}

const keyed = (core: Core, scope: Scope, listId: string, subscribers: readonly unknown[]) => {
  const body = { subscribers: subscribers as never }
  return core.idempotency.once(scope, {
    operation: 'bulkSubscribe',
    key: 'k',
    fingerprint: 'f',
    run: (inside) => core.subscribers.bulk.run(inside, listId, body),
    made: (inside) => core.subscribers.bulk.made(inside, body),
  })
}

const at = (name: string) => ({ email: `${name}@example.com` })

describe('subscribers in bulk', () => {
  it('are added with their contacts, and stay as they are if they are on the list', async () => {
    const { core, scope, list, told, statusOf } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    await core.contacts.create(scope, at('known'))
    await core.subscribers.subscribe(scope, list._id, at('active'))
    await core.subscribers.subscribe(scope, list._id, at('paused'))
    await core.subscribers.update(scope, list._id, 'paused@example.com', {
      status: 'paused',
      pausedUntil: '2027-01-01',
    })
    expect(
      await told([
        { ...at('new'), name: 'New', city: 'Graz' },
        at('known'),
        { ...at('active'), status: 'unverified' },
        { ...at('paused'), status: 'active', city: 'Wien' },
        { ...at('open'), status: 'unverified' },
        { ...at('wrong'), status: 'paused' },
      ]),
    ).toEqual([
      'created active',
      'updated active',
      'unchanged active',
      'updated paused',
      'created unverified',
      expect.stringMatching(/^status: expected/),
    ])
    expect(await core.contacts.get(scope, 'new@example.com')).toMatchObject({ city: 'Graz', _lists: ['Readers'] })
    expect([await statusOf('active'), await statusOf('paused'), await statusOf('open')]).toEqual([
      'active',
      'paused',
      'unverified',
    ])
  })

  it('get the status that a single subscription gives, with and without a double opt-in', async () => {
    for (const asks of [false, true])
      for (const before of ['none', 'unverified', 'active', 'unsubscribed'] as const)
        for (const wish of [undefined, 'active', 'unverified'] as const) {
          const ends = []
          for (const isBulk of [false, true]) {
            const { core, scope, list, statusOf, run, askFirst } = await start()
            if (before === 'unverified' || before === 'active')
              await core.subscribers.subscribe(scope, list._id, { ...at('ada'), status: before })
            if (before === 'unsubscribed') {
              await core.subscribers.subscribe(scope, list._id, at('ada'))
              await core.subscribers.update(scope, list._id, 'ada@example.com', { status: 'unsubscribed' })
            }
            if (asks) await askFirst()
            const row = { ...at('ada'), ...(wish && { status: wish }) }
            if (isBulk) await run([row])
            else
              await core.subscribers.subscribe(scope, list._id, row).catch((error: unknown) => {
                if (!(error instanceof Refusal)) throw error
              })
            ends.push(await statusOf('ada'))
          }
          expect([asks, before, wish, ends[1]]).toEqual([asks, before, wish, ends[0]])
        }
  })

  it('are asked to confirm once each where the list has a double opt-in', async () => {
    const { core, mailer, told, askFirst } = await start()
    await askFirst()
    const rows = [at('a'), at('A'), { ...at('b'), status: 'active' }, at('c')]
    expect(await told(rows)).toEqual([
      'created unverified',
      'unchanged unverified',
      'created active',
      'created unverified',
    ])
    await core.worker.runUntilIdle()
    expect(mailer.sent.map(({ to }) => to).sort()).toEqual(['a@example.com', 'c@example.com'])
  })

  it('are not stored if no confirmation can be sent', async () => {
    const { core, scope, list, told, askFirst } = await start({ credits: 0 })
    await askFirst()
    const [first, second] = await told([at('a'), { ...at('b'), status: 'active' }])
    expect(first).toMatch(/credit/i)
    expect(second).toBe('created active')
    expect((await core.subscribers.list(scope, list._id, { limit: 10, skip: 0 })).count).toBe(1)
  })

  it('refuse suppressed addresses, whatever the reason', async () => {
    const { core, scope, told } = await start()
    await core.suppressions.create(scope, { ...at('asked') })
    await core.suppressions.create(scope, { ...at('bounced'), reason: 'bounce' })
    expect(await told([at('asked'), at('bounced')])).toEqual([
      'The provided email is on the suppression list.',
      expect.stringContaining('flagged due to bouncing'),
    ])
  })

  it('are counted and published as single ones are', async () => {
    const { core, scope, list, run } = await start()
    await core.subscribers.subscribe(scope, list._id, at('left'))
    await core.subscribers.update(scope, list._id, 'left@example.com', { status: 'unsubscribed' })
    const before = await core.subscriberLists.stats(scope, list._id)
    await run([at('a'), at('b'), at('left'), { ...at('open'), status: 'unverified' }])
    const after = await core.subscriberLists.stats(scope, list._id)
    expect(after.subscribed - before.subscribed).toBe(3)
    expect(after).toMatchObject({ active: 3, unverified: 1, unsubscribed: 0 })
  })

  it('need a list of the project', async () => {
    const { core, scope, run } = await start()
    const other = await sampleProject(core, { name: 'Other' })
    await expect(core.subscribers.bulk.run(scope, other.list._id, { subscribers: [] })).rejects.toMatchObject({
      kind: 'not-found',
    })
    await expect(run('x' as never)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it.each(['before', 'after'] as const)('end the same when their process dies %s any of its writes', async (when) => {
    const rows = [at('new'), at('known'), at('left'), { ...at('plain'), status: 'active' }, at('NEW')]
    const begin = async () => {
      const world = await start()
      const { core, scope, list, askFirst } = world
      await core.contacts.create(scope, at('known'))
      await core.subscribers.subscribe(scope, list._id, at('left'))
      await core.subscribers.update(scope, list._id, 'left@example.com', { status: 'unsubscribed' })
      await askFirst()
      return world
    }
    const plain = (answer: unknown) => {
      const { results } = (answer as { result: Awaited<ReturnType<Core['subscribers']['bulk']['run']>> }).result
      return results.map(({ _id, ...result }) => result)
    }
    const whole = await begin()
    const expected = plain(await keyed(whole.core, whole.scope, whole.list._id, rows))
    for (let n = 1; ; n += 1) {
      const { core, ports, clock, mailer, scope, list } = await begin()
      const { settings, ...others } = ports
      const dying = createCore({ ...portsKilledAtWrite(others, n, when), settings })
      const died = await keyed(dying, scope, list._id, rows).then(
        () => false,
        () => true,
      )
      if (!died) break
      clock.advance(61_000)
      expect(plain(await keyed(core, scope, list._id, rows))).toEqual(expected)
      await core.worker.runUntilIdle()
      const asked = mailer.sent.map(({ to }) => to)
      // A mail that was counted and not yet accepted can be sent again after ten minutes, as after a single subscription.
      expect(new Set(asked).size).toBe(asked.length)
      expect(asked).not.toContain('plain@example.com')
    }
  })
})
