import { type Core, type CorePorts, createCore } from '@posthorn/core'
import { noHitMeter } from '@posthorn/core/ports/runtime'
import { inMemoryJournalDisk, type KillableJournal, Killed, portsKilledAtWrite } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { hitVerdictSettleTime } from '../../src/tracking/classification.js'
import { maxWaitingHits } from '../../src/tracking/hits.js'
import { aTrackedCampaign, browser } from './tracked-mails.js'

const document =
  '<body><a href="https://shop.example.com/"><img src="x"></a><a href="https://example.org/{{contact.name}}">b</a></body>'
const tool = { 'user-agent': 'curl/8.5.0' }

/** A campaign to `n` readers, and processes with journals on one disk. */
const onOneDisk = async (n: number, disk = inMemoryJournalDisk()) => {
  const world = await aTrackedCampaign(n, document)
  const { ports, clock } = world
  const process = (changes: Partial<CorePorts> = {}) => {
    const hitJournal = disk.journal()
    return { core: createCore({ ...ports, hitJournal, ...changes }), hitJournal }
  }
  /** One that is killed before it records anything. */
  const doomed = () => {
    const { core, hitJournal } = process({ sleep: () => new Promise(() => {}) })
    return { core, kill: hitJournal.kill }
  }
  const open = async (core: Core, i: number, headers: Record<string, string> = browser) => {
    const mail = core.tracking.findMail((await world.pathsOf(i)).image)
    if (mail) core.tracking.addHit({ mail }, { method: 'GET', headers, ipAddress: '192.0.2.7' })
  }
  const click = async (core: Core, i: number, link: number, headers: Record<string, string> = browser) => {
    const path = (await world.pathsOf(i)).links[link]
    const followed = path && (await core.tracking.findLink(path))
    if (followed) core.tracking.addHit(followed, { method: 'GET', headers, ipAddress: '192.0.2.7' })
  }
  const recorded = async (core: Core) => {
    core.tracking.start()
    await clock.pass(2 * hitVerdictSettleTime.click)
  }
  return { ...world, disk, process, doomed, open, click, recorded }
}

describe('hits of a killed process', () => {
  it('are recorded by the next one, with their times', async () => {
    const { doomed, process, open, click, recorded, totals, recipients, contact, clock, disk } = await onOneDisk(2)
    const { core: first, kill } = doomed()
    const openedAt = clock.now().toISOString()
    await open(first, 0)
    clock.advance(5_000)
    await click(first, 0, 1)
    await open(first, 1, tool)
    kill()
    expect(disk.open()).toHaveLength(3)
    const { core } = process()
    await recorded(core)
    expect(await totals()).toMatchObject({ opens: 1, uniqueOpens: 1, clicks: 1, uniqueClicks: 1, machineOpens: 1 })
    const email = (await recipients({ filter: { clicked: 'true' } })).items[0]?.email ?? ''
    expect(await contact(email)).toMatchObject({ lastOpenDate: openedAt })
    expect(disk.open()).toEqual([])
  })

  it('are classified with hits that were recorded before', async () => {
    const { doomed, process, click, recorded, totals, clock, open } = await onOneDisk(1)
    const { core: first, kill } = doomed()
    await open(first, 0, tool)
    await first.tracking.flush()
    await click(first, 0, 2)
    clock.advance(5_000)
    await first.tracking.flush()
    await click(first, 0, 0)
    kill()
    await recorded(process().core)
    expect(await totals()).toMatchObject({ clicks: 0, machineClicks: 1, machineOpens: 1 })
  })

  it('are stored without IP addresses', async () => {
    const { ports, pathsOf } = await aTrackedCampaign(1, document)
    const kept: string[] = []
    const hitJournal = { ...inMemoryJournalDisk().journal(), add: ({ text }: { text: string }) => void kept.push(text) }
    const core = createCore({ ...ports, hitJournal, sleep: () => new Promise(() => {}) })
    const mail = core.tracking.findMail((await pathsOf(0)).image)
    if (mail) core.tracking.addHit({ mail }, { method: 'GET', headers: browser, ipAddress: '192.0.2.7' })
    expect(kept).toHaveLength(1)
    expect(kept[0]).toContain('Firefox')
    expect(kept[0]).not.toContain('192.0.2.7')
  })

  it('are not touched while that process lives', async () => {
    const { process, open, recorded, totals, clock } = await onOneDisk(1)
    const { core: first } = process()
    await open(first, 0)
    clock.advance(1_000)
    const { core: second } = process()
    await recorded(second)
    expect(await totals()).toMatchObject({ opens: 1, uniqueOpens: 1 })
  })

  it.each([...Array(14).keys()].flatMap((n) => (['before', 'after'] as const).map((when) => [n + 1, when] as const)))(
    'are counted once if the recording process is killed, too: at write %i, %s it',
    async (n, when) => {
      const { ports, doomed, process, open, click, recorded, totals, clock, disk } = await onOneDisk(3)
      const { core: first, kill } = doomed()
      for (const i of [0, 1, 2]) await open(first, i)
      clock.advance(20_000)
      for (const i of [0, 1]) await click(first, i, 0)
      for (let times = 0; times < 20; times += 1) await open(first, 2, tool)
      await click(first, 1, 2)
      kill()
      const { repositories, deliveries, figures, counters, webhookOutbox } = ports
      const hitJournal: KillableJournal = disk.journal()
      const dying = createCore({
        ...ports,
        ...portsKilledAtWrite({ repositories, deliveries, figures, counters, webhookOutbox }, n, when),
        hitJournal,
        log: (_level, _message, fields) => {
          if (String(fields?.error).includes(Killed.name)) hitJournal.kill()
        },
      })
      dying.tracking.start()
      await clock.pass(30_000)
      hitJournal.kill()
      await recorded(process().core)
      const wanted = { opens: 3, uniqueOpens: 3, clicks: 1, uniqueClicks: 1, machineOpens: 20, machineClicks: 1 }
      expect(await totals()).toMatchObject(wanted)
      expect(disk.open()).toEqual([])
      await recorded(process().core)
      expect(await totals()).toMatchObject(wanted)
    },
  )

  it('are recorded in batches, and wait while the store is down', async () => {
    const { ports, doomed, disk, process, open, recorded, totals, clock } = await onOneDisk(
      9,
      inMemoryJournalDisk({ atATime: 2 }),
    )
    const { core: first, kill } = doomed()
    for (let i = 0; i < 9; i += 1) await open(first, i)
    kill()
    let down = true
    const deliveries = new Proxy(ports.deliveries, {
      get: (target, name) =>
        name === 'get' && down
          ? () => Promise.reject(new Error('The store is down'))
          : (Reflect.get(target, name) as unknown),
    })
    const { core } = process({ deliveries })
    await recorded(core)
    expect(disk.open()).toHaveLength(9)
    expect(core.tracking.waiting()).toBe(9)
    await core.tracking.close()
    down = false
    const { core: last } = process()
    await recorded(last)
    await clock.pass(60_000)
    expect(await totals()).toMatchObject({ opens: 9, uniqueOpens: 9 })
    expect(disk.open()).toEqual([])
  })

  it('are skipped with a log line if unreadable', async () => {
    const { disk, process, recorded, lines } = await onOneDisk(1)
    const foreign = disk.journal()
    for (const text of ['', '{', '{"mail":{}}', '[]']) foreign.add({ name: `x${text}`, text })
    foreign.kill()
    await recorded(process().core)
    expect(disk.open()).toEqual([])
    expect(lines.filter(({ message }) => message.includes('could not be read'))).toMatchObject([{ fields: { n: 4 } }])
  })
})

describe('a full disk', () => {
  it('delays no response, and is logged once a minute', async () => {
    const { disk, process, open, totals, clock, lines } = await onOneDisk(3)
    let unjournaled = 0
    const unjournaledOne = () => {
      unjournaled += 1
    }
    const { core } = process({ hitMeter: { ...noHitMeter, unjournaled: unjournaledOne } })
    disk.fill(true)
    for (const i of [0, 1]) await open(core, i)
    disk.fill(false)
    await open(core, 2)
    expect([unjournaled, disk.open().length]).toEqual([2, 1])
    await clock.pass(2 * hitVerdictSettleTime.click)
    expect(await totals()).toMatchObject({ opens: 3 })
    expect(lines.filter(({ level, message }) => level === 'error' && message.includes('data directory'))).toHaveLength(
      1,
    )
  })
})

describe('pending hits', () => {
  it('are counted for the operator', async () => {
    const heard: Record<string, number> = {}
    const count = (what: string, n = 1) => {
      heard[what] = (heard[what] ?? 0) + n
    }
    const { doomed, process, open, click, clock } = await onOneDisk(2)
    const { core: first, kill } = doomed()
    await open(first, 1)
    kill()
    const { core } = process({
      hitMeter: {
        taken: (kind) => count(`taken ${kind}`),
        judged: (kind, by) => count(`${kind} ${by}`),
        refused: () => count('refused'),
        unavailable: () => count('unavailable'),
        dropped: (why, n) => count(why, n),
        unjournaled: () => count('unjournaled'),
        takenOver: (n) => count('taken over', n),
      },
    })
    core.tracking.findMail('forged')
    await core.tracking.findLink({ token: 'x', ref: '1' })
    await click(core, 0, 0)
    for (let n = 0; n < 105; n += 1) await open(core, 0, tool)
    core.tracking.start()
    await clock.pass(2 * hitVerdictSettleTime.click)
    expect(heard).toEqual({
      ...{ refused: 2, 'taken click': 1, 'taken open': 99, 'mail-flooded': 6 },
      ...{ 'taken over': 1, 'click person': 1, 'open machine': 99, 'open person': 1 },
    })
  })

  it('are limited: the oldest are dropped, also from the disk', async () => {
    const { ports } = await aTrackedCampaign(1, document)
    const over: string[] = []
    const hitJournal = {
      ...inMemoryJournalDisk().journal(),
      add: () => {},
      done: (names: readonly string[]) => void over.push(...names),
    }
    const core = createCore({ ...ports, hitJournal, sleep: () => new Promise(() => {}) })
    for (let n = 0; n < maxWaitingHits + 3; n += 1) {
      const mail = { table: '0'.repeat(12), dispatchId: n.toString(16).padStart(24, '0') }
      core.tracking.addHit({ mail }, { method: 'GET', headers: browser })
    }
    expect([core.tracking.waiting(), over.length]).toEqual([maxWaitingHits, 3])
  })
})
