import { subscriberStatuses } from '@posthorn/core/ports/storage'
import { type Command, Option } from 'commander'
import { inCommandContext } from './command-context.js'
import type { ImportCommandOptions } from './contacts-import.js'
import type { ContactExportCommandOptions } from './exports.js'
import { outputArgument } from './output.js'

const several = (flags: string, about: string) =>
  new Option(flags, about).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ])

export const contactCommands = (program: Command): void => {
  const contacts = program.command('contacts').description('contacts of a project')
  contacts
    .command('import')
    .argument('<file>', 'CSV with a header: email, name, tags, and custom fields by name; - reads standard input')
    .option('--project <id>', 'the project, where there are several')
    .option('--list <id>', 'subscribe them to this list, too')
    .addOption(
      new Option('--status <status>', 'for those who are not on the list yet').choices(['active', 'unverified']),
    )
    .option('--create-fields', 'create a field for each unknown column, with the type of its values')
    .addOption(several('--map <column=field>', 'the field that a column holds, as in "Plan=plan"; may be repeated'))
    .addOption(several('--ignore <column>', 'a column to skip; may be repeated'))
    .option('--encoding <name>', 'of the file; detected unless given')
    .option('--restart', 'begin with the first line again after an interrupted import')
    .description('import contacts from a CSV file; continues an interrupted import')
    .action(
      inCommandContext(async (context, file: string, options: ImportCommandOptions) => {
        const { importContactsFile, importSource } = await import('./contacts-import.js')
        const source = await importSource(file, context.terminal)
        try {
          await importContactsFile(context, source, options)
        } finally {
          source.close()
        }
      }),
    )
  contacts
    .command('export')
    .argument(...outputArgument)
    .option('--project <id>', 'the project, where there are several')
    .option('--list <id>', 'those who are on this list, with their status there')
    .addOption(new Option('--status <status>', 'only those with this status on the list').choices(subscriberStatuses))
    .option('--segment <id>', 'only those in this segment')
    .addOption(
      new Option(
        '--format <format>',
        'csv for spreadsheets, ndjson for programs; by the file’s name, else csv',
      ).choices(['csv', 'ndjson']),
    )
    .description('export contacts as CSV or JSON lines')
    .action(
      inCommandContext(async (context, file: string | undefined, options: ContactExportCommandOptions) =>
        (await import('./exports.js')).exportContacts(context, file, options),
      ),
    )
}
