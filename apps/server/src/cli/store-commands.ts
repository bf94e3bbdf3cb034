import type { Command } from 'commander'
import { outputOf } from './output.js'
import type { CopyOptions } from './store-copy.js'
import { environmentOf } from './terminal.js'

/** `posthorn store …`. */
export const storeCommands = (program: Command): void => {
  const store = program.command('store').description('where everything is kept')
  store
    .command('create')
    .description('make an empty store where there is none; the first start of a server does so by itself')
    .action(async (_options: object, command: Command) => {
      const { openCommandContext } = await import('./open-command-context.js')
      const { config, close } = await openCommandContext(environmentOf(command), { create: true })
      await close()
      const { store: kind, dataDir } = config
      outputOf(command).result({ store: kind, dataDir }, `The ${kind} store of ${dataDir} is there`)
    })
  store
    .command('copy')
    .requiredOption('--from <store>', 'sqlite:<data directory>, or mongodb://…')
    .requiredOption('--to <store>', 'the same; what is there already stays as it is')
    .option('--project <id>', 'one project, with its account; else everything')
    .description('copy projects from one store to another and compare them; what broke off goes on where it was')
    .action(async (options: CopyOptions, command: Command) =>
      (await import('./store-copy.js')).copyStores(options, command),
    )
}
