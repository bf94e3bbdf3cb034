import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { startJavaServer } from '../../../../packages/adapters-mongo/test/server/java-server.js'
import { mongodBinary, startMongod } from '../../../../packages/adapters-mongo/test/server/mongod.js'
import { temporaryDirectory } from '../../../../tests/server-process.js'

/** A database server for one test alone, to which anything may happen. */
export type OwnServer = {
  readonly url: string
  /** Stops its process for so many milliseconds, and until it has come to that, and lets it go on as if nothing had been. */
  readonly freeze: (milliseconds: number, come: Promise<unknown>) => Promise<void>
  /** Ends it, and starts it again on what it had kept. Absent where the tests cannot. */
  readonly restart?: (absent: number) => Promise<void>
  /** Has the primary give way to another member. Absent where there is none. */
  readonly stepDown?: () => Promise<void>
  readonly stop: () => Promise<void>
}

const frozen = async (pids: readonly number[], milliseconds: number, come: Promise<unknown>) => {
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  await Promise.allSettled([pause(milliseconds), come])
  for (const pid of pids) process.kill(pid, 'SIGCONT')
}

const replicaSet = async (binary: string, size: number): Promise<OwnServer> => {
  const { url, members, stop } = await startMongod(binary, size)
  const pids = members.map(({ pid }) => pid)
  return {
    url,
    freeze: (milliseconds, come) => frozen(pids, milliseconds, come),
    ...(size > 1 && {
      stepDown: async () => {
        const client = new MongoClient(url)
        await client.db('admin').command({ replSetStepDown: 30 })
        await client.close()
      },
    }),
    stop,
  }
}

const javaServer = async (): Promise<OwnServer> => {
  const data = temporaryDirectory()
  const file = join(data.path, 'database')
  let server = await startJavaServer({ file })
  const port = Number(new URL(server.url).port)
  return {
    url: server.url,
    freeze: (milliseconds, come) => frozen([server.pid], milliseconds, come),
    restart: async (absent) => {
      // Its file is written once a second; a clean stop loses nothing of it.
      await server.stop()
      await pause(absent)
      server = await startJavaServer({ port, file })
    },
    stop: async () => {
      await server.stop()
      data.remove()
    },
  }
}

/** A real server where there is one, with so many members; else mongo-java-server on a file. */
export const startOwnServer = async ({ members = 1 } = {}): Promise<OwnServer> => {
  const binary = mongodBinary(process.env)
  return binary ? replicaSet(binary, members) : javaServer()
}

/** The address of a database on that server. */
export const databaseOn = (url: string, name: string): string => {
  const [hosts = '', options] = url.split('?')
  return `${hosts.replace(/\/$/, '')}/${name}${options ? `?${options}` : ''}`
}
