import { agendaJobs } from '@posthorn/adapters-node'
import { jobsContract } from '@posthorn/testkit/contracts'
import { openSqliteStore } from '../src/index.js'
import { folder } from './folder.js'

jobsContract('Agenda on SQLite', async () => {
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
    pass: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    close: async () => {
      for (const close of closing) await close()
      await remove()
    },
  }
})
