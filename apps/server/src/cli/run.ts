import { CommanderError } from 'commander'
import { commandLineProgram } from './command-line.js'
import { ownTerminal, type Terminal } from './terminal.js'

export const runCommandLine = async (args: readonly string[], terminal: Terminal = ownTerminal): Promise<number> => {
  const json = args.includes('--json')
  try {
    const program = await commandLineProgram({ quiet: json, args, terminal })
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const { exitCodeOf, printCommandFailure, usageFailure } = await import('./failures.js')
    if (!(error instanceof CommanderError)) {
      printCommandFailure(error, json, terminal)
      return exitCodeOf(error)
    }
    // The parser has already printed all other usage errors.
    if (json || error.code === 'commander.help') printCommandFailure(usageFailure(error), json, terminal)
    return 2
  }
}
