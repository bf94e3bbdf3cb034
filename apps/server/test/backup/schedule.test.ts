import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { agendaJobs } from '@posthorn/adapters-node'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { fixedClock } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBuiltServer, stopServer, temporaryDirectory, until } from '../../../../tests/server-process.js'
import { lastBackupAt, runScheduledBackup, scheduleBackups } from '../../src/backup/schedule.js'
import { openDataDirectory } from '../../src/data-directory.js'
import { commandsIn } from '../terminal.js'

let data = temporaryDirectory()
let out = temporaryDirectory()
beforeEach(async () => {
  data = temporaryDirectory()
  out = temporaryDirectory()
})
afterEach(() => {
  data.remove()
  out.remove()
})

const setUp = async (keep: number) => {
  const clock = fixedClock('2026-05-01T12:00:00.000Z')
  const directory = openDataDirectory(data.path, () => {})
  await openSqliteStore({ file: directory.database }).close()
  let failures = 0
  const backup = (signal?: AbortSignal) =>
    runScheduledBackup(
      {
        schedule: { directory: out.path, everySeconds: 3600, keep },
        options: { data: directory, secrets: directory.secrets(), passphrase: undefined, clock: clock.now },
        log: () => {},
        onFailure: () => {
          failures += 1
        },
      },
      signal,
    )
  return { clock, backup, failures: () => failures }
}

/** As if the interval had passed: once the run before has been noted, the next is due now. */
const makeDue = async (file: string) => {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  const job = () =>
    database.prepare("SELECT next_run_at AS next, locked_at AS locked FROM jobs WHERE name = 'backup'").get() as {
      readonly next: string | null
      readonly locked: string | null
    }
  await until(() => job().locked === null && job().next !== null)
  const due = new Date(Date.now() - 1_000).toISOString()
  database
    .prepare("UPDATE jobs SET next_run_at = ?1, doc = json_set(doc, '$.nextRunAt', ?1) WHERE name = 'backup'")
    .run(due)
  database.close()
}

const names = () => readdirSync(out.path).toSorted()

describe('scheduled backups', () => {
  it('are kept up to the number that is configured, and nothing else is removed', async () => {
    const { clock, backup } = await setUp(2)
    writeFileSync(join(out.path, 'posthorn-mine.tar'), '')
    for (let n = 0; n < 3; n += 1) {
      await backup()
      clock.advance(3_600_000)
    }
    expect(names()).toEqual(['posthorn-20260501T130000Z.tar', 'posthorn-20260501T140000Z.tar', 'posthorn-mine.tar'])
    expect(await lastBackupAt(out.path)).toEqual(new Date('2026-05-01T14:00:00Z'))
  })

  it('remove what a killed one left a day ago, not one that may be under way', async () => {
    const { backup } = await setUp(2)
    for (const day of ['29', '30']) mkdirSync(join(out.path, `.posthorn-202604${day}T130000Z.tar.0123abcd.part`))
    await backup()
    expect(names()).toEqual(['.posthorn-20260430T130000Z.tar.0123abcd.part', 'posthorn-20260501T120000Z.tar'])
  })

  it('that fail are counted, and keep the earlier ones', async () => {
    const { clock, backup, failures } = await setUp(1)
    await backup()
    await expect(backup()).rejects.toThrow('exists already')
    expect(failures()).toBe(1)
    clock.advance(1_000)
    await backup()
    expect(names()).toEqual(['posthorn-20260501T120001Z.tar'])
  })

  it('that are ended with the server leave nothing and are no failure', async () => {
    const { backup, failures } = await setUp(1)
    await backup(AbortSignal.abort())
    expect(failures()).toBe(0)
    expect(names()).toEqual([])
  })

  it('are none where there is no directory', async () => {
    expect(await lastBackupAt(join(out.path, 'nowhere'))).toBeUndefined()
  })
})

it('two workers with one schedule make one backup each time that it is due', async () => {
  const directory = openDataDirectory(data.path, () => {})
  const clock = fixedClock('2026-05-01T12:00:00.000Z')
  const failures: string[] = []
  const asked = new Set<number>()
  const workers = await Promise.all(
    [1, 2].map(async (n) => {
      const store = openSqliteStore({ file: directory.database })
      const jobs = agendaJobs({ backend: store.jobBackend, log: () => {}, everyMs: 20 })
      const { stop } = await scheduleBackups({
        schedule: { directory: out.path, everySeconds: 3600, keep: 10 },
        options: { data: directory, secrets: directory.secrets(), passphrase: undefined, clock: clock.now },
        jobs,
        log: () => {},
        onFailure: () => failures.push('A second backup had the same name'),
      })
      // Both take jobs: so each has looked whether the backup is due.
      jobs.handle(`look-${n}`, async () => void asked.add(n))
      return { store, jobs, stop, look: () => jobs.at(new Date(), `look-${n}`, { name: `look-${n}`, data: {} }) }
    }),
  )
  const bothLooked = async () => {
    asked.clear()
    await Promise.all(workers.map(({ look }) => look()))
    await until(() => asked.size === 2)
  }
  await Promise.all(workers.map(({ jobs }) => jobs.start()))
  for (const count of [1, 2, 3]) {
    await until(() => names().filter((name) => name.endsWith('.tar')).length === count)
    await bothLooked()
    await bothLooked()
    expect(names().filter((name) => name.endsWith('.tar'))).toHaveLength(count)
    if (count === 3) break
    clock.advance(3_600_000)
    await makeDue(directory.database)
  }
  for (const { jobs, stop, store } of workers) {
    stop()
    await jobs.stop()
    await store.close()
  }
  expect(failures).toEqual([])
})

it('a worker makes them, and metrics and the doctor tell of the newest', async () => {
  const directory = join(out.path, 'backups')
  const environment = { POSTHORN_BACKUP_DIR: directory, POSTHORN_BACKUP_PASSPHRASE: 'correct horse battery staple' }
  const doctor = () => commandsIn(data.path, environment)('doctor')
  const server = await startBuiltServer(data.path, environment)
  await until(async () => (await lastBackupAt(directory)) !== undefined)
  const metrics = await (await fetch(`${server.base}/metrics`)).text()
  expect(Number(/^posthorn_backup_last_success_timestamp_seconds (\d+)$/m.exec(metrics)?.[1]) * 1000).toBe(
    (await lastBackupAt(directory))?.getTime(),
  )
  await stopServer(server)
  expect((await doctor()).stdout).toMatch(/^✓ backups: the newest in \S+ is 0\.0 hours old$/m)
  const elsewhere = { ...environment, POSTHORN_BACKUP_DIR: out.path }
  const { code, stdout } = await commandsIn(data.path, elsewhere)('doctor')
  expect(code).toBe(1)
  expect(stdout).toContain(`✗ backups: there is none in ${out.path} → a running worker makes them`)
})
