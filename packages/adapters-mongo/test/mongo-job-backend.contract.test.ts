import { agendaJobs } from '@posthorn/adapters-node'
import { jobsContract, sharedJobsContract } from '@posthorn/testkit/contracts'
import type { Db } from 'mongodb'
import { mongoJobBackend } from '../src/mongo-job-backend.js'
import { anOpenDatabase } from './an-open-database.js'
import { onMongoDB } from './on-mongodb.js'

const make = async () => {
  const database = await anOpenDatabase()
  const closing = [database.close]
  const open = async (db: Db) => {
    const jobs = agendaJobs({ backend: await mongoJobBackend(db), log: () => {}, everyMs: 50 })
    closing.unshift(() => jobs.stop())
    return jobs
  }
  return {
    jobs: await open(database.db),
    another: async () => {
      const { db, close } = await database.another()
      closing.unshift(close)
      return open(db)
    },
    now: () => new Date(),
    pass: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
    close: async () => {
      for (const close of closing) await close()
    },
  }
}

onMongoDB('Agenda on MongoDB', () => {
  jobsContract('Agenda on MongoDB', make)
  sharedJobsContract('Agenda on MongoDB', make)
})
