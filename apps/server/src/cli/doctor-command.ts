import type { Command } from 'commander'
import { outputOf, table } from './output.js'

/** `posthorn doctor`. */
export const doctorCommand = (program: Command): void => {
  program
    .command('doctor')
    .description('check configuration, data directory, store, mailer and port, and say what is wrong')
    .action(async (_options: object, command: Command) => {
      const { findings } = await import('./doctor.js')
      const found = await findings()
      outputOf(command).result(found, table(found.map(({ what, ok, says }) => [ok ? '✓' : '✗', what, says])))
      process.exitCode = found.every(({ ok }) => ok) ? 0 : 1
    })
}
