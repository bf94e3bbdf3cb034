import type { Command } from 'commander'
import type { CopyOptions } from './store-copy.js'

/** `posthorn store copy`. */
export const storeCommands = (program: Command): void => {
  program
    .command('store')
    .description('where everything is kept')
    .command('copy')
    .requiredOption('--from <store>', 'sqlite:<data directory>, or mongodb://…')
    .requiredOption('--to <store>', 'the same; what is there already stays as it is')
    .option('--project <id>', 'one project, with its account; else everything')
    .description('copy projects from one store to another and compare them; what broke off goes on where it was')
    .action(async (options: CopyOptions, command: Command) =>
      (await import('./store-copy.js')).copyStores(options, command),
    )
}
