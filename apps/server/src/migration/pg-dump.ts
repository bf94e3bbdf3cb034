import { createReadStream } from 'node:fs'
import { invalid } from '@posthorn/core/ports/runtime'
import { linesOf, longestRow } from '@posthorn/core/ports/transport'

/**
 * Rows stand between `COPY table (columns) FROM stdin;` and `\.`, values separated by tabs:
 * https://www.postgresql.org/docs/current/sql-copy.html ("Text Format")
 */
const copyLine = /^COPY (?:"?[^". ]+"?\.)?"?([A-Za-z_]\w*)"? \((.*)\) FROM stdin;$/

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter) : text

const cellValue = (text: string): string | null => (text === '\\N' ? null : unescaped(text))

export type DumpRow = { readonly line: number; readonly values: Readonly<Record<string, string | null>> }
export type DumpProblem = { readonly line: number; readonly error: string }

type Visitor = {
  /** By table; rows of other tables are skipped. */
  readonly tables: Readonly<Record<string, (row: DumpRow) => void>>
  readonly broken: (problem: DumpProblem) => void
  /** Called between chunks, so that rows do not pile up in memory. */
  readonly pause: () => Promise<void>
}

type Block = { readonly columns: readonly string[]; readonly take: ((row: DumpRow) => void) | undefined }

const blockOf = (text: string, { tables }: Visitor): readonly [string, Block] | undefined => {
  const match = text.startsWith('COPY ') ? copyLine.exec(text) : null
  if (!match) return undefined
  const [, table = '', columns = ''] = match
  const names = columns.split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
  return [table, { columns: names, take: Object.hasOwn(tables, table) ? tables[table] : undefined }]
}

const takeRow = (text: string, line: number, { columns, take }: Block, { broken }: Visitor) => {
  if (!take) return
  if (text.length > longestRow) return broken({ line, error: `The row has more than ${longestRow} characters.` })
  const cells = text.split('\t')
  if (cells.length !== columns.length)
    return broken({ line, error: `The row has ${cells.length} values, and the table has ${columns.length} columns.` })
  const values: Record<string, string | null> = {}
  for (const [index, column] of columns.entries()) values[column] = cellValue(cells[index] ?? '')
  take({ line, values })
}

/** Uses constant memory. Returns the tables. @throws Refusal `invalid` for a dump without COPY, or one that was cut off */
export const readPostgresDump = async (file: string, name: string, visitor: Visitor): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  let [line, hasInserts, isComplete] = [0, false, false]
  let block: Block | undefined
  for await (const lines of linesOf(createReadStream(file), 'utf-8', () => {})) {
    for (const text of lines) {
      line += 1
      if (block) {
        if (text === '\\.') block = undefined
        else takeRow(text, line, block, visitor)
        continue
      }
      const begun = blockOf(text, visitor)
      if (begun) {
        found.add(begun[0])
        block = begun[1]
      } else if (text.startsWith('INSERT INTO ')) hasInserts = true
      else if (text.startsWith('-- PostgreSQL database dump complete')) isComplete = true
    }
    await visitor.pause()
  }
  if (found.size === 0 && hasInserts)
    throw invalid(`${name} was made with --inserts or --column-inserts. Make it without these options.`)
  if (found.size > 0 && !isComplete)
    throw invalid(`${name} ends in the middle: its last line should say that the dump is complete. Make it again.`)
  return found
}
