import { Command } from 'commander'

type Stream = {
  /** Returns false if the reader is slower; `drain` then signals when to continue. */
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
  readonly on?: (event: 'drain' | 'close' | 'error', happened: () => void) => unknown
}

export type Terminal = {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Undefined if the terminal is not interactive. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}

export class TerminalCommand extends Command {
  constructor(
    name: string | undefined,
    readonly terminal: Terminal,
  ) {
    super(name)
    this.configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  }

  override createCommand(name?: string): TerminalCommand {
    return new TerminalCommand(name, this.terminal)
  }
}

const askHere = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

export const ownTerminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  /** Opened on first use, because it keeps the process alive. */
  get stdin() {
    return process.stdin
  },
  environment: process.env,
  ask: process.stdin.isTTY ? askHere : undefined,
}

export const commandTerminal = (command: Command): Terminal =>
  command instanceof TerminalCommand ? command.terminal : ownTerminal

/** `--data` overrides `POSTHORN_DATA_DIR`. */
export const commandEnvironment = (command: Command): Terminal['environment'] => {
  const { environment } = commandTerminal(command)
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data === undefined ? environment : { ...environment, POSTHORN_DATA_DIR: data }
}
