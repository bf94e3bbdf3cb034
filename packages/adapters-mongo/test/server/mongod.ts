import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { MongoClient } from 'mongodb'
import { type RunningServer, running } from './running-server.js'

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The real server's program: MONGOMS_SYSTEM_BINARY, or the first `mongod` on the PATH. */
export const mongodBinary = (environment: NodeJS.ProcessEnv): string | undefined =>
  [
    environment.MONGOMS_SYSTEM_BINARY ?? '',
    ...(environment.PATH ?? '').split(delimiter).map((folder) => join(folder, 'mongod')),
  ].find((path) => path !== '' && isProgram(path))

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const member = async (binary: string): Promise<RunningServer> => {
  const [dbpath, port] = [await mkdtemp(join(tmpdir(), 'posthorn-mongod-')), await freePort()]
  const where = ['--dbpath', dbpath, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--replSet', 'posthorn']
  const server = await running(spawn(binary, where), /Waiting for connections/)
  return {
    ...server,
    url: `mongodb://127.0.0.1:${port}`,
    stop: async (signal) => {
      await server.stop(signal)
      await rm(dbpath, { recursive: true, force: true })
    },
  }
}

const initiate = async (hosts: readonly string[]): Promise<string> => {
  const first = new MongoClient(`mongodb://${hosts[0]}`, { directConnection: true })
  const members = hosts.map((host, _id) => ({ _id, host }))
  await first.db('admin').command({ replSetInitiate: { _id: 'posthorn', members } })
  await first.close()
  const url = `mongodb://${hosts.join(',')}/?replicaSet=posthorn`
  const all = new MongoClient(url)
  await all.db('admin').command({ ping: 1 }, { readPreference: 'primary' })
  await all.close()
  return url
}

/** Starts a replica set of real servers on loopback, and waits for its primary. */
export const startMongod = async (binary: string, size = 1) => {
  const members = await Promise.all(Array.from({ length: size }, () => member(binary)))
  const stop = async () => {
    await Promise.all(members.map((one) => one.stop()))
  }
  try {
    return { url: await initiate(members.map(({ url }) => url.slice('mongodb://'.length))), members, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
