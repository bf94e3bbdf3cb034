import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { openDataDirectory, startError, UnusableDataDirectory } from '../src/data-directory.js'

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

/** What a call prints that fails. Root may do everything, so another process becomes nobody. */
const saidToSomebodyElse = (call: string): string => {
  const program = `
    const { openDataDirectory, hasStore } = await import('${new URL('../src/data-directory.ts', import.meta.url).href}')
    if (process.getuid() === 0) process.setuid(65534)
    ${call}`
  const options = ['--conditions=@posthorn/source', '--import=tsx', '--input-type=module', '-e', program]
  return spawnSync(process.execPath, options, { encoding: 'utf8', cwd: import.meta.dirname }).stderr
}

describe('a data directory with a part that cannot be used', () => {
  it.each(['files', 'outbox', 'hits', 'posthorn.db-workers'])('is rejected if %s is a file', (name) => {
    writeFileSync(join(data.path, name), '')
    expect(() => openDataDirectory(data.path, silent)).toThrow(`${join(data.path, name)} is no directory`)
  })

  it.each(['posthorn.db', 'posthorn.db-wal', 'secret'])('is rejected if %s is a directory', (name) => {
    mkdirSync(join(data.path, name))
    expect(() => openDataDirectory(data.path, silent)).toThrow(`${join(data.path, name)} is a directory`)
  })

  it('is rejected if it belongs to somebody else, whose id is named', () => {
    writeFileSync(join(data.path, 'posthorn.db'), '')
    chmodSync(join(data.path, 'posthorn.db'), process.getuid?.() === 0 ? 0o600 : 0o000)
    chmodSync(data.path, 0o777)
    const said = saidToSomebodyElse(`openDataDirectory('${data.path}', () => {})`)
    expect(said).toContain(`${join(data.path, 'posthorn.db')} cannot be read and written: `)
    expect(said).toMatch(/it belongs to user 0, and this is user 65534|its permissions refuse this user/)
  })

  it('is not taken for one without a store if it is closed to this user', () => {
    writeFileSync(join(data.path, 'posthorn.db'), '')
    chmodSync(data.path, process.getuid?.() === 0 ? 0o700 : 0o000)
    expect(saidToSomebodyElse(`hasStore('${data.path}')`)).toContain('Run this as the user of the server.')
    chmodSync(data.path, 0o700)
  })
})

/** What a start prints where `path` is mounted read-only. */
const saidOnReadOnly = (path: string, opened = path): string => {
  const mount = ['mount --bind "$1" "$1"', 'mount -o remount,bind,ro "$1"'].join(' && ')
  const call = `
    const { openDataDirectory } = await import('${new URL('../src/data-directory.ts', import.meta.url).href}')
    openDataDirectory(process.argv[1], () => {})`
  const node = [process.execPath, '--conditions=@posthorn/source', '--import=tsx', '--input-type=module', '-e', call]
  const script = `${mount} && path=$2 && shift 2 && exec "$@" "$path"`
  return spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', path, opened, ...node], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }).stderr
}

describe('a data directory on a read-only file system', () => {
  const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0

  it.skipIf(!mayMount)('is named as such (needs the right to mount)', () => {
    writeFileSync(join(data.path, 'posthorn.db'), '')
    const text = `The data directory ${data.path} is on a read-only file system (EROFS: read-only file system`
    expect(saidOnReadOnly(data.path)).toContain(text)
  })

  it.skipIf(!mayMount)('is named as such if it does not exist yet (needs the right to mount)', () => {
    const path = join(data.path, 'new')
    expect(saidOnReadOnly(data.path, path)).toContain(`The data directory ${path} is on a read-only file system (EROFS`)
  })
})

describe('an error at the start', () => {
  it.each([
    new Error('database or disk is full'),
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
  ])('says that the disk is full: %s', (error) => {
    expect(String(startError(error, '/data'))).toContain(
      `The disk of the data directory /data is full (${error.message})`,
    )
  })

  it('is otherwise left as it is', () => {
    const error = new Error('no relay')
    expect(startError(error, '/data')).toBe(error)
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
