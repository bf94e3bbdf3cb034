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
import { csvRow, escapedFormulas } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { CommandFailure } from './output.js'

const noCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
export type ImportCounts = Record<keyof typeof noCounts, number>

const State = z.object({
  of: z.string(),
  line: z.int(),
  counts: z.record(z.string(), z.int()),
  errorBytes: z.int(),
})

/** The error file contains addresses. */
const ownersOnly = { mode: 0o600 }

/** In characters. Beyond it, nearly all rows are invalid. */
const mostPending = 16_777_216

type RowFailure = { readonly line: number; readonly error: string; readonly cells: readonly string[] }

export const importErrorColumns = ['line', 'error'] as const

const stateIn = (file: string): z.output<typeof State> | undefined => {
  try {
    return State.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

export type ImportJournalOptions<More extends string> = {
  readonly restart: boolean
  /** Of the imported file, as is the delimiter. */
  readonly headings: readonly string[]
  readonly delimiter: string
  /** Unit of the error file's first column; default `line`. */
  readonly position?: string
  /** Besides those of contacts. */
  readonly counters?: readonly More[]
}

/**
 * Two files beside the imported one: progress, and rejected rows with line and reason.
 * `of` identifies file and target; the journal of another import is replaced.
 */
export const importJournal = <More extends string = never>(
  file: string,
  of: string,
  { restart, headings, delimiter, position = importErrorColumns[0], counters = [] }: ImportJournalOptions<More>,
) => {
  const stateFile = `${file}.import.json`
  const draft = `${stateFile}.part`
  const errors = `${file}.errors.csv`
  const earlier = restart ? undefined : stateIn(stateFile)
  const nothing = { line: 0, counts: {}, errorBytes: 0 }
  const { line: from, counts: already, errorBytes } = earlier?.of === of ? earlier : nothing
  const zeros = { ...noCounts, ...Object.fromEntries(counters.map((name) => [name, 0])) }
  const counts = { ...zeros, ...already } as ImportCounts & Record<More, number>
  const pending: RowFailure[] = []
  let pendingLength = 0
  const lengthOf = ({ error, cells }: RowFailure) =>
    cells.reduce((sum, cell) => sum + cell.length + 3, error.length + 50)

  const header = csvRow([position, importErrorColumns[1], ...headings.map(escapedFormulas)], delimiter)
  const rowOf = ({ line, error, cells }: RowFailure) =>
    csvRow([String(line), error.replace(/\s+/g, ' '), ...cells].map(escapedFormulas), delimiter)

  // Rejected rows after the last finished line are read again.
  if (errorBytes === 0) rmSync(errors, { force: true })
  else if (existsSync(errors)) truncateSync(errors, Math.min(errorBytes, statSync(errors).size))

  /** Sorted, because invalid rows are known before earlier rows have results. */
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
    /** The last line that an earlier import finished. */
    from,
    counts,
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
    isFull: (): boolean => pendingLength > mostPending / 4,
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
    /** The error file's name if rows were rejected. */
    end: (): string | undefined => {
      flush(Number.POSITIVE_INFINITY)
      for (const done of [stateFile, draft]) rmSync(done, { force: true })
      return existsSync(errors) ? errors : undefined
    },
  }
}
