import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../server-process.js'
import { seeded } from '../random.js'
import { losePower, readOperations } from './disk.js'

describe('a disk that loses power', () => {
  const directory = temporaryDirectory()
  afterAll(directory.remove)
  const file = join(directory.path, 'file')

  /** As the shim writes it down. */
  const record = (kind: number, offset: number, length: number, data = Buffer.alloc(0)) => {
    const name = Buffer.from('file')
    const head = Buffer.alloc(24)
    head.writeUInt32LE(kind, 0)
    head.writeUInt32LE(name.length, 4)
    head.writeBigUInt64LE(BigInt(offset), 8)
    head.writeBigUInt64LE(BigInt(length), 16)
    return Buffer.concat([head, name, data])
  }
  const written = (offset: number, text: string) => record(1, offset, text.length, Buffer.from(text))
  const synced = record(2, 0, 0)
  const log = Buffer.concat([written(0, 'kept'), synced, written(4, 'lost'), written(8, 'late')])

  /** All that the file may have in it afterwards. */
  const outcomes = (bytes: Buffer, cut: number) =>
    new Set(
      Array.from({ length: 200 }, (_, seed) => {
        writeFileSync(file, '')
        losePower(directory.path, readOperations(bytes), cut, seeded(seed))
        return readFileSync(file, 'latin1').replaceAll('\0', '.')
      }),
    )

  it('keeps what was synced, and any part of later writes in any order', () => {
    expect(outcomes(log, log.length)).toEqual(new Set(['kept', 'keptlost', 'kept....late', 'keptlostlate']))
  })

  it('promises nothing that was not synced', () => {
    expect(outcomes(log, written(0, 'kept').length)).toEqual(new Set(['', 'kept']))
  })

  it('reads a log with a truncated last record', () => {
    expect(readOperations(log.subarray(0, log.length - 1))).toHaveLength(3)
  })
})
