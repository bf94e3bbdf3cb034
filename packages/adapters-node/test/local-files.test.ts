import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localFiles } from '../src/index.js'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthorn-files-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const bytes = Uint8Array.of(1, 2, 3)

describe('files in a local directory', () => {
  it.each(['../x', 'a/../../x', '/etc/x', 'a//b', '.', '..', '', 'a/', 'a\\..\\x', 'a\0b', '.hidden', 'a/.x', 'ä'])(
    'cannot be outside or hidden: %j',
    async (key) => {
      const files = localFiles(join(directory, 'inside'))
      for (const use of [() => files.put(key, bytes), () => files.get(key), () => files.remove(key)])
        await expect(use()).rejects.toThrow('is not a valid file key')
      expect(await readdir(directory)).toEqual([])
    },
  )

  it('leave no draft if they cannot be renamed', async () => {
    const files = localFiles(directory)
    await files.put('a/b', bytes)
    await expect(files.put('a', bytes)).rejects.toMatchObject({ syscall: 'rename' })
    expect(await readdir(directory)).toEqual(['a'])
    expect(await readdir(join(directory, 'a'))).toEqual(['b'])
  })
})
