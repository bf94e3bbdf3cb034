import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startJavaServer } from '../../../packages/adapters-mongo/test/server/java-server.js'
import { mongodBinary, startMongod } from '../../../packages/adapters-mongo/test/server/mongod.js'
import { type Started, startProcess } from './calls.js'
import type { Environment } from './installation.js'
import type { TapCalls } from './mongo-tap.js'

export type Mongo = {
  readonly name: string
  readonly database: (name: string) => Environment
  readonly tap: Started<TapCalls>
  readonly stop: () => Promise<unknown>
}

/** A `mongod` of this machine, or mongo-java-server, behind what counts the commands that go to it. */
export const startMongo = async (): Promise<Mongo> => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-bench-mongo-'))
  const binary = mongodBinary(process.env)
  const server = binary ? await startMongod(binary, 1) : await startJavaServer({ file: join(directory, 'database') })
  const { hostname, port, search } = new URL(server.url.replace(/^mongodb:/, 'http:'))
  const tap = startProcess<TapCalls>(new URL('./mongo-tap.ts', import.meta.url))
  const tapped = await tap.call('listen', hostname, Number(port))
  const query = new URLSearchParams(search)
  query.delete('replicaSet')
  query.set('directConnection', 'true')
  return {
    name: binary ? 'mongod' : 'mongo-java-server',
    database: (name) => ({ MONGODB_URL: `mongodb://127.0.0.1:${tapped}/${name}?${query.toString()}` }),
    tap,
    stop: async () => {
      await tap.stop()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
