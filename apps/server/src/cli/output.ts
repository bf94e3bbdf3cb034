import type { Command } from 'commander'
import { type ProgressBar, progressBar } from './progress-bar.js'
import { type Terminal, terminalOf } from './terminal.js'

/** What a command says: the same thing for people and, with `--json`, for programs. */
export type Output = {
  /** The result: `value` as JSON, or the text. Once per command. */
  readonly result: (value: unknown, text: string) => void
  /** What is worth saying meanwhile, to people only. */
  readonly note: (text: string) => void
  /** Part of a result that is too long to be one, as fast as it is read. @throws CommandEnd when nobody reads it any more */
  readonly write: (text: string) => Promise<void>
  /** Shows how far something is, to people only. */
  readonly progress: (label: string) => ProgressBar | undefined
  readonly json: boolean
}

/** Nothing that a project wrote moves the cursor of a terminal, or turns the direction of what follows. */
export const printable = (text: string) => text.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '\u{fffd}')

/** Writes as fast as somebody reads, and ends the command when nobody does any more. */
const writerTo = (stream: Terminal['stdout']): Output['write'] => {
  let isGone = false
  let goOn = () => {}
  stream.on?.('drain', () => goOn())
  for (const event of ['error', 'close'] as const)
    stream.on?.(event, () => {
      isGone = true
      goOn()
    })
  return async (text) => {
    const isFull = !isGone && stream.write(text) === false
    if (isFull && stream.on)
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
    if (isGone) throw new CommandEnd(0)
  }
}

export const outputOf = (command: Command): Output => {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
  const { stdout, stderr } = terminalOf(command)
  let written: Output['write'] | undefined
  return {
    json,
    result: (value, text) => void stdout.write(`${json ? JSON.stringify(value) : printable(text)}\n`),
    note: (text) => {
      if (!json) stderr.write(`${printable(text)}\n`)
    },
    write: (text) => {
      written ??= writerTo(stdout)
      return written(text)
    },
    progress: (label) => (json ? undefined : progressBar(label, stderr)),
  }
}

/** Where an export goes: `-`, as everywhere, is standard output. */
export const outputArgument = [
  '[file]',
  'where to; standard output for - or nothing',
  (name: string): string | undefined => (name === '-' ? undefined : name),
] as const

/** Ends the command with an exit code when it has said everything. */
export class CommandEnd extends Error {
  override readonly name = 'CommandEnd'

  constructor(readonly exitCode: number) {
    super(`Ended with ${exitCode}`)
  }
}

/** A failure that the person can mend: a message and an exit code, no stack trace. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

/** Rows in columns as wide as their widest cell; a cell's own line breaks become spaces. */
export const table = (cells: readonly (readonly string[])[]): string => {
  const rows = cells.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')))
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
