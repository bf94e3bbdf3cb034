import { Command } from 'commander'
import { accountCommands } from './accounts.js'
import { campaignCommands } from './campaigns.js'
import { contactCommands } from './contacts-import.js'
import { demoCommand } from './demo.js'
import { doctorCommand } from './doctor.js'
import { projectCommands } from './projects.js'
import { sharedFolderCommands } from './shared-folders.js'
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
  sharedFolderCommands(program)
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
