import type { ImportRow } from '@posthorn/core'
import { unescapedFormulas } from '@posthorn/core/ports/transport'
import { parse } from 'csv-parse/sync'
import { linesOf, type Piece, piecesOf, unmatchedQuotes } from './csv-lines.js'
import { CommandFailure } from './output.js'

type Cells = { readonly cells: readonly string[] }
export type CsvRow = ImportRow & Cells
export type BrokenRow = Cells & { readonly line: number; readonly error: string }

export type CsvOptions = {
  readonly encoding: string
  /** Undefined ignores a column. May throw for an invalid header. */
  readonly columns: (headings: readonly string[], delimiter: string) => readonly (string | undefined)[]
  readonly broken: (row: BrokenRow) => void
  readonly bytesRead?: (bytes: number) => void
}

/** More than a project has fields. */
const mostColumns = 1_000

const parsedCells = (text: string, delimiter: string): string[][] =>
  parse(text, { delimiter, relax_column_count: true, skip_empty_lines: false })

const quotedCells = ({ text, problem }: Piece, delimiter: string): readonly string[] | undefined => {
  try {
    return problem === undefined ? parsedCells(text, delimiter)[0] : undefined
  } catch {
    return undefined
  }
}

/** Undefined for invalid pieces. Parses all at once if all are valid. */
const allQuotedCells = (pieces: readonly Piece[], delimiter: string): readonly (readonly string[] | undefined)[] => {
  const oneByOne = () => pieces.map((piece) => quotedCells(piece, delimiter))
  if (pieces.some(({ problem }) => problem !== undefined)) return oneByOne()
  try {
    const rows = parsedCells(pieces.map(({ text }) => text).join('\n'), delimiter)
    return rows.length === pieces.length ? rows : oneByOne()
  } catch {
    return oneByOne()
  }
}

/** Undefined for invalid pieces. Splits pieces without quotes at the delimiter, which is faster. */
const cellsOf = (pieces: readonly Piece[], delimiter: string): readonly (readonly string[] | undefined)[] => {
  const isPlain = ({ text, problem }: Piece) => problem === undefined && !text.includes('"')
  const quoted = pieces.filter((piece) => !isPlain(piece))
  const read = allQuotedCells(quoted, delimiter)[Symbol.iterator]()
  return pieces.map((piece) => (isPlain(piece) ? piece.text.split(delimiter) : read.next().value))
}

/** The most frequent candidate in the header. */
const delimiterOf = (header: string): string => {
  const count = (sign: string) => header.split(sign).length
  return [',', ';', '\t'].reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/**
 * Yields batches of rows; reports and skips invalid ones. Removes apostrophes that guard against formulas. @throws
 * CommandFailure for an invalid header, Error if the file cannot be read, and errors of `columns`
 */
export const csvRows = async function* (
  path: string,
  { encoding, columns, broken, bytesRead = () => {} }: CsvOptions,
): AsyncGenerator<readonly CsvRow[]> {
  let names: readonly (string | undefined)[] | undefined
  let delimiter = ','

  const valuesOf = (cells: readonly string[], fields: readonly (string | undefined)[]) => {
    const values: Record<string, string> = {}
    let index = 0
    for (const field of fields) {
      if (field !== undefined) values[field] = cells[index] ?? ''
      index += 1
    }
    return values
  }

  const rowsOf = (
    pieces: readonly Piece[],
    read: readonly (readonly string[] | undefined)[],
    fields: readonly (string | undefined)[],
  ): readonly CsvRow[] => {
    const rows: CsvRow[] = []
    let index = 0
    for (const { line, text, problem } of pieces) {
      const cells = read[index]?.map(unescapedFormulas)
      index += 1
      if (cells?.length === fields.length) rows.push({ line, cells, values: valuesOf(cells, fields) })
      else if (cells)
        broken({ line, error: `The row has ${cells.length} cells, and the header has ${fields.length}.`, cells })
      else broken({ line, error: problem ?? unmatchedQuotes, cells: [text] })
    }
    return rows
  }

  const namesIn = (header: Piece) => {
    if (header.problem !== undefined) throw new CommandFailure(`The first line is no header. ${header.problem}`)
    delimiter = delimiterOf(header.text)
    const [headings] = cellsOf([header], delimiter)
    if (!headings) throw new CommandFailure(`The first line is no header. ${unmatchedQuotes}`)
    if (headings.length > mostColumns)
      throw new CommandFailure(
        `The first line has ${headings.length} columns, and an import takes ${mostColumns} at most. Is it a table of contacts?`,
      )
    return columns(
      headings.map((heading) => unescapedFormulas(heading.trim())),
      delimiter,
    )
  }

  for await (const pieces of piecesOf(linesOf(path, encoding, bytesRead))) {
    const [header] = pieces
    if (!header) continue
    const rows = names ? pieces : pieces.slice(1)
    const fields: readonly (string | undefined)[] = names ?? namesIn(header)
    names = fields
    yield rowsOf(rows, cellsOf(rows, delimiter), fields)
  }
  if (!names) columns([], delimiter)
}
