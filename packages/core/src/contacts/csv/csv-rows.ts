import { unescapedFormulas } from '../../kernel/csv-cells.js'
import { invalid } from '../../kernel/refusal.js'
import { linesOf, type RawCsvRow, rawCsvRows, unmatchedQuotesMessage } from './csv-lines.js'

type Cells = { readonly cells: readonly string[] }
export type CsvRow = Cells & { readonly line: number; readonly values: Readonly<Record<string, string>> }
export type BrokenRow = Cells & { readonly line: number; readonly error: string }

export type CsvReadOptions = {
  readonly encoding: string
  /** Undefined ignores a column. May throw for an invalid header. */
  readonly columns: (headings: readonly string[], delimiter: string) => readonly (string | undefined)[]
  readonly broken: (row: BrokenRow) => void
  readonly bytesRead?: (bytes: number) => void
}

/** More than a project has fields. */
const mostColumns = 1_000

/** RFC 4180. Undefined for a quote inside an unquoted cell, and for text after a closing quote. */
const quotedCells = (text: string, delimiter: string): readonly string[] | undefined => {
  const cells: string[] = []
  for (let at = 0; ; at += 1) {
    if (text[at] === '"') {
      let cell = ''
      let from = at + 1
      let quote = text.indexOf('"', from)
      while (quote >= 0 && text[quote + 1] === '"') {
        cell += text.slice(from, quote + 1)
        from = quote + 2
        quote = text.indexOf('"', from)
      }
      if (quote < 0) return undefined
      cells.push(cell + text.slice(from, quote))
      at = quote + 1
      if (at < text.length && text[at] !== delimiter) return undefined
    } else {
      const next = text.indexOf(delimiter, at)
      const cell = text.slice(at, next < 0 ? text.length : next)
      if (cell.includes('"')) return undefined
      cells.push(cell)
      at += cell.length
    }
    if (at >= text.length) return cells
  }
}

/** Undefined for an invalid row. Splits rows without quotes at the delimiter, which is faster. */
const cellsOf = ({ text, problem }: RawCsvRow, delimiter: string): readonly string[] | undefined => {
  if (problem !== undefined) return undefined
  return text.includes('"') ? quotedCells(text, delimiter) : text.split(delimiter)
}

const delimiterOf = (header: string): string => {
  const count = (sign: string) => header.split(sign).length
  return [',', ';', '\t'].reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/**
 * Reports and skips invalid rows; removes apostrophes that guard against formulas. @throws Refusal `invalid` for an
 * invalid header, Error if the file cannot be read, errors of `columns`
 */
export const csvRows = async function* (
  bytes: AsyncIterable<Uint8Array>,
  { encoding, columns, broken, bytesRead = () => {} }: CsvReadOptions,
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

  const rowsOf = (pieces: readonly RawCsvRow[], fields: readonly (string | undefined)[]): readonly CsvRow[] => {
    const rows: CsvRow[] = []
    for (const piece of pieces) {
      const { line, text, problem } = piece
      const cells = cellsOf(piece, delimiter)?.map(unescapedFormulas)
      if (cells?.length === fields.length) rows.push({ line, cells, values: valuesOf(cells, fields) })
      else if (cells)
        broken({ line, error: `The row has ${cells.length} cells, and the header has ${fields.length}.`, cells })
      else broken({ line, error: problem ?? unmatchedQuotesMessage, cells: [text] })
    }
    return rows
  }

  const namesIn = (header: RawCsvRow) => {
    if (header.problem !== undefined) throw invalid(`The first line is no header. ${header.problem}`)
    delimiter = delimiterOf(header.text)
    const headings = cellsOf(header, delimiter)
    if (!headings) throw invalid(`The first line is no header. ${unmatchedQuotesMessage}`)
    if (headings.length > mostColumns)
      throw invalid(
        `The first line has ${headings.length} columns, and an import takes ${mostColumns} at most. Is it a table of contacts?`,
      )
    return columns(
      headings.map((heading) => unescapedFormulas(heading.trim())),
      delimiter,
    )
  }

  for await (const pieces of rawCsvRows(linesOf(bytes, encoding, bytesRead))) {
    const [header] = pieces
    if (!header) continue
    const rows = names ? pieces : pieces.slice(1)
    const fields: readonly (string | undefined)[] = names ?? namesIn(header)
    names = fields
    yield rowsOf(rows, fields)
  }
  if (!names) columns([], delimiter)
}
