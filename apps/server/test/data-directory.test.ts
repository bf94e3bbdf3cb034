import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { openDataDirectory, UnusableDataDirectory } from '../src/data-directory.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

const silent: Log = () => {}
const modeOf = (...parts: readonly string[]) => statSync(join(data.path, ...parts)).mode & 0o777

describe('the secret of a data directory', () => {
  it('is created once, readable only by its owner, and never changes', () => {
    const [secret = ''] = openDataDirectory(data.path, silent).secrets()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(openDataDirectory(data.path, silent).secrets()).toEqual([secret])
    expect(statSync(join(data.path, 'secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(data.path)).toEqual(['secret'])
  })

  it.each(['', 'too short', ' \n'])('is not replaced if the file is truncated: %j', (text) => {
    writeFileSync(join(data.path, 'secret'), text)
    expect(() => openDataDirectory(data.path, silent).secrets()).toThrow(UnusableDataDirectory)
    expect(() => openDataDirectory(data.path, silent).secrets()).toThrow('Set POSTHORN_SECRET instead.')
  })
})

describe('a data directory', () => {
  it('is created with its parents', () => {
    const path = join(data.path, 'a', 'b')
    expect(openDataDirectory(path, silent).database).toBe(join(path, 'posthorn.db'))
    expect(statSync(path).isDirectory()).toBe(true)
  })

  it('is rejected if a file has its name', () => {
    const path = join(data.path, 'file')
    writeFileSync(path, '')
    expect(() => openDataDirectory(path, silent)).toThrow(`The data directory ${path} cannot be used`)
  })
})

describe('the files of a data directory', () => {
  /** As files are created under the usual umask. */
  const openInstallation = () => {
    mkdirSync(join(data.path, 'outbox', '0a'), { recursive: true })
    for (const parts of [['posthorn.db'], ['posthorn.db-wal'], ['outbox', '0a', 'mail.eml']]) {
      writeFileSync(join(data.path, ...parts), '')
      chmodSync(join(data.path, ...parts), 0o644)
    }
    for (const parts of [['outbox', '0a'], ['outbox'], []]) chmodSync(join(data.path, ...parts), 0o755)
  }

  it('are closed to other users at the start, with one log line', () => {
    openInstallation()
    const lines: string[] = []
    const log: Log = (_level, message) => void lines.push(message)
    openDataDirectory(data.path, log)
    expect([modeOf(), modeOf('outbox'), modeOf('outbox', '0a')]).toEqual([0o700, 0o700, 0o700])
    expect([modeOf('posthorn.db'), modeOf('posthorn.db-wal'), modeOf('outbox', '0a', 'mail.eml')]).toEqual([
      0o600, 0o600, 0o600,
    ])
    openDataDirectory(data.path, log)
    expect(lines).toEqual([expect.stringContaining('could read the data directory')])
  })

  it('are closed again if one was added open', () => {
    openDataDirectory(data.path, silent)
    writeFileSync(join(data.path, 'posthorn.db'), '')
    chmodSync(join(data.path, 'posthorn.db'), 0o666)
    openDataDirectory(data.path, silent)
    expect(modeOf('posthorn.db')).toBe(0o600)
  })

  it('are not followed if they are links', () => {
    const elsewhere = temporaryDirectory()
    const file = join(elsewhere.path, 'file')
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    symlinkSync(file, join(data.path, 'link'))
    openDataDirectory(data.path, silent)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    elsewhere.remove()
  })
})
