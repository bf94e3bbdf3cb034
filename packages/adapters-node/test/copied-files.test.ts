import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Files } from '@posthorn/core/ports/runtime'
import { inMemoryFiles, recordingLog } from '@posthorn/testkit'
import { filesContract } from '@posthorn/testkit/contracts'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { locallyCopiedFiles } from '../src/copied-files.js'

const place = mkdtempSync(join(tmpdir(), 'posthorn-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

let made = 0
const fresh = () => {
  made += 1
  return join(place, String(made))
}

filesContract('copied files', async () => ({
  files: locallyCopiedFiles({ files: inMemoryFiles(), below: 'a', directory: fresh(), log: () => {} }),
  close: async () => {},
}))

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (found: Uint8Array | undefined) => found && new TextDecoder().decode(found)

describe('locally copied files', () => {
  let shared = inMemoryFiles()
  let isDown = false
  let asked = 0
  beforeEach(() => {
    shared = inMemoryFiles()
    isDown = false
    asked = 0
  })
  const answer = () => {
    asked += 1
    if (isDown) throw new Error('The store is down')
  }
  const distant: Files = {
    put: async (key, some) => {
      answer()
      await shared.put(key, some)
    },
    get: async (key) => {
      answer()
      return shared.get(key)
    },
    remove: (key) => shared.remove(key),
    prune: (key, before) => shared.prune(key, before),
    each: async function* (...given) {
      answer()
      yield* shared.each(...given)
    },
  }
  const node = (options: { readonly directory?: string; readonly maxBytes?: number } = {}) => {
    const { log, lines } = recordingLog()
    const read: string[] = []
    const onRead = (from: string) => void read.push(from)
    const files = locallyCopiedFiles({
      files: distant,
      below: 'links',
      directory: fresh(),
      log,
      lookTime: 20,
      onRead,
      ...options,
    })
    return { files, lines, read }
  }
  const until = async (holds: () => Promise<boolean>) => {
    await expect.poll(holds, { interval: 10 }).toBe(true)
  }
  const copiesIn = (directory: string) => {
    try {
      return readdirSync(join(directory, 'links')).toSorted()
    } catch {
      return []
    }
  }

  it('stay readable while the store is down: own writes, own reads, and other processes’ writes', async () => {
    const directory = fresh()
    const [here, there] = [node({ directory }), node()]
    await there.files.put('links/before', bytes('0'))
    await here.files.put('links/own', bytes('1'))
    await there.files.put('links/read', bytes('2'))
    await here.files.get('links/read')
    here.files.start()
    await until(async () => copiesIn(directory).includes('before'))
    await there.files.put('links/after', bytes('3'))
    await there.files.put('images/other', bytes('4'))
    await until(async () => copiesIn(directory).includes('after'))
    isDown = true
    for (const [key, text] of Object.entries({ before: '0', own: '1', read: '2', after: '3' }))
      expect(textOf(await here.files.get(`links/${key}`))).toBe(text)
    await expect(here.files.get('images/other')).rejects.toThrow('down')
    await expect(here.files.get('links/unknown')).rejects.toThrow('down')
    expect(here.read).toEqual(['store', 'copy', 'copy', 'copy', 'copy'])
    await here.files.stop()
    const again = node({ directory })
    expect(textOf(await again.files.get('links/after'))).toBe('3')
  })

  it('are updated again after the store was down, which is logged once', async () => {
    const directory = fresh()
    const { files, lines } = node({ directory })
    isDown = true
    files.start()
    await until(async () => asked > 3)
    await shared.put('links/a', bytes('1'))
    isDown = false
    await until(async () => copiesIn(directory).length === 1)
    await files.stop()
    expect(lines.filter(({ message }) => message.includes('could not be updated'))).toHaveLength(1)
  })

  it('are limited in size, and the oldest are removed first, including an earlier process’s', async () => {
    const directory = fresh()
    const first = node({ directory, maxBytes: 30 })
    for (const n of [1, 2, 3, 4]) {
      await first.files.put(`links/${n}`, bytes('1234567890'))
      await new Promise((done) => setTimeout(done, 5))
    }
    expect(copiesIn(directory)).toEqual(['2', '3', '4'])
    const second = node({ directory, maxBytes: 30 })
    await second.files.put('links/5', bytes('1234567890'))
    await second.files.put('links/6', bytes('x'.repeat(31)))
    expect(copiesIn(directory)).toEqual(['3', '4', '5'])
    expect(textOf(await second.files.get('links/1'))).toBe('1234567890')
  })

  it('are pruned and removed with their originals', async () => {
    const directory = fresh()
    const { files } = node({ directory })
    for (const n of [1, 2]) await files.put(`links/${n}`, bytes('x'))
    await files.remove('links/1')
    expect(copiesIn(directory)).toEqual(['2'])
    expect(await files.prune('links', new Date(Date.now() + 60_000))).toBe(1)
    expect(copiesIn(directory)).toEqual([])
    expect(await files.get('links/2')).toBeUndefined()
  })
})
