#!/usr/bin/env node
import { CommanderError } from 'commander'
import { commandLine } from './command-line.js'
import { reportFailure } from './output.js'

const json = process.argv.includes('--json')
try {
  const program = commandLine()
  if (json) program.configureOutput({ writeErr: () => {} })
  await program.parseAsync()
} catch (error) {
  const usage = error instanceof CommanderError
  if (usage && error.exitCode === 0) process.exit(0)
  if (!usage || json) reportFailure(error, json)
  process.exit(usage ? 2 : error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : 1)
}
