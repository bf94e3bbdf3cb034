import { isValidElement, type ReactNode } from 'react'
import { download } from './download.js'

export type CsvColumn<T> = { readonly label: string; readonly text: (row: T) => string | Promise<string> }

/** Rows of a list that its table shows page by page, as it is filtered and sorted. */
export type Pages<T> = (signal: AbortSignal) => AsyncIterable<readonly T[]>

/** The API's largest page. */
const pageSize = 30
/** More rows are not fetched. */
export const mostExported = 10_000

type PageOf<T> = { readonly items: readonly T[]; readonly count: number }

export const pagesByOffset = <T>(
  load: (at: { skip: number; limit: number; signal: AbortSignal }) => Promise<PageOf<T>>,
): Pages<T> =>
  async function* (signal) {
    for (let skip = 0; ; ) {
      const { items, count } = await load({ skip, limit: pageSize, signal })
      yield items
      skip += items.length
      if (items.length === 0 || skip >= count) return
    }
  }

/** What a cell says; parts of it are separated by a space. */
export const textOf = (node: ReactNode): string => {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node))
    return node
      .map((one: ReactNode) => textOf(one).trim())
      .filter((text) => text !== '')
      .join(' ')
  return isValidElement<{ readonly children?: ReactNode }>(node) ? textOf(node.props.children) : ''
}

/** Isolating marks that `say` puts around each value: spreadsheets would show them. */
const isolates = /[\u2066-\u2069]/g
/** As the server does in its files: see `escapedFormulas` of the core. */
const beforeFormula = /(?<=^|[,;\t\r\n])(?=['"]*[=+\-@\t\r\n＝＋－＠])/g

/** No spreadsheet runs it. */
export const csvCell = (text: string): string => {
  const safe = text.replace(isolates, '').replace(beforeFormula, "'")
  return /["\n\r,;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Without columns that are empty in all rows. */
export const csvOf = async <T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): Promise<string> => {
  const lines: string[][] = []
  // One row after the other: a text may take a request.
  for (const row of rows) lines.push(await Promise.all(columns.map(async ({ text }) => text(row))))
  const isUsed = columns.map((_, at) => lines.some((line) => line[at] !== ''))
  return [columns.map(({ label }) => label), ...lines]
    .map(
      (line) =>
        `${line
          .filter((_, at) => isUsed[at])
          .map(csvCell)
          .join(',')}\n`,
    )
    .join('')
}

/** At most `mostExported` rows, and whether there are more. */
export const collectRows = async <T>(
  pages: AsyncIterable<readonly T[]>,
): Promise<{ readonly rows: readonly T[]; readonly isCut: boolean }> => {
  const rows: T[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length > mostExported) return { rows: rows.slice(0, mostExported), isCut: true }
  }
  return { rows, isCut: false }
}

/** The mark makes Excel read it as UTF-8. */
export const saveCsv = (name: string, text: string): void => {
  const file = name
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
  download(`${file}.csv`, 'text/csv;charset=utf-8', ['\ufeff', text])
}
