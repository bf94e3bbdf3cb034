import type { Command } from 'commander'
import { version } from '../version.js'
import { ownTerminal, type Terminal, TerminalCommand } from './terminal.js'

type Register = (program: Command) => void

const resources = async () => import('./project-resources.js')
const operators = async () => import('./operator-commands.js')
const maintenance = async () => import('./maintenance-commands.js')

const commands: readonly { readonly names: readonly string[]; readonly load: () => Promise<Register> }[] = [
  { names: ['account', 'credit'], load: async () => (await operators()).accountCommands },
  { names: ['project', 'key'], load: async () => (await operators()).projectCommands },
  { names: ['person'], load: async () => (await import('./people.js')).personCommands },
  {
    names: ['access', 'limit', 'restrict', 'unrestrict'],
    load: async () => (await operators()).productionAccessCommands,
  },
  { names: ['contacts'], load: async () => (await import('./contacts.js')).contactCommands },
  { names: ['migrate-from'], load: async () => (await import('./migrate.js')).migrateFromCommand },
  { names: ['list'], load: async () => (await resources()).subscriberListCommands },
  { names: ['segment'], load: async () => (await resources()).segmentCommands },
  { names: ['field'], load: async () => (await resources()).fieldCommands },
  { names: ['suppression'], load: async () => (await resources()).suppressionCommands },
  { names: ['campaign'], load: async () => (await import('./campaigns.js')).campaignCommands },
  { names: ['domain'], load: async () => (await import('./domains.js')).domainCommands },
  { names: ['sender'], load: async () => (await resources()).senderCommands },
  { names: ['webhook', 'webhooks'], load: async () => (await import('./webhooks.js')).webhookCommands },
  { names: ['shared-folder'], load: async () => (await operators()).sharedFolderCommands },
  { names: ['store'], load: async () => (await maintenance()).storeCommands },
  { names: ['backup'], load: async () => (await import('./backup-commands.js')).backupCommand },
  { names: ['restore'], load: async () => (await import('./backup-commands.js')).restoreCommand },
  { names: ['token'], load: async () => (await maintenance()).tokenCommand },
  { names: ['ses'], load: async () => (await maintenance()).sesCommands },
  { names: ['doctor'], load: async () => (await maintenance()).doctorCommand },
  { names: ['mcp'], load: async () => (await import('./mcp.js')).mcpCommand },
  { names: ['completion'], load: async () => (await maintenance()).completionCommand },
  { names: ['demo'], load: async () => (await maintenance()).demoCommand },
]

const directoryOption = ['--data <directory>', 'where the store is; else POSTHORN_DATA_DIR, or ./data'] as const

/** Skips global options and their values. */
const commandNamed = (args: readonly string[]): string | undefined =>
  args.find((arg, index) => arg !== '--json' && !/^--data(=|$)/.test(arg) && args[index - 1] !== '--data')

/** All modules for help and suggestions, none for the version. */
const needed = (args: readonly string[] | undefined) => {
  const name = args && commandNamed(args)
  if (name === '--version' || name === '-V') return []
  const named = commands.filter(({ names }) => name !== undefined && names.includes(name))
  return named.length > 0 && name !== 'completion' ? named : commands
}

/** Exit codes: 0 success, 1 refused or failed, 2 wrong usage. If quiet, throws usage errors and prints nothing. */
export const commandLineProgram = async ({
  quiet = false,
  args,
  terminal,
}: {
  readonly quiet?: boolean
  readonly args?: readonly string[]
  readonly terminal?: Terminal
} = {}): Promise<Command> => {
  const program = new TerminalCommand('posthorn', terminal ?? ownTerminal)
    .description('Self-hosted e-mail delivery and audience management')
    .version(version)
    .option('--json', 'answer in JSON')
    .option(...directoryOption)
    .exitOverride()
  if (quiet) program.configureOutput({ writeErr: () => {} })
  for (const register of await Promise.all(needed(args).map(({ load }) => load()))) register(program)
  const inherit = (command: Command) => {
    for (const sub of command.commands) {
      sub
        .option('--json', 'answer in JSON')
        .option(...directoryOption)
        .exitOverride()
      inherit(sub)
    }
  }
  inherit(program)
  return program
}
