import { agendaJobs, systemClock } from '@posthorn/adapters-node'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import type { Audience, Counters, Deliveries, Figures, Jobs, Log, Repositories } from '@posthorn/core'
import { inMemoryStore, manualJobs } from '@posthorn/testkit'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'

/** Everything that is kept, and the scheduler that keeps its jobs beside it. */
export type Store = {
  readonly repositories: Repositories
  readonly counters: Counters
  readonly deliveries: Deliveries
  readonly audience: Audience
  readonly figures: Figures
  readonly close: () => Promise<void>
  readonly jobs: (log: Log) => Jobs
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

/** @throws Error with a message for the operator when the store cannot be opened */
export const openStore = ({ store }: Pick<Config, 'store'>, { database }: DataDirectory): Store => {
  if (store === 'memory') return { ...inMemoryStore(), jobs: () => manualJobs({ now: systemClock, ring }) }
  const { jobBackend: backend, ...opened } = openSqliteStore({ file: database })
  return { ...opened, jobs: (log) => agendaJobs({ backend, log }) }
}
