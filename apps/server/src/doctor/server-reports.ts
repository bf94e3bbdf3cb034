import { systemClock } from '@posthorn/adapters-node'
import { openMailOutbox } from '@posthorn/adapters-smtp'
import type { CorePorts } from '@posthorn/core'
import { type Config, configuredMailerKind } from '../config.js'
import type { DataDirectory } from '../data-directory.js'
import type { Store } from '../store.js'
import { version } from '../version.js'

/** Why the last scheduled backup of this process failed. */
export type LastBackupFailure = { at?: Date; message?: string }

const backupState = async ({ backup: { schedule } }: Config, failure: LastBackupFailure) => {
  if (!schedule) return undefined
  const { directory, everySeconds } = schedule
  const nextAfter = (at: Date) => new Date(at.getTime() + everySeconds * 1000)
  try {
    const { lastBackupAt } = await import('../backup/schedule.js')
    const last = await lastBackupAt(directory)
    const isFailure = failure.at !== undefined && !(last && last > failure.at)
    const isOverdue = last !== undefined && systemClock() > nextAfter(nextAfter(last))
    const problem = isFailure ? failure.message : isOverdue ? 'The last one is older than two intervals.' : undefined
    return {
      directory,
      everySeconds,
      ...(last && { lastAt: last.toISOString(), nextAt: nextAfter(last).toISOString() }),
      ...(problem !== undefined && { problem }),
    }
  } catch (error) {
    return { directory, everySeconds, problem: error instanceof Error ? error.message : String(error) }
  }
}

type Deps = {
  readonly config: Config
  readonly data: Pick<DataDirectory, 'outbox'>
  readonly store: Store
  readonly failure: LastBackupFailure
}

export const serverReports = ({ config, data, store, failure }: Deps): NonNullable<CorePorts['serverReports']> => {
  const mailer = configuredMailerKind(config)
  const outbox = mailer === 'outbox' ? openMailOutbox({ directory: data.outbox }) : undefined
  const report = async () => {
    const backup = await backupState(config, failure)
    return {
      version,
      node: process.versions.node,
      store: config.store === 'sqlite' ? `SQLite ${process.versions.sqlite ?? ''}`.trim() : config.store,
      mailer,
      roles: [...config.roles],
      startedAt: new Date(systemClock().getTime() - process.uptime() * 1000).toISOString(),
      ...(outbox && {
        outbox: { path: '/outbox', mails: (await outbox.list({ search: '', skip: 0, limit: 0 })).count },
      }),
      ...(backup && { backup }),
    }
  }
  const check = async () => (await import('./findings.js')).doctorFindings(config, store)
  return { report, check }
}
