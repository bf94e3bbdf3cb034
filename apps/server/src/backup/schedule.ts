import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import type { Jobs } from '@posthorn/core/ports/runtime'
import type { Config } from '../config.js'
import { type BackupOptions, backUp, isUnfinishedBackup } from './backup.js'

export type BackupSchedule = NonNullable<Config['backup']['schedule']>

const job = 'backup'
const pattern = /^posthorn-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/
/** In ms: older unfinished backups are from processes that died. */
const leftAfter = 24 * 60 * 60_000

const nameAt = (at: Date) => `posthorn-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.tar`

const timeIn = (name: string): Date | undefined => {
  const parts = pattern.exec(name)?.slice(1)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

const namesIn = async (directory: string): Promise<readonly string[]> => {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Newest first. */
const backupsIn = async (directory: string): Promise<readonly string[]> =>
  (await namesIn(directory))
    .filter((name) => pattern.test(name))
    .toSorted()
    .toReversed()

/** Start of the newest scheduled backup. @throws Error if the directory cannot be read */
export const lastBackupAt = async (directory: string): Promise<Date | undefined> => {
  const [newest = ''] = await backupsIn(directory)
  return timeIn(newest)
}

const removeOld = async ({ directory, keep }: BackupSchedule, now: Date): Promise<void> => {
  for (const name of (await backupsIn(directory)).slice(keep)) await rm(join(directory, name), { force: true })
  for (const name of await namesIn(directory)) {
    const begun = isUnfinishedBackup(name) ? timeIn(name.slice(1).replace(/\.[\da-f]{8}\.part$/, '')) : undefined
    if (begun && now.getTime() - begun.getTime() > leftAfter)
      await rm(join(directory, name), { recursive: true, force: true })
  }
}

export type ScheduledBackupOptions = {
  readonly schedule: BackupSchedule
  readonly options: Omit<BackupOptions, 'target' | 'signal'>
  readonly jobs: Pick<Jobs, 'every' | 'handle'>
  readonly log: Log
  readonly onFailure: (error: unknown) => void
}

/** Then removes backups beyond the number to keep. @throws Error; the scheduler logs it and tries again */
export const runScheduledBackup = async (
  { schedule, options, log, onFailure }: Omit<ScheduledBackupOptions, 'jobs'>,
  signal?: AbortSignal,
): Promise<void> => {
  try {
    const now = options.clock()
    await mkdir(schedule.directory, { recursive: true, mode: 0o700 })
    const target = join(schedule.directory, nameAt(now))
    const { bytes, files } = await backUp({ ...options, target, signal })
    log('info', 'The data directory has been backed up', { target, bytes, files })
    await removeOld(schedule, now)
  } catch (error) {
    if (signal?.aborted) return
    onFailure(error)
    throw error
  }
}

/** One of all processes backs up, and retries soon after a failure. Call before the jobs start, and `stop` before they stop. */
export const scheduleBackups = async ({
  jobs,
  ...rest
}: ScheduledBackupOptions): Promise<{ readonly stop: () => void }> => {
  const stopper = new AbortController()
  jobs.handle(job, () => runScheduledBackup(rest, stopper.signal))
  await jobs.every(rest.schedule.everySeconds, job)
  return { stop: () => stopper.abort() }
}
