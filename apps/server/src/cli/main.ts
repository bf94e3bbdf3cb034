#!/usr/bin/env node
import { CommanderError } from 'commander'
import { outliveReaders } from '../ending.js'
import { commandLine } from './command-line.js'
import { CommandFailure, reportFailure } from './output.js'

/** The parser's own failures: it has told people already, and ended help with one. */
const usageFailure = ({ code, message }: CommanderError) =>
  new CommandFailure(code === 'commander.help' ? 'A command is missing; --help lists them.' : message, 2)

outliveReaders()
const json = process.argv.includes('--json')
try {
  await commandLine({ quiet: json }).parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) process.exit(reportFailure(error, json))
  if (error.exitCode === 0) process.exit(0)
  if (json) reportFailure(usageFailure(error), json)
  process.exit(2)
}
