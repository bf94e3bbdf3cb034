import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const Counts = z.object({ created: z.int(), updated: z.int(), unchanged: z.int(), failed: z.int() })
/** What became of the rows. */
export type Counts = z.output<typeof Counts>

const State = z.object({ of: z.string(), line: z.int(), counts: Counts })

/** The reasons name people's addresses. */
const ownersOnly = { mode: 0o600 }

type RowFailure = { readonly line: number; readonly error: string }

/** Safe in a spreadsheet, too: a cell that begins like a formula is text. */
const cell = (text: string) =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/\s+/g, ' ').replaceAll('"', '""')}"`

const rowOf = ({ line, error }: RowFailure) => `${line},${cell(error)}\n`

const stateIn = (file: string): z.output<typeof State> | undefined => {
  try {
    return State.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Beside the imported file: how far its import came, for one that broke off, and the rows that were not taken, by line and
 * reason. `of` says which import it is: the same file to the same place. A journal of another one is begun anew.
 */
export const importJournal = (file: string, of: string, { restart }: { readonly restart: boolean }) => {
  const stateFile = `${file}.import.json`
  const draft = `${stateFile}.part`
  const errors = `${file}.errors.csv`
  const earlier = restart ? undefined : stateIn(stateFile)
  const { line: from, counts: already } =
    earlier?.of === of ? earlier : { line: 0, counts: { created: 0, updated: 0, unchanged: 0, failed: 0 } }
  const counts = { ...already }
  const pending: RowFailure[] = []

  /** Rows beyond the last saved line will be met again. */
  const forgetLater = () => {
    const kept = readFileSync(errors, 'utf8')
      .split('\n')
      .filter((row) => Number.parseInt(row, 10) <= from)
    writeFileSync(errors, ['line,error', ...kept, ''].join('\n'), ownersOnly)
  }
  if (from === 0) rmSync(errors, { force: true })
  else if (existsSync(errors)) forgetLater()

  /** In the order of the lines: a row that cannot be read is known before those ahead of it have been written. */
  const flush = (upTo: number) => {
    const due = pending.filter(({ line }) => line <= upTo).sort((a, b) => a.line - b.line)
    if (due.length === 0) return
    if (!existsSync(errors)) writeFileSync(errors, 'line,error\n', ownersOnly)
    appendFileSync(errors, due.map(rowOf).join(''))
    pending.splice(0, pending.length, ...pending.filter(({ line }) => line > upTo))
  }

  return {
    /** The last line that an earlier import has done. */
    from,
    counts,
    failed: (failure: RowFailure): void => {
      if (failure.line <= from) return
      pending.push(failure)
      counts.failed += 1
    },
    /** Everything up to that line is done. */
    done: (line: number): void => {
      flush(line)
      const later = pending.length
      writeFileSync(
        draft,
        JSON.stringify({ of, line, counts: { ...counts, failed: counts.failed - later } }),
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
