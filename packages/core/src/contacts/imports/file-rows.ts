import { invalid, shortened } from '../../kernel/refusal.js'
import type { ReadFileFromStart } from '../csv/csv-encoding.js'
import { linesOf } from '../csv/csv-lines.js'
import { csvRows } from '../csv/csv-rows.js'
import type { ImportRow } from '../directory/contact-import.js'
import type { ImportPlan } from './import.js'
import { type NdjsonRow, ndjsonRows } from './ndjson-rows.js'

/** Rows that columns and types are guessed from. */
const surveyedRows = 1_000
/** More than a project has fields. */
const mostKeys = 1_000

type ImportFileSurvey = {
  /** Headings of a CSV file, keys of an NDJSON file. */
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly isNdjson: boolean
}

/** The first line of NDJSON begins with a brace, unlike a header. */
const isNdjsonFile = async (read: ReadFileFromStart, encoding: string): Promise<boolean> => {
  for await (const lines of linesOf(read(), encoding, () => {})) {
    const first = lines.find((line) => line.trim() !== '')
    if (first !== undefined) return first.trimStart().startsWith('{')
  }
  return false
}

const partOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') return Array.isArray(value) ? '[…]' : '{…}'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Does not descend: a file may be nested deeper than the stack allows. */
export const importCellText = (value: unknown): string =>
  Array.isArray(value) ? value.map(partOf).join(', ') : partOf(value)

const csvSurvey = async (read: ReadFileFromStart, encoding: string): Promise<ImportFileSurvey> => {
  let headings: readonly string[] = []
  const columns = (found: readonly string[]) => {
    headings = found
    return found.map(() => undefined)
  }
  const rows: (readonly string[])[] = []
  for await (const some of csvRows(read(), { encoding, columns, broken: () => {} })) {
    for (const { cells } of some) if (rows.length < surveyedRows) rows.push(cells)
    if (rows.length >= surveyedRows) break
  }
  return { headings, rows, isNdjson: false }
}

const ndjsonSurvey = async (read: ReadFileFromStart, encoding: string): Promise<ImportFileSurvey> => {
  const rows: NdjsonRow['values'][] = []
  const keys = new Set<string>()
  for await (const some of ndjsonRows(read(), { encoding, broken: () => {} })) {
    for (const { values } of some.slice(0, surveyedRows - rows.length)) {
      rows.push(values)
      for (const key of Object.keys(values)) keys.add(key)
      if (keys.size > mostKeys)
        throw invalid(`The rows have more than ${mostKeys} different fields. Is it a file of contacts?`)
    }
    if (rows.length >= surveyedRows) break
  }
  const headings = [...keys]
  return { headings, rows: rows.map((values) => headings.map((key) => importCellText(values[key]))), isNdjson: true }
}

/** @throws Refusal `invalid` for an invalid header or too many columns */
export const surveyImportFile = async (read: ReadFileFromStart, encoding: string): Promise<ImportFileSurvey> =>
  (await isNdjsonFile(read, encoding)) ? ndjsonSurvey(read, encoding) : csvSurvey(read, encoding)

type OriginalCells = {
  /** As the file has them, for its headings; the text of a row that cannot be split. */
  readonly cells: readonly string[]
}

export type ImportFileRow = ImportRow & OriginalCells

/** A row that cannot be imported as it is. */
export type InvalidImportRow = OriginalCells & { readonly line: number; readonly error: string }

type ImportFileRowsOptions = {
  readonly wrong: (row: InvalidImportRow) => void
  readonly bytesRead: (bytes: number) => void
}

const csvFileRows = (
  read: ReadFileFromStart,
  { columns, encoding }: ImportPlan,
  { wrong: broken, bytesRead }: ImportFileRowsOptions,
) => csvRows(read(), { encoding, columns: () => columns.map((field) => field ?? undefined), broken, bytesRead })

const ndjsonFileRows = async function* (
  read: ReadFileFromStart,
  { columns, encoding, keys = [] }: ImportPlan,
  { wrong, bytesRead }: ImportFileRowsOptions,
): AsyncGenerator<readonly ImportFileRow[]> {
  const fields = new Map(keys.map((key, index) => [key, columns[index]]))
  for await (const some of ndjsonRows(read(), { encoding, broken: wrong, bytesRead })) {
    const rows: ImportFileRow[] = []
    for (const { line, values } of some) {
      const unknown = Object.keys(values).find((key) => !fields.has(key))
      const cells = keys.map((key) => importCellText(values[key]))
      if (unknown === undefined)
        rows.push({
          line,
          cells,
          values: Object.fromEntries(
            Object.entries(values).flatMap(([key, value]) => {
              const field = fields.get(key)
              return field === null || field === undefined ? [] : [[field, value]]
            }),
          ),
        })
      else wrong({ line, cells, error: `The first ${surveyedRows} rows have no field ${shortened(unknown)}.` })
    }
    yield rows
  }
}

export const importFileRows = (
  read: ReadFileFromStart,
  plan: ImportPlan,
  options: ImportFileRowsOptions,
): AsyncIterable<readonly ImportFileRow[]> =>
  plan.keys ? ndjsonFileRows(read, plan, options) : csvFileRows(read, plan, options)
