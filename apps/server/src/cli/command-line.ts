import { readFileSync } from 'node:fs'
import { Command } from 'commander'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

type Register = (program: Command) => void

/** Where each command is, in the order of the help: the modules of the others are not loaded for it. */
const commands: readonly { readonly names: readonly string[]; readonly load: () => Promise<Register> }[] = [
  { names: ['account', 'credit'], load: async () => (await import('./accounts.js')).accountCommands },
  { names: ['project', 'key'], load: async () => (await import('./projects.js')).projectCommands },
  {
    names: ['access', 'limit', 'restrict', 'unrestrict'],
    load: async () => (await import('./access.js')).accessCommands,
  },
  { names: ['contacts'], load: async () => (await import('./contacts-import.js')).contactCommands },
  { names: ['campaign'], load: async () => (await import('./campaigns.js')).campaignCommands },
  { names: ['shared-folder'], load: async () => (await import('./shared-folders.js')).sharedFolderCommands },
  { names: ['store'], load: async () => (await import('./store-commands.js')).storeCommands },
  { names: ['token'], load: async () => (await import('./token.js')).tokenCommand },
  { names: ['doctor'], load: async () => (await import('./doctor-command.js')).doctorCommand },
  { names: ['demo'], load: async () => (await import('./demo-command.js')).demoCommand },
]

/** What these arguments need: one module where they name its command, none for the version alone, else all, for help and advice. */
const needed = (args: readonly string[] | undefined) => {
  const name = args?.find((arg) => arg !== '--json')
  if (name === '--version' || name === '-V') return []
  const named = commands.filter(({ names }) => name !== undefined && names.includes(name))
  return named.length > 0 ? named : commands
}

/**
 * The command line, with all of its commands or, given arguments, those that they need. Exit codes: 0 done, 1 refused or failed,
 * 2 used wrongly. Where it is quiet, it throws what is wrong with the arguments and says nothing itself.
 */
export const commandLine = async ({
  quiet = false,
  args,
}: {
  readonly quiet?: boolean
  readonly args?: readonly string[]
} = {}): Promise<Command> => {
  const program = new Command('posthorn')
    .description('Self-hosted e-mail delivery and audience management')
    .version(version)
    .option('--json', 'answer in JSON')
    .exitOverride()
  if (quiet) program.configureOutput({ writeErr: () => {} })
  for (const register of await Promise.all(needed(args).map(({ load }) => load()))) register(program)
  const inherit = (command: Command) => {
    for (const sub of command.commands) {
      sub.option('--json', 'answer in JSON').exitOverride()
      inherit(sub)
    }
  }
  inherit(program)
  return program
}
