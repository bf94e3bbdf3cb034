import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RunningServer, running } from './running-server.js'

const here = import.meta.dirname
const pom = join(here, 'pom.xml')
const cache = join(here, '../../../../node_modules/.cache/mongo-java-server')

/** The folder with the server's jars, which Maven fetches by name the first time. */
const jars = async (): Promise<string> => {
  const version = createHash('sha256').update(await readFile(pom))
  const folder = join(cache, version.digest('hex').slice(0, 12))
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const half = await mkdtemp(`${folder}-`)
  await promisify(execFile)('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${half}`])
  await rename(half, folder).catch(async (error: unknown) => {
    await rm(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}

type Start = {
  /** Any free one, unless told otherwise. */
  readonly port?: number
  /** Where an H2 file is to keep everything; in memory without. */
  readonly file?: string
  /** The MongoDB that it calls itself. */
  readonly major?: number
}

const options = [
  '-XX:+UseSerialGC',
  '-Xmx1g',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
  // A connection keeps to its thread: with few, a slow command keeps the heartbeats of others waiting.
  '-Dio.netty.eventLoopThreads=64',
]

/**
 * Starts mongo-java-server on loopback. A clean stop keeps its file. It ends with this process, too.
 * @throws Error where Java 17 or Maven are missing, or Maven cannot fetch
 */
export const startJavaServer = async ({ port = 0, file, major = 5 }: Start = {}): Promise<RunningServer> => {
  const program = [`-Dmajor=${major}`, '-cp', join(await jars(), '*'), join(here, 'Serve.java')]
  const server = spawn('java', [...options, ...program, `${port}`, ...(file ? [file] : [])])
  return running(server, /^mongodb:\/\/\S+/m)
}
