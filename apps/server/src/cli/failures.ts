import { Refusal } from '@posthorn/core'
import type { CommanderError } from 'commander'
import { CommandEnd, CommandFailure, printable } from './output.js'
import type { Terminal } from './terminal.js'

/** Includes help printed because of wrong usage. */
export const usageFailure = ({ code, message }: CommanderError) =>
  new CommandFailure(
    code === 'commander.help' ? 'A command is missing; --help lists them.' : message.replace(/^error: /, ''),
    2,
  )

/** `error: …` on standard error or, with `--json`, JSON on standard output. Prints nothing if the command has reported it. */
export const printCommandFailure = (error: unknown, json: boolean, { stdout, stderr }: Terminal): void => {
  if (error instanceof CommandEnd) return
  const { message, name } = error instanceof Error ? error : { message: String(error), name: 'Error' }
  if (json)
    stdout.write(`${JSON.stringify({ error: { name: error instanceof Refusal ? error.kind : name, message } })}\n`)
  else stderr.write(`error: ${printable(message)}\n`)
}

export const exitCodeOf = (error: unknown): number =>
  error instanceof CommandFailure || error instanceof CommandEnd ? error.exitCode : 1
