import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'

/** Files at the same time; a million contacts in 128 files are 8,000 in memory. */
const bucketCount = 128

/**
 * Groups rows by their record's id in constant memory: writes them to temporary files, which only the owner can read, then reads each file as a
 * whole.
 */
export const openTemporaryBuckets = <Row>() => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-migration-'))
  const fileOf = (index: number) => join(directory, String(index))
  const streams = new Map<number, WriteStream>()
  let pending = new Map<number, string[]>()
  let failure: Error | undefined

  const streamOf = (index: number): WriteStream => {
    const open = streams.get(index)
    if (open) return open
    const stream = createWriteStream(fileOf(index), { mode: 0o600 })
    stream.on('error', (error) => {
      failure = error
    })
    streams.set(index, stream)
    return stream
  }

  const flush = async (): Promise<void> => {
    const due = pending
    pending = new Map()
    for (const [index, lines] of due) {
      const stream = streamOf(index)
      if (!stream.write(`${lines.join('\n')}\n`) && !failure) await once(stream, 'drain')
      if (failure) throw failure
    }
  }

  return {
    /** Kept in memory until the next `flush`. */
    add: (id: number, row: Row): void => {
      const index = Math.abs(id) % bucketCount
      const lines = pending.get(index)
      if (lines) lines.push(JSON.stringify(row))
      else pending.set(index, [JSON.stringify(row)])
    },
    flush,
    end: async (): Promise<void> => {
      await flush()
      for (const stream of streams.values()) {
        stream.end()
        await finished(stream)
      }
    },
    /** The rows of each file, in the order in which they were added. */
    each: function* (): Generator<readonly Row[]> {
      for (const index of [...streams.keys()].sort((a, b) => a - b))
        yield readFileSync(fileOf(index), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Row)
    },
    close: (): void => rmSync(directory, { recursive: true, force: true }),
  }
}
