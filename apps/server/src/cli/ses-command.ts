import type { Command } from 'commander'
import { inContext } from './in-context.js'
import { outputOf, table } from './output.js'
import type { SesSetupAsked } from './ses-setup.js'
import { environmentOf, terminalOf } from './terminal.js'
import { wholeNumber } from './whole-number.js'

/** `posthorn ses unread`: unreadable mail events. */
const unreadCommand = (ses: Command): void => {
  ses
    .command('unread')
    .option('--clear', 'remove them after they are shown')
    .description('events from Amazon SES that could not be read, kept for 30 days')
    .action(
      inContext(async ({ core, output }, { clear = false }: { readonly clear?: boolean }) => {
        const events = await core.unreadEvents.list()
        const rows = events.map(({ createdAt, source, reason, text }) => [createdAt, source, reason, text])
        output.result(
          events,
          events.length === 0 ? 'All events could be read.' : table([['SINCE', 'SOURCE', 'REASON', 'TEXT'], ...rows]),
        )
        if (clear) await core.unreadEvents.clear()
      }),
    )
}

/** `posthorn ses setup`: creates what the server needs in an AWS account; and `posthorn ses unread`. */
export const sesCommands = (program: Command): void => {
  const ses = program.command('ses').description('Amazon SES')
  unreadCommand(ses)
  ses
    .command('setup')
    .option('--region <region>', 'where mails are sent, such as eu-west-1; else POSTHORN_SES_REGION, or AWS_REGION')
    .option('--name <name>', 'of topic, configuration set and queue', 'posthorn')
    .option('--queue', 'have events come by a queue, which the server takes them from, and not by posts to it')
    .option('--from <address>', 'verified sender of the test mails to the mailbox simulator; none are sent without')
    .option('--wait <seconds>', 'for the confirmation and for the events', wholeNumber(1, 3_600), 120)
    .option('--dry-run', 'show what there would be, and make nothing')
    .option('--yes', 'make it without asking')
    .description('show what the server needs in the AWS account, ask, make it, and see the events of test mails arrive')
    .action(async (options: SesSetupAsked, command: Command) => {
      const { runSesSetup } = await import('./ses-setup.js')
      await runSesSetup(environmentOf(command), options, outputOf(command), terminalOf(command).ask)
    })
}
