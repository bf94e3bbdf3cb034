#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { accountCommands } from './accounts.js'
import { campaignCommands } from './campaigns.js'
import { contactCommands } from './contacts-import.js'
import { demoCommand } from './demo.js'
import { doctorCommand } from './doctor.js'
import { reportFailure } from './output.js'
import { projectCommands } from './projects.js'
import { tokenCommand } from './token.js'

/** The command line. Exit codes: 0 done, 1 refused or failed, 2 used wrongly. */
export const commandLine = (): Command => {
  const program = new Command('posthorn')
    .description('Self-hosted e-mail delivery and audience management')
    .option('--json', 'answer in JSON')
    .exitOverride()
  accountCommands(program)
  projectCommands(program)
  contactCommands(program)
  campaignCommands(program)
  tokenCommand(program)
  doctorCommand(program)
  demoCommand(program)
  const inherit = (command: Command) => {
    for (const sub of command.commands) {
      sub.option('--json', 'answer in JSON').exitOverride()
      inherit(sub)
    }
  }
  inherit(program)
  return program
}

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
