import { agendaJobs } from '@posthorn/adapters-node'
import { jobsContract, sharedJobsContract } from '@posthorn/testkit/contracts'
import { openSqliteStore } from '../src/index.js'
import { folder } from './folder.js'

const make = async () => {
  const { file, remove } = await folder()
  const closing: (() => Promise<void>)[] = []
  const open = () => {
    const store = openSqliteStore({ file })
    const jobs = agendaJobs({ backend: store.jobBackend, log: () => {}, everyMs: 50 })
    closing.push(async () => {
      await jobs.stop()
      await store.close()
    })
    return jobs
  }
  return {
    jobs: open(),
    another: async () => open(),
    now: () => new Date(),
    pass: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
    close: async () => {
      for (const close of closing) await close()
      await remove()
    },
  }
}

jobsContract('Agenda on SQLite', make)
sharedJobsContract('Agenda on SQLite', make)
