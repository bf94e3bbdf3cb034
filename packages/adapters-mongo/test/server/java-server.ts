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

const options = ['-XX:+UseSerialGC', '-Xmx1g', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error']

/**
 * Starts mongo-java-server on loopback: in memory, or on an H2 file, which a clean stop keeps. Port 0, unless told otherwise, is any
 * free one. It ends with this process, too.
 * @throws Error where Java 17 or Maven are missing, or Maven cannot fetch
 */
export const startJavaServer = async ({
  port = 0,
  file,
}: {
  readonly port?: number
  readonly file?: string
} = {}): Promise<RunningServer> => {
  const started = [...options, '-cp', join(await jars(), '*'), join(here, 'Serve.java'), `${port}`]
  const server = spawn('java', [...started, ...(file ? [file] : [])], { stdio: ['pipe', 'pipe', 'pipe'] })
  return running(server, /^mongodb:\/\/\S+/m)
}
