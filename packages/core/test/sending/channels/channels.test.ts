import { createCore, type Scope } from '@posthorn/core'
import {
  inMemoryPorts,
  type RecordingMailerSettings,
  recordingMailers,
  sampleProject,
  throttlingMailerScript,
} from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { MailerUnavailable } from '../../../src/sending/channels/mailer.js'

const region = 'eu-west-1'
const keyOf = ({ projectId }: Scope) => `project:${projectId}:${region}`
const keys = { accessKeyId: 'AKIA-EXAMPLE', secretAccessKey: 'a-secret-that-opens' }
const minute = 60_000

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

type World = ReturnType<typeof worldOf>

const worldOf = (settings: Readonly<Record<string, RecordingMailerSettings>> = {}, perRegion = false) => {
  const world = inMemoryPorts()
  const mailers = recordingMailers(settings, { perRegion })
  const ports = { ...world.ports, mailers }
  const core = createCore(ports)
  const projects = async (names: readonly string[]) => {
    const made = []
    for (const name of names) made.push(await sampleProject(core, { name }))
    return made
  }
  return { ...world, ports, core, mailers, projects }
}

type Project = Awaited<ReturnType<typeof sampleProject>>

const toOwnAccount = ({ ports }: World, { scope }: Project, status: 'byoCloudSes' | 'production' = 'byoCloudSes') =>
  ports.repositories.projects.change({ _id: scope.projectId }, (one) => ({
    ...one,
    status,
    cloudConfig: {
      accessKeyId: ports.secrets.seal(keys.accessKeyId),
      secretAccessKey: ports.secrets.seal('s'),
      region,
    },
  }))

const sending = async ({ core, clock, ports }: World, { scope, list }: Project) => {
  const { _id } = await core.campaigns.create(scope, {
    name: 'News',
    subject: 'News',
    type: 'text',
    document: 'News',
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: clock.now().toISOString(),
  })
  const run = async () => {
    const { dispatchId = '' } = (await ports.repositories.campaigns.get({ _id })) ?? {}
    return ports.repositories.dispatches.get({ _id: dispatchId })
  }
  return {
    id: _id,
    run,
    campaign: () => core.campaigns.get(scope, _id),
    progress: () => core.campaigns.progress(scope, _id),
    retry: () => core.campaigns.retryFailed(scope, _id),
  }
}

const transactional = async ({ core }: World, { scope }: Project) => {
  const { _id } = await core.transactionalEmails.create(scope, {
    name: 'Code',
    subject: 'Code',
    type: 'text',
    document: '1',
  })
  return (email: string) => core.sends.transactional(scope, { email, transactionalId: _id })
}

const started = async (world: World) => {
  await world.core.worker.start()
  running.push(world.core.worker)
}

const one = async () => {
  const world = worldOf()
  const [project] = (await world.projects(['Own'])) as [Project]
  await toOwnAccount(world, project)
  const key = keyOf(project.scope)
  return { world, project, key, mailer: world.mailers.at(key) }
}

describe('a dispatch', () => {
  it('keeps its channel, whatever happens to its project', async () => {
    const { world, project, mailer } = await one()
    await project.subscribe(2)
    const { run } = await sending(world, project)
    expect((await run())?.channel).toEqual({ account: 'project', projectId: project.scope.projectId, region })
    await toOwnAccount(world, project, 'production')
    await world.core.worker.runUntilIdle()
    expect([mailer.sent.length, world.mailers.at('server').sent.length]).toEqual([2, 0])
  })

  it('uses the account of its sender’s region', async () => {
    const world = worldOf({}, true)
    const [project] = (await world.projects(['Regions'])) as [Project]
    const operator = { ...project.scope, caller: 'operator' } as const
    const other = await world.core.senderIdentities.create(operator, {
      email: 'post@example.com',
      name: '',
      region: 'us-east-1',
    })
    const mail = await transactional(world, project)
    await mail('ada@example.com')
    const { _id } = await world.core.transactionalEmails.create(project.scope, {
      name: 'T',
      subject: 'T',
      type: 'text',
      document: 'T',
      senderIdentity: other._id,
    })
    await world.core.sends.transactional(project.scope, { email: 'bea@example.com', transactionalId: _id })
    await world.core.worker.runUntilIdle()
    const sent = (key: string) => world.mailers.at(key).sent.map(({ to }) => to)
    expect([sent('server:eu-west-1'), sent('server:us-east-1')]).toEqual([['ada@example.com'], ['bea@example.com']])
  })
})

describe('two projects with own accounts and a shared one', () => {
  const three = async (settings: (keys: readonly string[]) => Readonly<Record<string, RecordingMailerSettings>>) => {
    const given: Record<string, RecordingMailerSettings> = {}
    const world = worldOf(given)
    const [first, second, shared] = (await world.projects(['First', 'Second', 'Shared'])) as [Project, Project, Project]
    Object.assign(given, settings([keyOf(first.scope), keyOf(second.scope)]))
    await toOwnAccount(world, first)
    await toOwnAccount(world, second)
    for (const project of [first, second, shared]) await project.subscribe(60)
    const mailers = [keyOf(first.scope), keyOf(second.scope), 'server'].map(world.mailers.at)
    return { world, projects: [first, second, shared] as const, mailers }
  }
  const sentBy = (mailers: Awaited<ReturnType<typeof three>>['mailers']) => mailers.map(({ sent }) => sent.length)

  it('are not slowed by each other’s throttling', async () => {
    const { world, projects, mailers } = await three(() => ({}))
    mailers[0]?.answer(throttlingMailerScript())
    await started(world)
    for (const project of projects) await sending(world, project)
    await world.clock.passUntil(() => mailers[1]?.sent.length === 60 && mailers[2]?.sent.length === 60, 3_000)
    expect(sentBy(mailers)).toEqual([0, 60, 60])
    mailers[0]?.answer(() => undefined)
    await world.clock.passUntil(() => mailers[0]?.sent.length === 60)
  })

  it('have separate rates', async () => {
    const { world, projects, mailers } = await three(([key = '']) => ({ [key]: { ratePerSecond: 2 } }))
    await started(world)
    for (const project of projects) await sending(world, project)
    await world.clock.pass(5_000)
    const [slow = 0, ...others] = sentBy(mailers)
    expect(others).toEqual([60, 60])
    expect(slow).toBeGreaterThan(7)
    expect(slow).toBeLessThanOrEqual(12)
    expect(await world.core.worker.rates()).toContainEqual({
      channel: { account: 'project', projectId: projects[0].scope.projectId, region },
      ratePerSecond: 2,
      handedPerSecond: 2,
    })
  })

  it('have separate concurrency limits', async () => {
    const { world, projects, mailers } = await three(([key = '']) => ({ [key]: { concurrency: 3 } }))
    mailers[0]?.answer(() => new Promise(() => undefined))
    await world.core.worker.start()
    for (const project of projects) await sending(world, project)
    await world.clock.passUntil(() => mailers[1]?.sent.length === 60 && mailers[2]?.sent.length === 60, 3_000)
    expect(mailers[0]?.handed).toHaveLength(3)
  })

  it.each(['hang', 'fail'] as const)('do not wait for a mailer that %ss to open', async (trouble) => {
    const { world, projects, mailers } = await three(() => ({}))
    world.mailers[trouble](keyOf(projects[0].scope), new Error('STS does not answer'))
    for (const project of projects) {
      const accepting = sending(world, project)
      await world.clock.pass(100)
      await accepting
    }
    await started(world)
    await world.clock.passUntil(() => mailers[1]?.sent.length === 60 && mailers[2]?.sent.length === 60, 3_000)
    expect(mailers[0]?.sent).toHaveLength(0)
  })
})

describe('a project whose mailer is unavailable', () => {
  const refused = new MailerUnavailable('The role of cloudConfig lets nobody in. Make it by the setup link.')

  it('is refused with the reason before anything is taken', async () => {
    const { world, project, key } = await one()
    const mail = await transactional(world, project)
    const credits = await project.credits()
    world.mailers.fail(key, refused)
    await expect(mail('ada@example.com')).rejects.toMatchObject({
      kind: 'invalid',
      message: `Project Email AWS configurations not found. ${refused.message}`,
    })
    expect(await project.credits()).toBe(credits)
  })

  it('is accepted if the problem may pass', async () => {
    const { world, project, key, mailer } = await one()
    const mail = await transactional(world, project)
    world.mailers.fail(key, new Error('STS does not answer'))
    await mail('ada@example.com')
    await world.core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    world.mailers.mend(key)
    world.clock.advance(minute)
    await world.core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
  })

  it('has its campaign stopped and credit returned, and can retry once it is fixed', async () => {
    const { world, project, key, mailer } = await one()
    await project.subscribe(5)
    const { campaign, progress, retry, run } = await sending(world, project)
    world.mailers.fail(key, refused)
    await world.core.worker.runUntilIdle()
    expect(await campaign()).toMatchObject({ status: 'error', errorMessage: refused.message })
    expect((await progress()).deliveries).toMatchObject({ failed: 5, queued: 0, excluded: 0 })
    expect(await project.credits()).toBe(10_000)

    expect(await retry()).toBe(5)
    await world.core.worker.runUntilIdle()
    expect(await campaign()).toMatchObject({ status: 'error', errorMessage: refused.message })
    expect(await project.credits()).toBe(10_000)

    world.mailers.mend(key)
    expect(await retry()).toBe(5)
    await world.core.worker.runUntilIdle()
    expect(await campaign()).toMatchObject({ status: 'sent' })
    expect([(await run())?.stage, mailer.sent.length, await project.credits()]).toEqual(['finished', 5, 9_995])
    expect(await run()).not.toHaveProperty('errorMessage')
    expect(await run()).not.toHaveProperty('resumes')
  })

  it('keeps the recipients that fan-out had not reached', async () => {
    const { world, project, key, mailer } = await one()
    await project.subscribe(3)
    const { campaign, retry, run } = await sending(world, project)
    const { _id = '' } = (await run()) ?? {}
    await world.ports.repositories.dispatches.change({ _id }, (dispatch) => ({ ...dispatch, resumes: 'expanding' }))
    await world.ports.deliveries.expand({
      dispatchId: _id,
      after: undefined,
      cursor: '',
      stage: 'stopped',
      deliveries: [],
      creditsHeld: 0,
      refund: { key: `credit:${project.account._id}`, n: 3 },
      now: world.clock.now().toISOString(),
    })
    await world.core.worker.maintain()
    expect((await campaign()).status).toBe('error')
    expect(await project.credits()).toBe(10_000)
    world.mailers.mend(key)
    expect(await retry()).toBe(0)
    await world.core.worker.runUntilIdle()
    expect([(await campaign()).status, mailer.sent.length, await project.credits()]).toEqual(['sent', 3, 9_997])
  })

  it('gets the mailer’s problem as the reason, also in the middle of a campaign', async () => {
    const { world, project, mailer } = await one()
    await project.subscribe(60)
    let problem: string | undefined
    mailer.problem = async () => problem
    mailer.answer(() => {
      if (mailer.handed.length >= 10) problem = 'Amazon has suspended sending by this account.'
      return problem
        ? { kind: 'deferred', throttled: false, error: { name: 'Suspended', message: problem } }
        : undefined
    })
    const { campaign, retry } = await sending(world, project)
    await world.core.worker.runUntilIdle()
    world.clock.advance(2 * minute)
    await world.core.worker.runUntilIdle()
    const sent = mailer.sent.length
    expect((await project.credits()) + sent).toBe(10_000)
    problem = undefined
    mailer.answer(() => undefined)
    const again = await retry()
    await world.core.worker.runUntilIdle()
    expect([again, mailer.sent.length, (await campaign()).status]).toEqual([60 - sent, 60, 'sent'])
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(60)
  })

  it('has a single mail fail, with its credit returned', async () => {
    const { world, project, key } = await one()
    const mail = await transactional(world, project)
    const { deliveryId = '' } = await mail('ada@example.com')
    world.mailers.fail(key, refused)
    await world.core.worker.runUntilIdle()
    expect(await world.ports.deliveries.get(deliveryId)).toMatchObject({
      status: 'failed',
      error: { name: 'MailerUnavailable', message: refused.message },
    })
    expect(await project.credits()).toBe(10_000)
  })
})

describe('a mail of a stopped account', () => {
  const stoppedAccount = async () => {
    const found = await one()
    found.mailer.problem = async () => 'Sending is paused.'
    return { ...found, send: await transactional(found.world, found.project) }
  }

  it('waits until the account sends again, because nobody could retry it', async () => {
    const { world, mailer, send } = await stoppedAccount()
    await send('ada@example.com')
    for (let passed = 0; passed < 60; passed += 1) {
      await world.core.worker.runUntilIdle()
      world.clock.advance(minute)
    }
    expect(mailer.handed).toEqual([])
    mailer.problem = async () => undefined
    world.clock.advance(2 * minute)
    await world.core.worker.runUntilIdle()
    expect(mailer.sent.map(({ to }) => to)).toEqual(['ada@example.com'])
  })

  it('fails after half a day, with its credit returned', async () => {
    const { world, project, send } = await stoppedAccount()
    const { deliveryId = '' } = await send('ada@example.com')
    await world.core.worker.runUntilIdle()
    world.clock.advance(12 * 60 * minute)
    await world.core.worker.runUntilIdle()
    expect(await world.ports.deliveries.get(deliveryId)).toMatchObject({
      status: 'failed',
      error: { message: 'Sending is paused.' },
    })
    expect(await project.credits()).toBe(10_000)
  })
})

describe('an expired lease', () => {
  it('waits for reports only on a channel that makes them', async () => {
    const given: Record<string, RecordingMailerSettings> = {}
    const world = worldOf(given)
    const [own, shared] = (await world.projects(['Own', 'Shared'])) as [Project, Project]
    given[keyOf(own.scope)] = { reportsSends: true }
    await toOwnAccount(world, own)
    const mailers = [keyOf(own.scope), 'server'].map(world.mailers.at)
    for (const project of [own, shared]) await (await transactional(world, project))('ada@example.com')
    const now = world.clock.now()
    const leaseUntil = new Date(now.getTime() + 1_000).toISOString()
    for (const { projectId } of [own.scope, shared.scope])
      await world.ports.deliveries.claim({
        queue: { lane: 'transactional', projectId },
        worker: 'dead',
        now: now.toISOString(),
        leaseUntil,
        limit: 1,
      })
    world.clock.advance(2_000)
    await world.core.worker.runUntilIdle()
    expect(mailers.map((mailer) => mailer.sent.length)).toEqual([0, 1])
    world.clock.advance(5 * minute)
    await world.core.worker.runUntilIdle()
    expect(mailers.map((mailer) => mailer.sent.length)).toEqual([1, 1])
  })
})
