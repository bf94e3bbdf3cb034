import { setImmediate as othersTurn } from 'node:timers/promises'
import { invalid, Refusal, type YieldToEventLoop } from '@posthorn/core/ports/runtime'
import { mostBulkContactRows, mostJsonLevels, mostJsonValues, UnreadableRow } from '@posthorn/core/ports/transport'
import type { Request, Response } from 'express'
import {
  assertJsonWithinLimits,
  hasRequestBody,
  isUtf8Request,
  jsonStringEnd,
  noJson,
  noJsonObject,
  parsedJson,
  readRequestBytes,
} from './request.js'

/** Bytes of one row. */
const largestRow = 256 * 1024

/** Bytes that are read in one step, which takes a millisecond or less. */
const stepSize = 64 * 1024

const [quote, comma, colon, newline] = [0x22, 0x2c, 0x3a, 0x0a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09
const isEnd = (byte: number | undefined) =>
  byte === comma || byte === closeBrace || byte === closeBracket || isBlank(byte)

const tooManyRows = () => invalid(`The body has more than ${mostBulkContactRows} rows. Send several requests.`)
const tooLarge = `larger than ${largestRow} bytes`

/** Beyond `bytes` if the value does not end. @throws Refusal `invalid` if too deep or wide */
const endOfValue = (bytes: Buffer, from: number): number => {
  const first = bytes[from]
  if (first === quote) return jsonStringEnd(bytes, from + 1) + 1
  let at = from
  if (first !== openBrace && first !== openBracket) {
    while (at < bytes.length && !isEnd(bytes[at])) at += 1
    return at
  }
  let [depth, values] = [0, 0]
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = jsonStringEnd(bytes, at + 1)
    else if (byte === comma) values += 1
    else if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
    if (depth === 0) return at + 1
    if (depth > mostJsonLevels) throw invalid(`A row is nested more than ${mostJsonLevels} levels deep.`)
    if (values > mostJsonValues) throw invalid(`A row contains more than ${mostJsonValues} values.`)
  }
  return bytes.length + 1
}

/** Reads one JSON text from left to right, never more than a row at a time. */
const jsonReader = (bytes: Buffer, start: number) => {
  let at = start
  const peek = (): number | undefined => {
    const limit = at + largestRow
    while (isBlank(bytes[at])) {
      at += 1
      if (at > limit) throw noJson()
    }
    return bytes[at]
  }
  const skip = (byte: number): void => {
    if (peek() !== byte) throw noJson()
    at += 1
  }
  return {
    at: () => at,
    peek,
    skip,
    isAtEnd: () => peek() === undefined,
    value: (name: string): unknown => {
      peek()
      const most = bytes.subarray(0, Math.min(bytes.length, at + largestRow))
      const end = endOfValue(most, at)
      if (end > most.length) throw most.length < bytes.length ? invalid(`${name}: ${tooLarge}`) : noJson()
      const value = parsedJson(bytes.toString('utf8', at, end))
      at = end
      return value
    },
    /** Whether another entry follows; skips the comma, or the closing sign. */
    next: (closing: number, isFirst: boolean): boolean => {
      if (peek() === closing) {
        at += 1
        return false
      }
      if (!isFirst) skip(comma)
      return true
    },
  }
}

/** For the schema to refuse. */
const notAnObject = (reader: ReturnType<typeof jsonReader>): object => {
  const value = reader.value('The body')
  if (!reader.isAtEnd()) throw noJson()
  if (typeof value !== 'object' || value === null) throw noJsonObject()
  return value
}

const hasMark = (bytes: Buffer) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Parses the array `name` row by row. @throws Refusal `invalid` */
const jsonRows = async (bytes: Buffer, name: string, pause: YieldToEventLoop): Promise<object> => {
  const reader = jsonReader(bytes, hasMark(bytes) ? 3 : 0)
  const body: Record<string, unknown> = Object.create(null)
  let rested = 0
  if (reader.peek() !== openBrace) return notAnObject(reader)
  reader.skip(openBrace)
  for (let isFirst = true; reader.next(closeBrace, isFirst); isFirst = false) {
    if (reader.peek() !== quote) throw noJson()
    const key = String(reader.value('A name'))
    reader.skip(colon)
    if (key !== name || reader.peek() !== openBracket) {
      body[key] = reader.value(key)
      continue
    }
    const rows: unknown[] = []
    reader.skip(openBracket)
    while (reader.next(closeBracket, rows.length === 0)) {
      if (rows.length === mostBulkContactRows) throw tooManyRows()
      rows.push(reader.value(`${name}[${rows.length}]`))
      if (reader.at() - rested < stepSize) continue
      await pause()
      rested = reader.at()
    }
    body[key] = rows
  }
  if (!reader.isAtEnd()) throw noJson()
  return { ...body }
}

const rowOf = (line: Buffer): unknown => {
  if (line.length > largestRow) return new UnreadableRow(`The row is ${tooLarge}.`)
  try {
    assertJsonWithinLimits(line)
    return parsedJson(line.toString('utf8'))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return new UnreadableRow(error.message.replace('body', 'row'))
  }
}

/** Skips blank lines. An unreadable line is a row that fails. @throws Refusal `invalid` for too many rows */
export const ndjsonBodyRows = async (bytes: Buffer, pause: YieldToEventLoop): Promise<readonly unknown[]> => {
  const rows: unknown[] = []
  let rested = 0
  for (let from = hasMark(bytes) ? 3 : 0; from < bytes.length; ) {
    const found = bytes.indexOf(newline, from)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(from, end)
    from = end + 1
    if (line.length > largestRow || !line.every(isBlank)) {
      if (rows.length === mostBulkContactRows) throw tooManyRows()
      rows.push(rowOf(line))
    }
    if (from - rested < stepSize) continue
    await pause()
    rested = from
  }
  return rows
}

const types = { json: 'application/json', ndjson: 'application/x-ndjson' } as const

/** @throws Refusal `invalid` for another type or invalid JSON, HttpRefusal `too-large` */
export const readBodyRows = async (
  request: Request,
  response: Response,
  limit: number,
  name: string,
): Promise<unknown> => {
  if (!hasRequestBody(request)) return undefined
  const type = request.is([types.json, types.ndjson])
  if (!type) throw invalid(`The body must be JSON or NDJSON, with Content-Type: ${types.json} or ${types.ndjson}.`)
  if (!isUtf8Request(request)) throw invalid('The body must be encoded in UTF-8.')
  const bytes = await readRequestBytes(request, response, limit)
  return type === types.json ? jsonRows(bytes, name, othersTurn) : { [name]: await ndjsonBodyRows(bytes, othersTurn) }
}
