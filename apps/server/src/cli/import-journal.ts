import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { csvRow, guarded } from '@posthorn/core/ports'
import { z } from 'zod'
import { CommandFailure } from './output.js'

const Counts = z.object({ created: z.int(), updated: z.int(), unchanged: z.int(), failed: z.int() })
/** What became of the rows. */
export type Counts = z.output<typeof Counts>

const State = z.object({ of: z.string(), line: z.int(), counts: Counts, errorBytes: z.int() })

/** The reasons name people's addresses. */
const ownersOnly = { mode: 0o600 }

/** Rows that wait to be written in order; where there are more, hardly one in a thousand can be read. In characters. */
const mostPending = 16_777_216

type RowFailure = { readonly line: number; readonly error: string; readonly cells: readonly string[] }

/** The columns that stand before those of the imported file. */
export const errorColumns = ['line', 'error'] as const

const stateIn = (file: string): z.output<typeof State> | undefined => {
  try {
    return State.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

export type JournalOptions = {
  readonly restart: boolean
  /** Of the imported file, as is the delimiter. */
  readonly headings: readonly string[]
  readonly delimiter: string
}

/**
 * Beside the imported file: how far its import came, for one that broke off, and the rows that were not taken, with line and reason
 * in front of them, so that they can be mended there and imported again. `of` says which import it is: the same file to the same
 * place. A journal of another one is begun anew.
 */
export const importJournal = (file: string, of: string, { restart, headings, delimiter }: JournalOptions) => {
  const stateFile = `${file}.import.json`
  const draft = `${stateFile}.part`
  const errors = `${file}.errors.csv`
  const earlier = restart ? undefined : stateIn(stateFile)
  const nothing = { line: 0, counts: { created: 0, updated: 0, unchanged: 0, failed: 0 }, errorBytes: 0 }
  const { line: from, counts: already, errorBytes } = earlier?.of === of ? earlier : nothing
  const counts = { ...already }
  const pending: RowFailure[] = []
  let pendingLength = 0
  const lengthOf = ({ error, cells }: RowFailure) =>
    cells.reduce((sum, cell) => sum + cell.length + 3, error.length + 50)

  const header = csvRow([...errorColumns, ...headings.map(guarded)], delimiter)
  /** Safe in a spreadsheet, too. Reasons are a line each; cells are as they were. */
  const rowOf = ({ line, error, cells }: RowFailure) =>
    csvRow([String(line), error.replace(/\s+/g, ' '), ...cells].map(guarded), delimiter)

  // Rows beyond the last line that is noted as done will be met again.
  if (errorBytes === 0) rmSync(errors, { force: true })
  else if (existsSync(errors)) truncateSync(errors, Math.min(errorBytes, statSync(errors).size))

  /** In the order of the lines: a row that cannot be read is known before those ahead of it have been written. */
  const flush = (upTo: number) => {
    const due = pending.filter(({ line }) => line <= upTo).sort((a, b) => a.line - b.line)
    if (due.length === 0) return
    if (!existsSync(errors)) writeFileSync(errors, header, ownersOnly)
    appendFileSync(errors, due.map(rowOf).join(''))
    const left = pending.filter(({ line }) => line > upTo)
    pending.length = 0
    for (const one of left) pending.push(one)
    pendingLength = left.reduce((sum, one) => sum + lengthOf(one), 0)
  }

  return {
    /** The last line that an earlier import has done. */
    from,
    counts,
    /** @throws CommandFailure where too many rows wait, as nearly none can be read */
    failed: (failure: RowFailure): void => {
      if (failure.line <= from) return
      pending.push(failure)
      pendingLength += lengthOf(failure)
      counts.failed += 1
      if (pendingLength <= mostPending) return
      const [first] = pending
      flush(Number.POSITIVE_INFINITY)
      throw new CommandFailure(
        `Hardly any row up to line ${failure.line} can be taken, so the import ends. Is it a table of contacts, in this encoding? All are in ${errors}; the first is line ${first?.line} (${first?.error}).`,
      )
    },
    /** Whether what waits to be written should not wait for more. */
    isFull: (): boolean => pendingLength > mostPending / 4,
    /** Everything up to that line is done. */
    done: (line: number): void => {
      flush(line)
      const later = pending.length
      writeFileSync(
        draft,
        JSON.stringify({
          of,
          line,
          counts: { ...counts, failed: counts.failed - later },
          errorBytes: statSync(errors, { throwIfNoEntry: false })?.size ?? 0,
        }),
        ownersOnly,
      )
      renameSync(draft, stateFile)
    },
    /** All is done; answers the file of the rows that were not taken, where there are any. */
    end: (): string | undefined => {
      flush(Number.POSITIVE_INFINITY)
      for (const done of [stateFile, draft]) rmSync(done, { force: true })
      return existsSync(errors) ? errors : undefined
    },
  }
}
export type ImportJournal = ReturnType<typeof importJournal>
