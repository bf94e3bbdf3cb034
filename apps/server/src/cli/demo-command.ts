import { type Command, Option } from 'commander'
import type { DemoOptions } from './demo.js'
import { outputOf } from './output.js'
import { environmentOf } from './terminal.js'
import { wholeNumber } from './whole-number.js'

/** `posthorn demo`: a campaign to 1,000 generated contacts, on a data directory of its own. */
export const demoCommand = (program: Command): void => {
  program
    .command('demo')
    .option('--contacts <n>', 'how many contacts', wholeNumber(1, 1_000_000), 1_000)
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
      const served = await runDemo(environmentOf(command), options, outputOf(command))
      if (options.exit) process.exit(served ? 0 : 1)
    })
}
