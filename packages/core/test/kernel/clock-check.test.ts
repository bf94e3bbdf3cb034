import { createCore } from '@posthorn/core'
import { clockChecker } from '@posthorn/core/ports/runtime'
import { fixedClock, inMemoryPorts, recordingLog, sampleProject, scriptedStoreClock } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const hours = 3_600_000

describe('a process that compares its clock with the store’s', () => {
  const start = () => {
    const clock = fixedClock()
    const storeClock = scriptedStoreClock(clock.now)
    const { log, lines } = recordingLog()
    return { clock, storeClock, lines, check: clockChecker({ storeClock, clock: clock.now, sleep: clock.sleep, log }) }
  }

  it.each([
    [5_000, true],
    [-5_000, true],
    [5_001, false],
    [-5_001, false],
    [300 * 24 * hours, false],
  ])('that is %i ms ahead is right: %s', async (ahead, isRight) => {
    const { storeClock, check } = start()
    storeClock.processAhead(ahead)
    expect([await check.look(), check.isRight()]).toEqual([isRight, isRight])
  })

  it('reports a difference once, names it, and recovers by itself', async () => {
    const { storeClock, check, lines } = start()
    storeClock.processAhead(-12_000)
    await check.look()
    await check.look()
    expect(check.problem()).toBe("The clock of this process is 12 s behind the database's.")
    expect(lines.map(({ level }) => level)).toEqual(['error'])
    storeClock.processAhead(0)
    await check.look()
    expect([check.problem(), lines.map(({ level }) => level)]).toEqual([undefined, ['error', 'info']])
  })

  it('does not mistake a slow response for a difference', async () => {
    const clock = fixedClock()
    const now = async () => {
      const there = clock.now()
      clock.advance(20_000)
      return there
    }
    const check = clockChecker({ storeClock: { now }, clock: clock.now, sleep: clock.sleep, log: () => {} })
    expect(await check.look()).toBe(true)
  })
})

describe('a process whose store has no clock', () => {
  it.each([
    [6_000, 'The clock of this machine jumped ahead by 6 s, or the machine was suspended.'],
    [-24 * hours, 'The clock of this machine was set back by 86400 s.'],
  ])('reports a jump of its clock by %i ms once, and goes on', async (jump, message) => {
    const clock = fixedClock()
    const { log, lines } = recordingLog()
    let moved = 0
    const now = () => new Date(clock.now().getTime() + moved)
    const uptime = () => clock.now().getTime()
    const check = clockChecker({ uptime, clock: now, sleep: clock.sleep, log })
    check.start()
    await clock.pass(10_000)
    expect(lines).toEqual([])
    moved = jump
    await clock.pass(20_000)
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', message: expect.stringContaining(message) })])
    expect([check.isRight(), check.problem()]).toEqual([true, undefined])
    check.stop()
  })

  it('does not report a clock that is synchronised in small steps', async () => {
    const clock = fixedClock()
    const { log, lines } = recordingLog()
    let moved = 0
    const now = () => new Date(clock.now().getTime() + moved)
    const check = clockChecker({ uptime: () => clock.now().getTime(), clock: now, sleep: clock.sleep, log })
    check.start()
    for (let step = 0; step < 10; step += 1) {
      moved += 2_000
      await clock.pass(5_000)
    }
    expect(lines).toEqual([])
    check.stop()
  })
})

describe('a worker whose clock is ahead of the store’s', () => {
  /** A process whose clock is ahead by what `ahead.by` says. */
  const start = async () => {
    const ahead = { by: 0 }
    const world = inMemoryPorts()
    const { clock } = world
    const now = () => new Date(clock.now().getTime() + ahead.by)
    const core = createCore({ ...world.ports, clock: now, storeClock: { now: async () => clock.now() } })
    const project = await sampleProject(core)
    await project.subscribe(3)
    const campaign = (after: number) =>
      core.campaigns.create(project.scope, {
        ...{ name: 'January', subject: 'Hello', type: 'html', timeZone: 'UTC', status: 'scheduled' },
        ...{ document: '<a href="{{unsubscribeLink}}">leave</a>', subscriberListId: project.list._id },
        scheduledTo: new Date(clock.now().getTime() + after).toISOString(),
      })
    return { ...world, ahead, core, project, campaign }
  }

  it('neither starts a campaign early nor gives it up as late, and starts it once the clock is right', async () => {
    const { clock, jobs, ahead, core, project, campaign } = await start()
    const { _id } = await campaign(hours)
    const status = async () => (await core.campaigns.get(project.scope, _id)).status
    ahead.by = 8 * hours
    await core.worker.maintain()
    expect(await status()).toBe('scheduled')
    expect(core.notReady()).toMatch(/ahead of the database's/)
    ahead.by = 0
    clock.advance(hours)
    await jobs.runDue()
    expect(await status()).toBe('being-sent')
  })

  it('claims no deliveries until its clock is right', async () => {
    const { ahead, core, campaign, mailer } = await start()
    await campaign(-hours)
    ahead.by = 6_000
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    ahead.by = 0
    await core.worker.runUntilIdle()
    expect([mailer.sent.length, core.notReady()]).toEqual([3, undefined])
  })
})

describe('the start of a worker', () => {
  it('waits for a store that does not respond, logs that once, and is not ready until then', async () => {
    const world = inMemoryPorts()
    let failures = 3
    const every: typeof world.ports.jobs.every = async (...given) => {
      failures -= 1
      if (failures >= 0) throw new Error('connection 1 interrupted due to server monitor timeout')
      return world.ports.jobs.every(...given)
    }
    const core = createCore({ ...world.ports, sleep: async () => {}, jobs: { ...world.ports.jobs, every } })
    const started = core.worker.start()
    expect(core.notReady()).toMatch(/^The worker has not started yet/)
    await started
    expect(core.notReady()).toBeUndefined()
    const told = world.lines.map(({ message }) => message).filter((message) => message.includes('start of the worker'))
    expect(told).toHaveLength(2)
    await core.worker.stop()
  })
})
