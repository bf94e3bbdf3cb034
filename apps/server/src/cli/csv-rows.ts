import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import type { ImportRow } from '@posthorn/core'
import { parse } from 'csv-parse'

/** A row that could not be read as one. */
export type BrokenRow = { readonly line: number; readonly error: string }

export type CsvOptions = {
  /** As TextDecoder names it; found out by looking at the file unless given. */
  readonly encoding?: string | undefined
  readonly broken: (row: BrokenRow) => void
  /** Called as the file is read. */
  readonly bytesRead?: (bytes: number) => void
}

const sampleSize = 64 * 1024

const sampleOf = (path: string): Buffer => {
  const file = openSync(path, 'r')
  try {
    const sample = Buffer.alloc(sampleSize)
    return sample.subarray(0, readSync(file, sample))
  } finally {
    closeSync(file)
  }
}

/** By its byte order mark or, without one, UTF-8 where the beginning is valid UTF-8, else Windows-1252. */
export const encodingOf = (sample: Buffer): string => {
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le'
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/**
 * The rows of a CSV file with a header, streamed. A broken row is told of and passed over. Commas, or semicolons where the header
 * has no comma.
 * @throws Error for a file that cannot be read, or an encoding that is not known
 */
export const csvRows = async function* (
  path: string,
  { encoding, broken, bytesRead }: CsvOptions,
): AsyncGenerator<ImportRow> {
  const sample = sampleOf(path)
  const used = encoding ?? encodingOf(sample)
  const [header = ''] = new TextDecoder(used).decode(sample).split(/\r?\n/, 1)
  const parser = parse({
    columns: (names: string[]) => names.map((name) => name.trim()),
    delimiter: header.includes(',') || !header.includes(';') ? ',' : ';',
    bom: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      broken({ line: Number(error?.lines ?? 0), error: error?.message ?? 'The row cannot be read.' })
      return undefined
    },
  })
  const decoder = new TextDecoder(used)
  const pump = async () => {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      bytesRead?.(chunk.length)
      const text = decoder.decode(chunk, { stream: true })
      if (text !== '' && !parser.write(text)) await new Promise((resolve) => parser.once('drain', resolve))
    }
    parser.end(decoder.decode())
  }
  const pumping = pump().catch((error) => parser.destroy(error))
  for await (const { record, info } of parser as AsyncIterable<{
    record: Record<string, string>
    info: { lines: number }
  }>)
    yield { line: info.lines, values: record }
  await pumping
}
