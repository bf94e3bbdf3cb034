import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localFiles, type PausedFileRemoval, pauseFileRemovals, RemovalsPausedElsewhere } from '../src/index.js'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'posthorn-pause-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const bytes = (text: string) => new TextEncoder().encode(text)

const seenBy = async ({ files }: PausedFileRemoval) => {
  const seen: Record<string, string> = {}
  for await (const { key, place } of files()) seen[key] = readFileSync(place, 'utf8')
  return seen
}

const lease = () => join(directory, '.backup', 'lease')

const age = (seconds: number) => {
  const then = new Date(Date.now() - seconds * 1000)
  utimesSync(lease(), then, then)
}

describe('while removals are paused', () => {
  it('removed files are still there for the reader of the pause, and for nobody else', async () => {
    const files = localFiles(directory)
    await files.put('mails/1/a.txt', bytes('a'))
    await files.put('mails/1/b.txt', bytes('b'))
    await files.put('links/c', bytes('c'))
    await files.put('kept', bytes('kept'))
    const pause = await pauseFileRemovals(directory)
    await files.remove('mails/1')
    expect(await files.prune('links', new Date(Date.now() + 60_000))).toBe(1)
    await files.put('new', bytes('new'))
    for (const key of ['mails/1/a.txt', 'links/c']) expect(await files.get(key)).toBeUndefined()
    expect(await seenBy(pause)).toEqual({
      'mails/1/a.txt': 'a',
      'mails/1/b.txt': 'b',
      'links/c': 'c',
      kept: 'kept',
      new: 'new',
    })
    await pause.end()
    expect(new Set(readdirSync(directory))).toEqual(new Set(['kept', 'links', 'mails', 'new']))
    expect(readdirSync(join(directory, 'links'))).toEqual([])
  })

  it('a missing file can be removed, and drafts are no files', async () => {
    writeFileSync(join(directory, 'a.part'), 'half')
    const pause = await pauseFileRemovals(directory)
    await localFiles(directory).remove('nowhere/at-all')
    expect(await seenBy(pause)).toEqual({})
    await pause.end()
  })

  it('nobody else pauses them', async () => {
    const pause = await pauseFileRemovals(directory)
    await expect(pauseFileRemovals(directory)).rejects.toThrow(RemovalsPausedElsewhere)
    await pause.end()
    await (await pauseFileRemovals(directory)).end()
  })
})

describe('a pause whose process has died', () => {
  it('is replaced after a minute, and after ten seconds if this machine no longer has the process', async () => {
    const dead = await pauseFileRemovals(directory)
    age(61)
    const second = await pauseFileRemovals(directory)
    expect(existsSync(lease())).toBe(true)
    await dead.end()
    expect(existsSync(lease())).toBe(true)
    const [host] = readFileSync(lease(), 'utf8').split(' ')
    writeFileSync(lease(), `${host} 999999999 gone`)
    await expect(pauseFileRemovals(directory)).rejects.toThrow(RemovalsPausedElsewhere)
    age(11)
    await (await pauseFileRemovals(directory)).end()
    await second.end()
  })

  it('no longer keeps what is removed', async () => {
    const files = localFiles(directory)
    await files.put('a', bytes('a'))
    await files.put('b', bytes('b'))
    const dead = await pauseFileRemovals(directory)
    await files.remove('a')
    age(61)
    await files.remove('b')
    expect(readdirSync(directory)).toEqual([])
    await dead.end()
  })
})
