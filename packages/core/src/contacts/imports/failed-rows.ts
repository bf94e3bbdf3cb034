import { z } from 'zod'
import { csvRow, escapedFormulas } from '../../kernel/csv-cells.js'
import { csvRows } from '../csv/csv-rows.js'
import type { InvalidImportRow } from './file-rows.js'
import type { ImportPlan } from './import.js'

/** Headings of the columns that a file of failed rows has before the original ones. */
export const addedColumns = ['line', 'reason'] as const

/** In characters. */
const longestReason = 300
/** In characters of a row; bounds a file of a thousand rows. */
const mostRepeated = 20_000

/** The second column of files that `posthorn contacts import` writes. */
const errorOfCommand = 'error'

/** The file has failed rows of an import: an import of it ignores the first two columns. */
export const isFileOfFailedRows = ([first, second]: readonly string[]): boolean =>
  first === addedColumns[0] && (second === addedColumns[1] || second === errorOfCommand)

/** Where the original cells begin: a mended file's own line numbers and reasons are not repeated. */
const firstOriginal = ({ columns, headings = [] }: ImportPlan): number =>
  isFileOfFailedRows(headings) && addedColumns.every((_, index) => columns[index] === null) ? addedColumns.length : 0

/** Undefined for imports that were started before original cells were kept. */
const headingsOf = (plan: ImportPlan | undefined): readonly string[] | undefined =>
  plan?.headings?.slice(firstOriginal(plan))

/** One line of the file: line, reason, original cells. */
export const failedRowText = (plan: ImportPlan, { line, error, cells: all }: InvalidImportRow): string => {
  const cells = all.slice(firstOriginal(plan))
  const isLong = cells.reduce((sum, { length }) => sum + length, 0) > mostRepeated
  const reason = `${error.replace(/\s+/g, ' ').slice(0, longestReason)}${isLong ? ' The row is too long to be repeated here.' : ''}`
  const filled = plan.headings?.slice(firstOriginal(plan) + cells.length).map(() => '') ?? []
  return csvRow([String(line), reason, ...(isLong ? [] : [...cells, ...filled])].map(escapedFormulas))
}

export const failedRowsHeader = (plan: ImportPlan | undefined): string => {
  const headings = headingsOf(plan)
  return csvRow((headings ? [...addedColumns, ...headings] : ['line', 'email', 'reason']).map(escapedFormulas))
}

export const mostShownFailedRows = 20

export const ImportFailedRows = z
  .object({
    headings: z.array(z.string()).describe('Headings of the file, for the cells'),
    items: z
      .array(
        z.object({
          line: z.int().describe('Line in the file'),
          reason: z.string().describe('Why the row was not imported'),
          cells: z.array(z.string()).describe('As the file has them'),
        }),
      )
      .describe('In the order of the file'),
  })
  .meta({ id: 'ImportFailedRows', description: `The first ${mostShownFailedRows} failed rows of an import` })
export type ImportFailedRows = z.output<typeof ImportFailedRows>

/** @param text the first rows of the file, without its header */
export const firstFailedRows = async (plan: ImportPlan | undefined, text: string): Promise<ImportFailedRows> => {
  const headings = headingsOf(plan)
  const rows: { readonly line: number; readonly cells: readonly string[] }[] = []
  const bytes = async function* () {
    yield new TextEncoder().encode(failedRowsHeader(plan) + text)
  }
  const broken = (row: (typeof rows)[number]) => void rows.push(row)
  const columns = (all: readonly string[]) => all.map(() => undefined)
  for await (const some of csvRows(bytes(), { encoding: 'utf-8', columns, broken })) rows.push(...some)
  const items = rows
    .sort((a, b) => a.line - b.line)
    .slice(0, mostShownFailedRows)
    .map(({ cells: [line = '', ...cells] }) =>
      headings
        ? { line: Number(line), reason: cells[0] ?? '', cells: cells.slice(1) }
        : { line: Number(line), reason: cells[1] ?? '', cells: cells.slice(0, 1) },
    )
  return { headings: [...(headings ?? ['email'])], items }
}
