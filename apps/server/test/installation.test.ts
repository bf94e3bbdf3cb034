import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory } from '../src/data-directory.js'
import { openInstallation, WeakSecret } from '../src/installation.js'
import { temporaryDirectory } from './running-server.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

const short = 'x'.repeat(31)
const long = 'y'.repeat(32)

const open = async (secrets: readonly string[] | undefined) => {
  const lines: string[] = []
  const log: Log = (_level, message) => void lines.push(message)
  const config = { store: 'sqlite', mongodbUrl: undefined, secrets } as const
  const store = await openInstallation(config, openDataDirectory(data.path, log), log)
  await store.close()
  return lines
}

describe('a secret under 32 characters', () => {
  it('is refused in a new installation, of which nothing is made', async () => {
    for (const secrets of [[short], [long, short]]) {
      await expect(open(secrets)).rejects.toThrow(WeakSecret)
      await expect(open(secrets)).rejects.toThrow('openssl rand -base64 32')
    }
    expect(existsSync(join(data.path, 'posthorn.db'))).toBe(false)
  })

  it('is warned about in an old one, without being told', async () => {
    expect(await open([long])).toEqual([])
    const lines = await open([short])
    expect(lines).toEqual([expect.stringContaining('fewer than 32 characters')])
    expect(lines.join()).not.toContain(short)
  })

  it('is no matter where the secret is made', async () => {
    expect(await open(undefined)).toEqual([])
  })
})
