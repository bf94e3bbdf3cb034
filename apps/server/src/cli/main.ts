#!/usr/bin/env node
import { CommanderError } from 'commander'
import { outliveReaders } from '../ending.js'
import { commandLine } from './command-line.js'

outliveReaders()
const args = process.argv.slice(2)
const json = args.includes('--json')
try {
  const program = await commandLine({ quiet: json, args })
  await program.parseAsync(args, { from: 'user' })
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0)
  const { reportFailure, usageFailure } = await import('./failures.js')
  if (!(error instanceof CommanderError)) process.exit(reportFailure(error, json))
  if (json) reportFailure(usageFailure(error), json)
  process.exit(2)
}
