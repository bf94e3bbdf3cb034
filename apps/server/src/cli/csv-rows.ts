import type { ImportRow } from '@posthorn/core'
import { unguarded } from '@posthorn/core/ports'
import { parse } from 'csv-parse/sync'
import { linesOf, type Piece, piecesOf } from './csv-lines.js'

/** A row as it stands in the file, in cells; all of it in one where it cannot be taken apart. */
type Cells = { readonly cells: readonly string[] }
export type CsvRow = ImportRow & Cells
/** A row that could not be read as one. */
export type BrokenRow = Cells & { readonly line: number; readonly error: string }

export type CsvOptions = {
  /** As TextDecoder names it. */
  readonly encoding: string
  /** What the columns are called by their headings; undefined passes one over. May throw for a header that makes no sense. */
  readonly columns: (headings: readonly string[], delimiter: string) => readonly (string | undefined)[]
  readonly broken: (row: BrokenRow) => void
  /** Called as the file is read. */
  readonly bytesRead?: (bytes: number) => void
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

/** What separates the cells: the sign that the header has most of. */
const delimiterOf = (header: string): string => {
  const count = (sign: string) => header.split(sign).length
  return [',', ';', '\t'].reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/**
 * The rows of a CSV file with a header, streamed; cells are separated by commas, semicolons or tabs, and an apostrophe that guards one
 * against being a formula is taken off. A broken row is told of and
 * passed over, alone.
 * @throws Error for a file that cannot be read; what `columns` throws of its header
 */
export const csvRows = async function* (
  path: string,
  { encoding, columns, broken, bytesRead = () => {} }: CsvOptions,
): AsyncGenerator<CsvRow> {
  let names: readonly (string | undefined)[] | undefined
  let delimiter = ','

  const valuesOf = (cells: readonly string[], fields: readonly (string | undefined)[]) =>
    Object.fromEntries(fields.flatMap((field, index) => (field === undefined ? [] : [[field, cells[index] ?? '']])))

  const rowsOf = function* (pieces: readonly Piece[], fields: readonly (string | undefined)[]): Generator<CsvRow> {
    for (const [index, read] of batchCells(pieces, delimiter).entries()) {
      const { line = 0, text = '' } = pieces[index] ?? {}
      const cells = read?.map(unguarded)
      if (!cells) broken({ line, error: 'The quotes of the row do not match.', cells: [text] })
      else if (cells.length !== fields.length)
        broken({ line, error: `The row has ${cells.length} cells; the header has ${fields.length}.`, cells })
      else yield { line, cells, values: valuesOf(cells, fields) }
    }
  }

  let batch: Piece[] = []
  for await (const piece of piecesOf(linesOf(path, encoding, bytesRead))) {
    if (!names) {
      delimiter = delimiterOf(piece.text)
      names = columns(
        (batchCells([piece], delimiter)[0] ?? []).map((heading) => unguarded(heading.trim())),
        delimiter,
      )
      continue
    }
    batch.push(piece)
    if (batch.length < batchSize) continue
    yield* rowsOf(batch, names)
    batch = []
  }
  yield* rowsOf(batch, names ?? columns([], delimiter))
}
