import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ImportInterrupted, type ImportRow, type Scope } from '@posthorn/core'
import {
  assertText,
  type CsvRow,
  csvRows,
  type DetectedEncoding,
  detectCsvColumnTypes,
  detectEncoding,
  type ReadFileFromStart,
  readCsvHeadings,
} from '@posthorn/core/ports/transport'
import { type CommandContext, namedOrOnlyProjectScope } from './command-context.js'
import { type CsvColumnPlan, importColumnPlan, shortenedList } from './csv-columns.js'
import { importErrorColumns, importJournal } from './import-journal.js'
import { CommandFailure } from './output.js'
import type { Terminal } from './terminal.js'

export type ImportCommandSource = {
  readonly file: string
  readonly name: string
  readonly close: () => void
}

/** An import reads its file more than once. The copy is readable by its owner alone. */
const copied = async (input: AsyncIterable<Uint8Array>): Promise<ImportCommandSource> => {
  const directory = await mkdtemp(join(tmpdir(), 'posthorn-import-'))
  const close = () => rmSync(directory, { recursive: true, force: true })
  const file = join(directory, 'stdin')
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }))
    return { file, name: 'stdin', close }
  } catch (error) {
    close()
    throw error
  }
}

/** `-` is standard input. @throws CommandFailure if the file does not exist */
export const importSource = async (name: string, { stdin }: Pick<Terminal, 'stdin'>): Promise<ImportCommandSource> => {
  if (name === '-') {
    if (!stdin) throw new CommandFailure('There is no standard input to read.', 2)
    return copied(stdin)
  }
  if (!statSync(name, { throwIfNoEntry: false })?.isFile()) throw new CommandFailure(`There is no file ${name}.`, 2)
  return { file: name, name, close: () => {} }
}

export type ImportCommandOptions = {
  readonly project?: string
  readonly list?: string
  readonly status?: 'active' | 'unverified'
  readonly encoding?: string
  readonly restart?: boolean
  readonly createFields?: boolean
  readonly ignore?: readonly string[]
  readonly map?: readonly string[]
}

const assertEncoding = (name: string | undefined) => {
  try {
    new TextDecoder(name)
  } catch {
    throw new CommandFailure(`--encoding: ${name} is not known: utf-8, utf-16le and windows-1252 are, for example`, 2)
  }
}

const assertOneEncoding = ({ damage }: DetectedEncoding, chosen: string | undefined) => {
  if (!damage || chosen !== undefined) return
  throw new CommandFailure(
    `The file is UTF-8 but for ${damage.places} places, the first in line ${damage.firstLine}. Mend them, or import them as U+FFFD (--encoding utf-8), or read all of it otherwise (--encoding windows-1252).`,
  )
}

/** Splits `Plan=plan` at the last `=`, because field names contain none. @throws CommandFailure */
const readMap = (wishes: readonly string[] = []): ReadonlyMap<string, string> =>
  new Map(
    wishes.map((wish) => {
      const at = wish.lastIndexOf('=')
      if (at < 1 || at === wish.length - 1)
        throw new CommandFailure(`--map: expected "<column>=<field>", as in "Plan=plan"; not ${wish}`, 2)
      return [wish.slice(0, at).trim(), wish.slice(at + 1).trim()]
    }),
  )

/** The two columns in front of error files. */
const ofEarlierImport = (file: string, headings: readonly string[]): readonly string[] =>
  file.endsWith('.errors.csv') && importErrorColumns.every((name, index) => headings[index] === name)
    ? importErrorColumns
    : []

type Source = { readonly file: string; readonly read: ReadFileFromStart; readonly encoding: string }

/** Hexadecimal. */
export const sha256OfFile = async (read: ReadFileFromStart): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of read()) hash.update(chunk)
  return hash.digest('hex')
}

/** Creates missing fields on request; otherwise explains the choices. @throws CommandFailure */
const settleUnknown = async (
  { core, output }: CommandContext,
  scope: Scope,
  { read, encoding }: Source,
  { unknown }: CsvColumnPlan,
  createFields: boolean,
) => {
  if (unknown.length === 0) return []
  const types = await detectCsvColumnTypes(
    read,
    encoding,
    unknown.map(({ index }) => index),
  )
  const fields = unknown.map((column, index) => ({ ...column, type: types[index] ?? 'string' }))
  if (!createFields) {
    const offered = shortenedList(
      fields.map(
        ({ heading, field, type }) => `  ${JSON.stringify(heading.slice(0, 50))}: would be ${field}, a ${type}`,
      ),
    )
    const first = fields[0]?.heading.slice(0, 50) ?? ''
    throw new CommandFailure(
      [
        `The project has no field for ${fields.length === 1 ? 'this column' : 'these columns'}:`,
        ...offered,
        `Make the fields (--create-fields), say which they are (--map "${first}=<field>"), or pass them over (--ignore "${first}").`,
      ].join('\n'),
    )
  }
  const made = []
  for (const { heading, field, type } of fields) {
    const { name } = await core.customFields.create(scope, { name: field, type })
    output.note(`New field ${name}, a ${type}, for the column ${JSON.stringify(heading)}`)
    made.push({ name, type })
  }
  return made
}

const planned = async (
  context: CommandContext,
  scope: Scope,
  { file, name }: ImportCommandSource,
  options: ImportCommandOptions,
) => {
  assertEncoding(options.encoding)
  const map = readMap(options.map)
  const customFields = (await context.core.customFields.list(scope)).items.map(({ name }) => name)
  const read = () => createReadStream(file)
  await assertText(read)
  const seen = await detectEncoding(read)
  assertOneEncoding(seen, options.encoding)
  const source = { file, read, encoding: options.encoding ?? seen.encoding }
  const { headings, delimiter } = await readCsvHeadings(read, source.encoding)
  const ours = ofEarlierImport(name, headings)
  const plan = importColumnPlan(headings, customFields, { map, ignore: [...(options.ignore ?? []), ...ours] })
  const fields = await settleUnknown(context, scope, source, plan, options.createFields === true)
  const place = [await sha256OfFile(read), scope.projectId, options.list, options.status, source.encoding, plan.columns]
  const journal = importJournal(name, JSON.stringify(place), {
    restart: options.restart === true,
    headings: headings.slice(ours.length),
    delimiter,
  })
  const refused = (row: { readonly line: number; readonly error: string }, cells: readonly string[] = []) =>
    journal.failed({ ...row, cells: cells.slice(ours.length) })
  return { ...source, columns: plan.columns, fields, journal, refused }
}
type Planned = Awaited<ReturnType<typeof planned>>

/** EX_TEMPFAIL (sysexits.h): the same command continues later. */
export const temporaryFailureExitCode = 75

/** Rows between two notes in the journal. */
const saveEvery = 4_000

const takeRows = async (
  { core, output }: CommandContext,
  scope: Scope,
  { file, read, encoding, columns, journal, refused }: Planned,
  { list, status }: ImportCommandOptions,
) => {
  const total = statSync(file).size
  const bar = output.progress('Importing')
  let [bytes, count, noted] = [0, 0, 0]
  /** In file order; at most one batch of the core. */
  const underWay: CsvRow[] = []
  const rows = async function* (): AsyncGenerator<readonly ImportRow[]> {
    for await (const some of csvRows(read(), {
      encoding,
      columns: () => columns,
      broken: (row) => refused(row, row.cells),
      bytesRead: (n) => {
        bytes += n
      },
    })) {
      const fresh = journal.from > 0 ? some.filter(({ line }) => line > journal.from) : some
      underWay.push(...fresh)
      yield fresh
    }
  }
  const options = { ...(list && { subscriberListId: list }), ...(status && { status }) }
  let last: number | undefined
  try {
    for await (const results of core.contacts.importBatches(scope, rows(), options)) {
      for (const [index, result] of results.entries())
        if (result.ok) journal.counts[result.outcome] += 1
        else refused(result, underWay[index]?.cells)
      underWay.splice(0, results.length)
      count += results.length
      last = results.at(-1)?.line ?? last
      if (last !== undefined && (count - noted >= saveEvery || journal.isFull())) {
        journal.done(last)
        noted = count
      }
      bar?.show(bytes / total, `${count} rows`)
    }
  } catch (error) {
    bar?.end()
    if (!(error instanceof ImportInterrupted)) throw error
    if (last !== undefined) journal.done(last)
    throw new CommandFailure(
      `${error.message}\nRun the same command again to go on from there.`,
      temporaryFailureExitCode,
    )
  }
  bar?.show(1, `${count} rows`)
  bar?.end()
}

/**
 * Rejected rows go to an error file.
 * @throws CommandFailure with exit code 75 if the store fails; the same command continues
 */
export const importContactsFile = async (
  context: CommandContext,
  source: ImportCommandSource,
  options: ImportCommandOptions,
): Promise<void> => {
  const { output } = context
  const scope = await namedOrOnlyProjectScope(context, options.project)
  const plan = await planned(context, scope, source, options)
  const { journal, fields } = plan
  if (journal.from > 0) output.note(`Going on after line ${journal.from}`)
  await takeRows(context, scope, plan, options)
  const errors = journal.end()
  const { created, updated, unchanged, failed } = journal.counts
  const mend = errors ? `; mend them in ${errors} and import that file` : ''
  output.result(
    { ...journal.counts, ...(fields.length > 0 && { fields }), ...(errors && { errors }) },
    `${created} created, ${updated} updated, ${unchanged} as they were, ${failed} not taken${mend}`,
  )
}
