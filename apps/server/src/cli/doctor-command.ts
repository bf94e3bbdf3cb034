import type { Command } from 'commander'
import type { Finding } from './doctor.js'
import { CommandEnd, outputOf } from './output.js'
import { environmentOf } from './terminal.js'

const line = ({ what, ok, says, todo }: Finding) =>
  `${ok ? (todo ? '!' : '✓') : '✗'} ${what}: ${says}${todo ? ` → ${todo}` : ''}`

/** `posthorn doctor`. */
export const doctorCommand = (program: Command): void => {
  program
    .command('doctor')
    .description('check configuration, data directory, store, mailer and port, and say what to do about each')
    .action(async (_options: object, command: Command) => {
      const { findings } = await import('./doctor.js')
      const found = await findings(environmentOf(command))
      outputOf(command).result(found, found.map((one) => line(one).replace(/\s+/g, ' ')).join('\n'))
      if (found.some(({ ok }) => !ok)) throw new CommandEnd(1)
    })
}
