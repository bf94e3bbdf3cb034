import { Argument, type Command, Option } from 'commander'
import type { DoctorFinding } from '../doctor/findings.js'
import { operatorCommandVerb, resourceCommands } from './commands.js'
import type { DemoOptions } from './demo.js'
import { CommandEnd, CommandFailure, commandOutput, textTable, wholeNumberParser } from './output.js'
import type { SesSetupAsked } from './ses-setup.js'
import type { CopyCommandOptions } from './store-copy.js'
import { commandEnvironment, commandTerminal } from './terminal.js'

export const storeCommands = (program: Command): void => {
  const store = program.command('store').description('the database and its files')
  store
    .command('check')
    .description('check the database file (SQLite), what the records refer to, and count them; servers may be running')
    .action(async (_options: object, command: Command) => (await import('./backups.js')).runStoreCheckCommand(command))
  store
    .command('create')
    .description('create an empty store if there is none, as the first start of a server does')
    .action(async (_options: object, command: Command) => {
      const { openCommandContext } = await import('./open-command-context.js')
      const { config, close } = await openCommandContext(commandEnvironment(command), { create: true })
      await close()
      const { store: kind, dataDir } = config
      commandOutput(command).result({ store: kind, dataDir }, `The ${kind} store of ${dataDir} is there`)
    })
  store
    .command('copy')
    .requiredOption('--from <store>', 'sqlite:<data directory>, or mongodb://…')
    .requiredOption('--to <store>', 'the same; existing records stay unchanged')
    .option('--project <id>', 'one project, with its account; else everything')
    .description('copy projects from one store to another and compare them; continues an interrupted copy')
    .action(async (options: CopyCommandOptions, command: Command) =>
      (await import('./store-copy.js')).runStoreCopyCommand(options, command),
    )
  store
    .command('shard-keys')
    .description('print the commands that shard the collections of a MongoDB cluster')
    .action(printShardKeys)
}

/** Prints them, since a router takes them from its administrator. */
const printShardKeys = async (_options: object, command: Command): Promise<void> => {
  const { MONGODB_URL: url } = commandEnvironment(command)
  if (!url) throw new CommandFailure('Set MONGODB_URL to the address of the cluster', 2)
  const { shardCommands } = await import('@posthorn/adapters-mongo')
  const commands = shardCommands(url)
  const output = commandOutput(command)
  output.result(commands, commands.join('\n'))
  output.note('Run these in mongosh on a router, after “store create” and before there are records.')
}

type TokenOptions = { readonly role: 'admin' | 'account-owner'; readonly account?: string; readonly expires: string }

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** 30m, 1h or 7d, to seconds. @throws CommandFailure */
const readDuration = (text: string): number => {
  const [, n, unit] = /^([1-9]\d{0,5}) ?([smhd])$/.exec(text) ?? []
  if (!n) throw new CommandFailure('--expires: expected a time such as 30m, 1h or 7d', 2)
  return Number(n) * secondsOf[unit as keyof typeof secondsOf]
}

/** A JWT (gaps.md, section 2). */
export const tokenCommand = operatorCommandVerb<TokenOptions>({
  name: 'token',
  about: 'create a token for an operator or an account’s owner',
  options: () => [
    new Option('--role <role>', 'permissions').choices(['admin', 'account-owner']).default('admin'),
    new Option('--account <id>', 'the account, for an account-owner'),
    new Option('--expires <time>', 'how long it is valid').default('1h'),
  ],
  run: async ({ core, ports }, _args, { role, account, expires }) => {
    if (role === 'account-owner' && account === undefined)
      throw new CommandFailure('--account: an account-owner needs one', 2)
    const lifetime = readDuration(expires)
    if (account !== undefined) await core.accounts.get(account)
    const iat = Math.floor(ports.clock().getTime() / 1000)
    const { signOperatorToken } = await import('@posthorn/core/ports/runtime')
    const token = signOperatorToken(ports.secrets, { role, accountId: account, iat, exp: iat + lifetime })
    return { value: { token }, text: token }
  },
})

export const sesCommands = resourceCommands('ses', 'Amazon SES', [
  operatorCommandVerb<{ readonly clear?: boolean }>({
    name: 'unread',
    about: 'events from Amazon SES that could not be read, kept for 30 days',
    options: () => [new Option('--clear', 'remove them after they are shown')],
    run: async ({ core }, _args, { clear = false }) => {
      const events = await core.unreadEvents.list()
      if (clear) await core.unreadEvents.clear()
      const rows = events.map(({ createdAt, source, reason, text }) => [createdAt, source, reason, text])
      const listed = textTable([['SINCE', 'SOURCE', 'REASON', 'TEXT'], ...rows])
      return { value: events, text: events.length === 0 ? 'All events could be read.' : listed }
    },
  }),
  (ses) =>
    ses
      .command('setup')
      .option('--region <region>', 'where mails are sent, such as eu-west-1; else POSTHORN_SES_REGION, or AWS_REGION')
      .option('--name <name>', 'of topic, configuration set and queue', 'posthorn')
      .option('--queue', 'let the server read events from a queue, instead of having them posted to it')
      .option(
        '--from <address>',
        'verified sender of the test mails to the mailbox simulator; without it, none are sent',
      )
      .option('--wait <seconds>', 'for the confirmation and for the events', wholeNumberParser(1, 3_600), 120)
      .option('--dry-run', 'show what would be made, and make nothing')
      .option('--yes', 'make it without asking')
      .description(
        'show the resources that the server needs in the AWS account, create them after confirmation, and test the events',
      )
      .action(async (options: SesSetupAsked, command: Command) => {
        const { runSesSetup } = await import('./ses-setup.js')
        await runSesSetup(commandEnvironment(command), options, commandOutput(command), commandTerminal(command).ask)
      }),
])

const findingLine = ({ what, ok, says, todo }: DoctorFinding) =>
  `${ok ? (todo ? '!' : '✓') : '✗'} ${what}: ${says}${todo ? ` → ${todo}` : ''}`

export const doctorCommand = (program: Command): void => {
  program
    .command('doctor')
    .description('check configuration, data directory, store, mailer and port, and say how to fix each')
    .action(async (_options: object, command: Command) => {
      const { findingsBeforeStart } = await import('../doctor/findings.js')
      const found = await findingsBeforeStart(commandEnvironment(command))
      commandOutput(command).result(found, found.map((one) => findingLine(one).replace(/\s+/g, ' ')).join('\n'))
      if (found.some(({ ok }) => !ok)) throw new CommandEnd(1)
    })
}

export const completionCommand = (program: Command): void => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(['bash', 'zsh', 'fish']))
    .description('print a completion script for a shell: eval "$(posthorn completion bash)"')
    .action(async (shell: string, _options: object, command: Command) => {
      const { completionScript } = await import('./completion.js')
      commandTerminal(command).stdout.write(completionScript(shell, program))
    })
}

/** Uses a data directory of its own. */
export const demoCommand = (program: Command): void => {
  program
    .command('demo')
    .option('--contacts <n>', 'how many contacts', wholeNumberParser(1, 1_000_000), 1_000)
    .option('--fresh', 'begin anew although an earlier demo was interrupted')
    .addOption(
      new Option('--mailer <mailer>', 'ses: through an Amazon SES on this machine, with its events')
        .choices(['outbox', 'ses'])
        .default('outbox'),
    )
    .option('--exit', 'end when the campaign has been sent')
    .description('send a personalised campaign to generated contacts, into the outbox or through a local Amazon SES')
    .action(async (options: DemoOptions, command: Command) => {
      const { runDemo } = await import('./demo.js')
      const served = await runDemo(commandEnvironment(command), options, commandOutput(command))
      if (options.exit) process.exit(served ? 0 : 1)
    })
}
