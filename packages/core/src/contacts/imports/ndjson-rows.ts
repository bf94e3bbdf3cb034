import { linesOf, longestRow } from '../csv/csv-lines.js'
import type { BrokenRow, CsvReadOptions } from '../csv/csv-rows.js'

export type NdjsonRow = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }

const shownOfLine = 1_000

/** The values, or what is wrong with the line. */
const valuesIn = (text: string): NdjsonRow['values'] | string => {
  if (text.length > longestRow) return `The row has more than ${longestRow} characters.`
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as NdjsonRow['values']
    return 'The row is not a JSON object.'
  } catch {
    return 'The row is not valid JSON.'
  }
}

/** Yields batches of rows, one JSON object per line; reports invalid lines and skips blank ones. */
export const ndjsonRows = async function* (
  bytes: AsyncIterable<Uint8Array>,
  { encoding, broken, bytesRead = () => {} }: Omit<CsvReadOptions, 'columns'>,
): AsyncGenerator<readonly NdjsonRow[]> {
  let line = 0
  for await (const lines of linesOf(bytes, encoding, bytesRead)) {
    const rows: NdjsonRow[] = []
    for (const text of lines) {
      line += 1
      if (text.trim() === '') continue
      const values = valuesIn(text)
      if (typeof values === 'string')
        broken({ line, error: values, cells: [text.slice(0, shownOfLine)] } satisfies BrokenRow)
      else rows.push({ line, values })
    }
    yield rows
  }
}
