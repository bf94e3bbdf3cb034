import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkout,
  type Environment,
  idsIn,
  type RunningServer,
  startServer as startProcess,
  startProgram,
  stopServer,
  temporaryDirectory,
} from '../../server-process.js'
import { writeAudience } from './content.js'
import { startMeter, type Used } from './meter.js'

export type { Environment }

const serverFile = join(checkout, 'apps/server/bin/server.js')
const commandFile = join(checkout, 'apps/server/bin/posthorn.js')

/** One process of the server, as an operator would start it. */
export type ServerProcess = RunningServer & {
  readonly pid: number
  /** Ends it by SIGTERM, or by that signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

export const startServer = async (environment: Environment): Promise<ServerProcess> => {
  const server = await startProcess(environment, [process.execPath, serverFile])
  return { ...server, pid: server.child.pid ?? 0, stop: (signal) => stopServer(server, signal) }
}

/** Runs a command of the command line and measures its process. @throws Error with its output if it fails */
export const runCommand = async (
  environment: Environment,
  ...args: readonly string[]
): Promise<{ readonly answer: unknown; readonly milliseconds: number; readonly used: Used }> => {
  const started = performance.now()
  const { child, ended } = startProgram([commandFile, ...args, '--json'], environment)
  const meter = startMeter([child.pid ?? 0])
  const { code, stdout, stderr } = await ended
  const [milliseconds, used] = [performance.now() - started, meter.stop()]
  if (code !== 0) throw new Error(`posthorn ${args.join(' ')}: ${stdout}${stderr}`)
  return { answer: JSON.parse(stdout), milliseconds, used }
}

const key = 'a-key-that-only-the-bench-has-0001'

/** What a server calls itself as long as nothing that strangers see depends on it, without the limits that are there for strangers. */
const settings: Environment = {
  PORT: '0',
  POSTHORN_BOOTSTRAP_KEY: key,
  POSTHORN_PUBLIC_URL: 'https://mail.example.com',
  POSTHORN_REGIONS: 'us-east-1',
  POSTHORN_SECRET: 'a secret that only the bench has',
  POSTHORN_VERIFY_DOMAINS: 'false',
  POSTHORN_REQUEST_RATE: '999999',
  POSTHORN_REQUEST_BURST: '999999',
  POSTHORN_LOG_LEVEL: 'error',
}

export type Answer = {
  readonly status: number
  readonly result: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Calls the API of a server for one project. */
export const apiOf = (base: string, projectId: string) => {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${base}/v1/projectId/${projectId}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const { result = {} } = JSON.parse(text) as { readonly result?: Readonly<Record<string, unknown>> }
    return { status: response.status, result, text }
  }
  const done = async (method: string, path: string, body?: unknown) => {
    const { status, result, text } = await call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`)
    return result
  }
  return {
    call,
    get: (path: string) => done('GET', path),
    post: (path: string, body: unknown) => done('POST', path, body),
    /** The id of what was made. @throws Error with what was said instead */
    made: async (path: string, body: unknown): Promise<string> => String((await done('POST', path, body))._id),
    authorization: { Authorization: `Bearer ${key}` },
  }
}
export type Api = ReturnType<typeof apiOf>

/** Where a store is: a data directory alone, or a MongoDB beside it. */
export type StoreAddress = Environment

export type Imported = { readonly rows: number; readonly milliseconds: number; readonly used: Used }

/** A data directory with a project in production, its list, and an audience that the command line has imported. */
export const makeInstallation = async ({
  contacts,
  store = {},
  directory: within,
}: {
  readonly contacts: number
  readonly store?: StoreAddress
  readonly directory?: string
}) => {
  const { path: directory, remove } = temporaryDirectory(within)
  const dataDir = join(directory, 'data')
  const environment: Environment = { ...settings, ...store, POSTHORN_DATA_DIR: dataDir }
  const command = (...args: readonly string[]) => runCommand(environment, ...args)

  const first = await startServer({ ...environment, POSTHORN_ROLES: 'api' })
  const { project: projectId, list: listId, account: accountId } = idsIn(first.printed())
  await first.stop()
  await command('access', 'approve', projectId, '--monthly-limit', '0')
  await command('credit', 'add', accountId, '1000000000')

  const importFrom = async (from: number, rows: number): Promise<Imported> => {
    const file = join(directory, `people-${from}.csv`)
    await writeAudience(file, rows, from)
    const { answer, milliseconds, used } = await command(
      ...['contacts', 'import', file, '--list', listId, '--project', projectId, '--create-fields'],
    )
    rmSync(file)
    const { created } = answer as { readonly created: number }
    if (created !== rows) throw new Error(`Of ${rows} contacts ${created} were made: ${JSON.stringify(answer)}`)
    return { rows, milliseconds, used }
  }
  const imported = await importFrom(0, contacts)

  return {
    dataDir,
    environment,
    projectId,
    listId,
    accountId,
    contacts,
    imported,
    command: async (...args: readonly string[]) => (await command(...args)).answer,
    remove,
  }
}
export type Installation = Awaited<ReturnType<typeof makeInstallation>>
