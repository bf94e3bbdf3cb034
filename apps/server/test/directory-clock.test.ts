import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkout, startBuiltServer, stopServer, temporaryDirectory, until } from '../../../tests/server-process.js'
import { clockSetBackWarning } from '../src/data-directory.js'
import { commandsIn } from './terminal.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

const hour = 3_600_000
const doctor = async () => (await commandsIn(data.path)('doctor')).stdout

describe('a directory that was written in the future', () => {
  const now = new Date('2026-05-01T12:00:00Z')
  const writtenAt = (ahead: number) => {
    writeFileSync(join(data.path, 'posthorn.db'), '')
    const at = new Date(now.getTime() + ahead)
    for (const path of [join(data.path, 'posthorn.db'), data.path]) utimesSync(path, at, at)
  }

  it.each([
    [5_000, undefined],
    [-300 * 24 * hour, undefined],
    [5_001, 'The clock of this machine is 5 s behind the last write to the data directory.'],
    [hour, 'The clock of this machine is 3600 s behind the last write to the data directory.'],
  ])('by %i ms: %s', (ahead, text) => {
    writtenAt(ahead)
    expect(clockSetBackWarning(data.path, now)?.split(' It was')[0]).toBe(text)
  })

  it('is nothing to say about one that does not exist', () => {
    expect(clockSetBackWarning(join(data.path, 'none'), now)).toBeUndefined()
  })
})

describe('a server on SQLite', () => {
  /** Its clock is ahead by what is written to the file. */
  const shifted = (milliseconds: number) => {
    const file = join(clock.path, 'clock')
    writeFileSync(file, String(milliseconds))
    const preload = pathToFileURL(join(checkout, 'tests/chaos/clock.js')).href
    return { CHAOS_CLOCK: file, NODE_OPTIONS: `--import=${preload}`, POSTHORN_LOG_LEVEL: 'info' }
  }
  let clock = temporaryDirectory()
  beforeEach(() => {
    clock = temporaryDirectory()
  })
  afterEach(() => clock.remove())

  it('logs that its clock jumped ahead and was set back, and is ready all along', async () => {
    const server = await startBuiltServer(data.path, shifted(0))
    expect(server.printed()).not.toContain('The clock')
    shifted(hour)
    await until(() => server.printed().includes('The clock of this machine jumped ahead by 3600 s'))
    shifted(0)
    await until(() => server.printed().includes('The clock of this machine was set back by 3600 s'))
    expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
    expect(await stopServer(server)).toBe(0)
  })

  it('logs at its start that the clock was set back since the last one', async () => {
    await stopServer(await startBuiltServer(data.path))
    const server = await startBuiltServer(data.path, shifted(-hour))
    expect(server.printed()).toMatch(
      /The clock of this machine is 3\d{3} s behind the last write to the data directory/,
    )
    expect(await stopServer(server)).toBe(0)
  })

  it('is described by doctor, with what to do, if its clock was set back', async () => {
    await stopServer(await startBuiltServer(data.path))
    expect(await doctor()).not.toContain('clock:')
    const later = new Date(Date.now() + hour)
    expect(readdirSync(data.path)).toContain('public-url')
    utimesSync(join(data.path, 'public-url'), later, later)
    expect(await doctor()).toMatch(/^✗ clock: The clock of this machine is 3\d{3} s behind .* → synchronise the clock/m)
  })
})
