import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { z } from 'zod'
import { accessCommands } from './access.js'
import { accountCommands } from './accounts.js'
import { campaignCommands } from './campaigns.js'
import { contactCommands } from './contacts-import.js'
import { demoCommand } from './demo.js'
import { doctorCommand } from './doctor.js'
import { projectCommands } from './projects.js'
import { sharedFolderCommands } from './shared-folders.js'
import { storeCommands } from './store-copy.js'
import { tokenCommand } from './token.js'

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))

/**
 * The command line. Exit codes: 0 done, 1 refused or failed, 2 used wrongly. Where it is quiet, it throws what is wrong with the
 * arguments and says nothing itself.
 */
export const commandLine = ({ quiet = false } = {}): Command => {
  const program = new Command('posthorn')
    .description('Self-hosted e-mail delivery and audience management')
    .version(version)
    .option('--json', 'answer in JSON')
    .exitOverride()
  if (quiet) program.configureOutput({ writeErr: () => {} })
  accountCommands(program)
  projectCommands(program)
  accessCommands(program)
  contactCommands(program)
  campaignCommands(program)
  sharedFolderCommands(program)
  storeCommands(program)
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
