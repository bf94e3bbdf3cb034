import { agendaJobs, localFiles, systemClock } from '@posthorn/adapters-node'
import type {
  Audience,
  ContactSearch,
  Counters,
  Deliveries,
  Figures,
  Files,
  Jobs,
  Log,
  Repositories,
  Roster,
} from '@posthorn/core'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'

/** Everything that is kept, and the scheduler that keeps its jobs beside it. */
export type Store = {
  readonly repositories: Repositories
  readonly counters: Counters
  readonly deliveries: Deliveries
  readonly audience: Audience
  readonly contactSearch: ContactSearch
  readonly roster: Roster
  readonly figures: Figures
  /** Attachments and images: beside the records where several machines share them, else in the data directory. */
  readonly files: Files
  readonly jobs: Jobs
  /** Whether it answers now. */
  readonly ready: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** The longest that a timer of Node waits. */
const longestTimer = 2 ** 31 - 1

/** Rings at that time, by the system's clock; answers how to take it back. */
const ring = (when: Date, alarm: () => void): (() => void) => {
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = when.getTime() - Date.now()
    timer = setTimeout(left > longestTimer ? wait : alarm, Math.min(Math.max(left, 0), longestTimer))
  }
  wait()
  return () => clearTimeout(timer)
}

const answers = (repositories: Repositories) => async (): Promise<boolean> => {
  await repositories.accounts.get({ _id: '' })
  return true
}

/** Loads the driver of that store alone. @throws Error with a message for the operator when the store cannot be opened */
export const openStore = async (
  { store, mongodbUrl: url = '' }: Pick<Config, 'store' | 'mongodbUrl'>,
  { database, files: directory }: Pick<DataDirectory, 'database' | 'files'>,
  log: Log,
): Promise<Store> => {
  if (store === 'mongodb') {
    const { openMongoStore } = await import('@posthorn/adapters-mongo')
    const { jobBackend: backend, ...opened } = await openMongoStore({ url, log })
    return { ...opened, jobs: agendaJobs({ backend, log }) }
  }
  if (store === 'memory') {
    const { inMemoryStore, manualJobs } = await import('@posthorn/testkit')
    const opened = inMemoryStore()
    return { ...opened, jobs: manualJobs({ now: systemClock, ring }), ready: answers(opened.repositories) }
  }
  const { openSqliteStore } = await import('@posthorn/adapters-sqlite')
  const { jobBackend: backend, ...opened } = openSqliteStore({ file: database })
  const files = localFiles(directory)
  return { ...opened, files, jobs: agendaJobs({ backend, log }), ready: answers(opened.repositories) }
}
