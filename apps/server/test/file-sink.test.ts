import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { mountSmallDisk } from '../../../tests/chaos/small-disk.js'
import { exportFileSink } from '../src/cli/exports.js'

const disk = mountSmallDisk(1)
afterEach(() => disk?.unmount())

describe.skipIf(disk === undefined)('an export onto a full disk', () => {
  it('ends with a message and leaves no file, whenever the disk fills', async () => {
    const file = join(disk?.directory ?? '', 'contacts.csv')
    const sink = await exportFileSink(file)
    const all = async () => {
      for (let n = 0; n < 200; n += 1) await sink.write('x'.repeat(10_000))
      await sink.end()
    }
    await expect(all()).rejects.toThrow(/contacts\.csv cannot be written \(.*no space.*\); nothing of it is kept/i)
    sink.abandon()
    expect(existsSync(file)).toBe(false)
  })
})
