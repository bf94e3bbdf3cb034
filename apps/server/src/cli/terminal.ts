import { Command } from 'commander'

type Stream = {
  /** Answers false where whoever reads is slower: then `drain` tells when to go on, where there is an `on`. */
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean
  readonly on?: (event: 'drain' | 'close' | 'error', happened: () => void) => unknown
}

/** What a command is run at: where it writes, and what it is told beside its arguments. */
export type Terminal = {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Asks whoever is there, and answers a line; absent where nobody is. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}

/** A command of a terminal; its subcommands belong to the same one. */
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

/** This process's own. */
export const ownTerminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  /** Opened when it is read: an open one keeps the process alive. */
  get stdin() {
    return process.stdin
  },
  environment: process.env,
  ask: process.stdin.isTTY ? askHere : undefined,
}

/** The terminal that the command is run at: this process's own unless it was given one. */
export const terminalOf = (command: Command): Terminal =>
  command instanceof TerminalCommand ? command.terminal : ownTerminal

/** The environment as the command sees it: `--data` stands for `POSTHORN_DATA_DIR`. */
export const environmentOf = (command: Command): Terminal['environment'] => {
  const { environment } = terminalOf(command)
  const { data } = command.optsWithGlobals<{ data?: string }>()
  return data === undefined ? environment : { ...environment, POSTHORN_DATA_DIR: data }
}
