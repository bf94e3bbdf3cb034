import { Argument, type Command } from 'commander'
import { inCommandContext } from './command-context.js'
import type { MigrationOptions, MigrationSystemName } from './migration.js'

const systems = [
  'listmonk',
  'mailchimp',
  'sendgrid',
  'mailjet',
  'keila',
] as const satisfies readonly MigrationSystemName[]

export const migrateFromCommand = (program: Command): void => {
  program
    .command('migrate-from')
    .addArgument(new Argument('<system>', 'where the export is from').choices(systems))
    .argument('<export>', 'the exported file, or the directory with the exported files')
    .option('--project <id>', 'the project, where there are several')
    .option('--list-name <name>', 'the list for contacts of exports that name none')
    .option('--dry-run', 'report what would be done, and write nothing')
    .option('--restart', 'begin with the first item again after an interrupted migration')
    .description('bring contacts, lists, suppressions and templates from another system')
    .action(
      inCommandContext(async (context, system: MigrationSystemName, path: string, options: MigrationOptions) =>
        (await import('./migration.js')).migrateFrom(context, system, path, options),
      ),
    )
}
