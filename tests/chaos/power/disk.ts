import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../random.js'

/** What a process did to one of the files, in the order of all of them. */
type Operation =
  | {
      readonly kind: 'write'
      readonly file: string
      readonly offset: number
      readonly data: Buffer
      readonly end: number
    }
  | { readonly kind: 'truncate'; readonly file: string; readonly length: number; readonly end: number }
  | { readonly kind: 'sync'; readonly file: string; readonly end: number }

const [write, sync, truncate] = [1, 2, 3]
const headLength = 24
const sector = 512

/** Reads what the shim wrote down (shim.c has the form); `end` is the length of the log when the operation was in it. */
export const readOperations = (log: Buffer): readonly Operation[] => {
  const operations: Operation[] = []
  for (let at = 0; at + headLength <= log.length; ) {
    const kind = log.readUInt32LE(at)
    const nameLength = log.readUInt32LE(at + 4)
    const offset = Number(log.readBigUInt64LE(at + 8))
    const length = Number(log.readBigUInt64LE(at + 16))
    const dataAt = at + headLength + nameLength
    const end = dataAt + (kind === write ? length : 0)
    // The process ended in the middle of it.
    if (end > log.length) break
    const file = log.toString('utf8', at + headLength, dataAt)
    if (kind === write) operations.push({ kind: 'write', file, offset, data: log.subarray(dataAt, end), end })
    else if (kind === truncate) operations.push({ kind: 'truncate', file, length, end })
    else if (kind === sync) operations.push({ kind: 'sync', file, end })
    at = end
  }
  return operations
}

/** A file's bytes, which grow as they are written to. */
const growingFile = (base: Buffer) => {
  let bytes = Buffer.from(base)
  let length = base.length
  return {
    write: (offset: number, data: Buffer) => {
      const end = offset + data.length
      if (end > bytes.length)
        bytes = Buffer.concat([bytes, Buffer.alloc(Math.max(end, 2 * bytes.length) - bytes.length)])
      data.copy(bytes, offset)
      length = Math.max(length, end)
    },
    truncate: (to: number) => {
      bytes.fill(0, Math.min(to, bytes.length))
      if (to > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(to - bytes.length)])
      length = to
    },
    bytes: () => bytes.subarray(0, length),
  }
}

const baseOf = (directory: string, file: string): Buffer => {
  try {
    return readFileSync(join(directory, file))
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * Has a directory, which is a copy of what was there before, look as it may after the power was lost when the log was `cut` bytes
 * long: of each file everything up to its last sync is there, of what came later any part in any order, and one write half, in sectors.
 */
export const losePower = (directory: string, operations: readonly Operation[], cut: number, random: Random): void => {
  const before = operations.filter(({ end }) => end <= cut)
  for (const file of new Set(before.map((one) => one.file))) {
    const own = before.filter((one) => one.file === file)
    const lastSync = own.findLastIndex(({ kind }) => kind === 'sync')
    const kept = random.next()
    const image = growingFile(baseOf(directory, file))
    for (const [i, operation] of own.entries()) {
      const isDurable = i <= lastSync
      if (operation.kind === 'sync' || (!isDurable && random.next() > kept)) continue
      if (operation.kind === 'truncate') {
        image.truncate(operation.length)
        continue
      }
      const { offset, data } = operation
      const isTorn = !isDurable && random.next() < 0.2
      const whole = isTorn ? random.between(0, Math.floor(data.length / sector)) * sector : data.length
      if (whole > 0) image.write(offset, data.subarray(0, whole))
    }
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), image.bytes())
  }
}
