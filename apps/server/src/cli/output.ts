import { type Command, InvalidArgumentError } from 'commander'
import { commandTerminal, type Terminal } from './terminal.js'

/** Bounds are inclusive. */
export const wholeNumberParser =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }

const width = 30

type Stream = { readonly write: (text: string) => unknown; readonly isTTY?: boolean }

/** Without a terminal, prints a line for every tenth. */
export const progressBar = (label: string, stream: Stream = process.stderr) => {
  let shownTenth = -1
  return {
    show: (share: number, detail: string): void => {
      const bounded = Math.min(1, Math.max(0, share))
      const filled = Math.round(bounded * width)
      const percent = `${Math.floor(bounded * 100)}`.padStart(3)
      if (stream.isTTY) {
        stream.write(`\r\u001b[2K${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} %  ${detail}`)
        return
      }
      const tenth = Math.floor(bounded * 10)
      if (tenth <= shownTenth) return
      shownTenth = tenth
      stream.write(`${label} ${percent} %  ${detail}\n`)
    },
    end: (): void => {
      if (stream.isTTY) stream.write('\n')
    },
  }
}
export type ProgressBar = ReturnType<typeof progressBar>

export type CommandOutput = {
  /** Once per command. */
  readonly result: (value: unknown, text: string) => void
  /** For people only. */
  readonly note: (text: string) => void
  /** Waits for slow readers. @throws CommandEnd if the reader has closed the pipe */
  readonly write: (text: string) => Promise<void>
  readonly progress: (label: string) => ProgressBar | undefined
  readonly json: boolean
}

/** Tenants' texts must neither move a terminal's cursor nor reverse text. */
export const printable = (text: string) => text.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '\u{fffd}')

const writerTo = (stream: Terminal['stdout']): CommandOutput['write'] => {
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

export const commandOutput = (command: Command): CommandOutput => {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
  const { stdout, stderr } = commandTerminal(command)
  let written: CommandOutput['write'] | undefined
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

/** `-` is standard output. */
export const outputArgument = [
  '[file]',
  'where to; standard output for - or nothing',
  (name: string): string | undefined => (name === '-' ? undefined : name),
] as const

/** Ends the command with an exit code after its output. */
export class CommandEnd extends Error {
  override readonly name = 'CommandEnd'

  constructor(readonly exitCode: number) {
    super(`Ended with ${exitCode}`)
  }
}

/** Shown without a stack trace, because the user can fix it. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

/** Line breaks in cells become spaces. */
export const textTable = (cells: readonly (readonly string[])[]): string => {
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
