import type { Command } from 'commander'
import type { RestoreAsked } from './backups.js'

const runs = () => import('./backups.js')

export const backupCommand = (program: Command): void => {
  const backup = program
    .command('backup')
    .argument('<target>', 'a new directory or, if it ends in .tar, an archive')
    .description('back up the data directory of a server, which may be running: database, files and secret')
    .action(async (target: string, _options: object, command: Command) =>
      (await runs()).runBackupCommand(target, command),
    )
  backup
    .command('verify')
    .argument('<backup>', 'the directory or archive')
    .description('restore a backup into a temporary directory, and check it')
    .action(async (target: string, _options: object, command: Command) =>
      (await runs()).runVerifyCommand(target, command),
    )
}

export const restoreCommand = (program: Command): void => {
  program
    .command('restore')
    .argument('[backup]', 'the directory or archive')
    .option('--as-of <time>', 'when the old server last sent anything, such as 2026-05-01T12:00:00Z; else now')
    .option('--hold', 'restore nothing: hold back sends of a store that mongorestore or a snapshot restored')
    .option('--release', 'continue what an earlier restore held back')
    .description('restore a backup to a new data directory, and hold back what may have been sent since')
    .action(async (target: string | undefined, asked: RestoreAsked, command: Command) =>
      (await runs()).runRestoreCommand(target, asked, command),
    )
}
