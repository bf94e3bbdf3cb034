import { closeSync, openSync, readSync } from 'node:fs'
import type { ImportRow } from '@posthorn/core'
import { parse } from 'csv-parse/sync'
import { linesOf, type Piece, piecesOf } from './csv-lines.js'

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

const batchSize = 500

const cellsOf = (text: string, delimiter: string): string[][] =>
  parse(text, { delimiter, relax_column_count: true, skip_empty_lines: false })

/** The cells of each piece; undefined for one that cannot be read. All at once where all can be read. */
const batchCells = (pieces: readonly Piece[], delimiter: string): (string[] | undefined)[] => {
  const one = ({ text, closed }: Piece) => {
    try {
      return closed ? cellsOf(text, delimiter)[0] : undefined
    } catch {
      return undefined
    }
  }
  try {
    if (pieces.some(({ closed }) => !closed)) return pieces.map(one)
    const rows = cellsOf(pieces.map(({ text }) => text).join('\n'), delimiter)
    return rows.length === pieces.length ? rows : pieces.map(one)
  } catch {
    return pieces.map(one)
  }
}

/**
 * The rows of a CSV file with a header, streamed. A broken row is told of and passed over, alone. Commas, or semicolons where the
 * header has no comma.
 * @throws Error for a file that cannot be read, or an encoding that is not known
 */
export const csvRows = async function* (
  path: string,
  { encoding, broken, bytesRead = () => {} }: CsvOptions,
): AsyncGenerator<ImportRow> {
  const used = encoding ?? encodingOf(sampleOf(path))
  let names: readonly string[] | undefined
  let delimiter = ','

  const rowsOf = function* (pieces: readonly Piece[], heading: readonly string[]): Generator<ImportRow> {
    for (const [index, cells] of batchCells(pieces, delimiter).entries()) {
      const line = pieces[index]?.line ?? 0
      if (!cells) broken({ line, error: 'The quotes of the row do not match.' })
      else if (cells.length !== heading.length)
        broken({ line, error: `The row has ${cells.length} cells; the header has ${heading.length}.` })
      else yield { line, values: Object.fromEntries(heading.map((name, cell) => [name, cells[cell] ?? ''])) }
    }
  }

  let batch: Piece[] = []
  for await (const piece of piecesOf(linesOf(path, used, bytesRead))) {
    if (!names) {
      delimiter = piece.text.includes(',') || !piece.text.includes(';') ? ',' : ';'
      names = (batchCells([piece], delimiter)[0] ?? []).map((name) => name.trim())
      continue
    }
    batch.push(piece)
    if (batch.length < batchSize) continue
    yield* rowsOf(batch, names)
    batch = []
  }
  if (names) yield* rowsOf(batch, names)
}
