import { Refusal } from '@posthorn/core'
import type { CommanderError } from 'commander'
import { CommandEnd, CommandFailure } from './output.js'
import type { Terminal } from './terminal.js'

/** The parser's own failures: it has told people already, and ended help with one. */
export const usageFailure = ({ code, message }: CommanderError) =>
  new CommandFailure(code === 'commander.help' ? 'A command is missing; --help lists them.' : message, 2)

/** Says what went wrong, as JSON on standard output where that was asked for; nothing where the command has said it. */
export const reportFailure = (error: unknown, json: boolean, { stdout, stderr }: Terminal): void => {
  if (error instanceof CommandEnd) return
  const { message, name } = error instanceof Error ? error : { message: String(error), name: 'Error' }
  if (json)
    stdout.write(`${JSON.stringify({ error: { name: error instanceof Refusal ? error.kind : name, message } })}\n`)
  else stderr.write(`${message}\n`)
}

export const exitCodeOf = (error: unknown): number =>
  error instanceof CommandFailure || error instanceof CommandEnd ? error.exitCode : 1
