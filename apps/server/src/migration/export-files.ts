import { closeSync, createReadStream, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { invalid, Refusal } from '@posthorn/core/ports/runtime'
import {
  type BrokenRow,
  type CsvRow,
  csvRows,
  detectEncoding,
  ndjsonRows,
  readCsvHeadings,
} from '@posthorn/core/ports/transport'
import type { ExportPlace, UnreadableRowItem } from './items.js'

export type ExportFile = {
  readonly path: string
  /** Relative to the export. */
  readonly name: string
  /** In bytes. */
  readonly size: number
}

const [mostFiles, deepest] = [10_000, 5]

/** What an earlier run wrote beside the export. */
const isOurs = (name: string) => name.endsWith('.errors.csv') || /\.import\.json(?:\.part)?$/.test(name)

/** First bytes, and what to do with such a file. */
const packed: readonly (readonly [bytes: string, advice: string])[] = [
  ['504b0304', 'is a zip archive. Unpack it, and name the directory with its files.'],
  ['1f8b', 'is compressed. Unpack it with gunzip.'],
  [
    '5047444d50',
    'is a dump in the custom format of pg_dump. Make a plain one (pg_dump --format=plain), or convert it: pg_restore --data-only --file=dump.sql.',
  ],
]

const firstBytes = (path: string): string => {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(8)
    return bytes.subarray(0, readSync(file, bytes)).toString('hex')
  } finally {
    closeSync(file)
  }
}

const assertUnpacked = ({ path, name }: ExportFile) => {
  const begin = firstBytes(path)
  const found = packed.find(([bytes]) => begin.startsWith(bytes))
  if (found) throw invalid(`${name} ${found[1]}`)
}

const filesIn = (root: string, directory: string, depth: number): readonly ExportFile[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !isOurs(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return depth < deepest ? filesIn(root, path, depth + 1) : []
      return entry.isFile() ? [{ path, name: relative(root, path), size: statSync(path).size }] : []
    })

/** Sorted by name. @throws Refusal `invalid` if there are none, or one is packed */
export const findExportFiles = (path: string): readonly ExportFile[] => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw invalid(`There is no file or directory ${path}.`)
  const files = found.isDirectory() ? filesIn(path, path, 0) : [{ path, name: basename(path), size: found.size }]
  if (files.length === 0) throw invalid(`The directory ${path} has no files.`)
  if (files.length > mostFiles) throw invalid(`${path} has more than ${mostFiles} files.`)
  for (const file of files) assertUnpacked(file)
  return files
}

export const hasEnding = ({ name }: ExportFile, ...endings: readonly string[]) =>
  endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`))

export type ExportCsvFile = ExportFile & { readonly headings: readonly string[]; readonly encoding: string }

/** @throws Refusal `invalid` if the encoding is damaged or the first line is no header */
export const inspectExportCsv = async (file: ExportFile): Promise<ExportCsvFile> => {
  const read = () => createReadStream(file.path)
  const { encoding, damage } = await detectEncoding(read)
  if (damage)
    throw invalid(
      `${file.name} is UTF-8 but for ${damage.places} places, the first in line ${damage.firstLine}. Correct them, and run the command again.`,
    )
  const { headings } = await readCsvHeadings(read, encoding)
  return { ...file, headings, encoding }
}

export type CsvRecord = { readonly place: ExportPlace; readonly cells: Readonly<Record<string, string>> }

export const itemOrProblem = <T>(place: ExportPlace, itemOf: () => T): T | UnreadableRowItem => {
  try {
    return itemOf()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'problem', place, error: error.message }
  }
}

const isProblem = <R extends object>(one: R | UnreadableRowItem): one is UnreadableRowItem => 'kind' in one

const itemsOf = <R extends { readonly place: ExportPlace }, T>(
  records: readonly (R | UnreadableRowItem)[],
  itemOf: (record: R) => T,
): readonly (T | UnreadableRowItem)[] =>
  records.map((one) => (isProblem(one) ? one : itemOrProblem(one.place, () => itemOf(one))))

/** Trims cells. Of two columns with the same heading, the first counts. */
export const csvRecords = async function* <T>(
  { path, name, encoding }: ExportCsvFile,
  itemOf: (record: CsvRecord) => T,
): AsyncGenerator<readonly (T | UnreadableRowItem)[]> {
  let broken: UnreadableRowItem[] = []
  const columns = (headings: readonly string[]) =>
    headings.map((heading, index) => (heading === '' || headings.indexOf(heading) < index ? undefined : heading))
  const report = ({ line, error }: BrokenRow) =>
    void broken.push({ kind: 'problem', place: { file: name, line }, error })
  const recordOf = ({ line, values }: CsvRow): CsvRecord => {
    const cells: Record<string, string> = {}
    for (const heading of Object.keys(values)) {
      const value = values[heading]?.trim()
      if (value) cells[heading] = value
    }
    return { place: { file: name, line }, cells }
  }
  for await (const rows of csvRows(createReadStream(path), { encoding, columns, broken: report })) {
    const records = [...rows.map(recordOf), ...broken].sort((a, b) => a.place.line - b.place.line)
    broken = []
    yield itemsOf(records, itemOf)
  }
}

export type ExportFileRecord = { readonly place: ExportPlace; readonly value: Readonly<Record<string, unknown>> }

/** In bytes. Larger files have to be NDJSON. */
const largestJson = 32 * 1024 * 1024

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The array itself, or what an API puts around one. */
const recordsIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  const inner = isRecord(value) ? [value.result, value.results, value.data, value.Data].find(Array.isArray) : undefined
  return inner ?? [value]
}

const wholeJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** JSON as an API returns it, or NDJSON. @throws Refusal `invalid` for other files */
export const jsonRecords = async function* <T>(
  { path, name, size }: ExportFile,
  itemOf: (record: ExportFileRecord) => T,
): AsyncGenerator<readonly (T | UnreadableRowItem)[]> {
  const notJson = () => invalid(`${name} is not JSON: expected one object, a list of them, or one in each line.`)
  const whole = size <= largestJson ? wholeJson(path) : undefined
  if (whole !== undefined) {
    const records = recordsIn(whole).map((value, index): ExportFileRecord | UnreadableRowItem => {
      const place = { file: name, line: index + 1 }
      return isRecord(value) ? { place, value } : { kind: 'problem', place, error: 'The entry is not a JSON object.' }
    })
    yield itemsOf(records, itemOf)
    return
  }
  let broken: UnreadableRowItem[] = []
  let seen = 0
  const report = ({ line, error }: BrokenRow) =>
    void broken.push({ kind: 'problem', place: { file: name, line }, error })
  for await (const rows of ndjsonRows(createReadStream(path), { encoding: 'utf-8', broken: report })) {
    seen += rows.length
    if (seen === 0 && broken.length > 100) throw notJson()
    const records = rows.map(({ line, values: value }): ExportFileRecord => ({ place: { file: name, line }, value }))
    yield [...itemsOf(records, itemOf), ...broken]
    broken = []
  }
  if (seen === 0) throw notJson()
}
