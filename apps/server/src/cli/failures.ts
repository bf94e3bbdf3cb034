import { Refusal } from '@posthorn/core'
import type { CommanderError } from 'commander'
import { CommandFailure } from './output.js'

/** The parser's own failures: it has told people already, and ended help with one. */
export const usageFailure = ({ code, message }: CommanderError) =>
  new CommandFailure(code === 'commander.help' ? 'A command is missing; --help lists them.' : message, 2)

/** Says what went wrong, as JSON on standard output where that was asked for, and answers the exit code. */
export const reportFailure = (error: unknown, json: boolean): number => {
  const { message, name } = error instanceof Error ? error : { message: String(error), name: 'Error' }
  if (json)
    process.stdout.write(
      `${JSON.stringify({ error: { name: error instanceof Refusal ? error.kind : name, message } })}\n`,
    )
  else process.stderr.write(`${message}\n`)
  return error instanceof CommandFailure ? error.exitCode : 1
}
