import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeAudience } from './content.js'
import { startMeter, type Used } from './meter.js'

export type Environment = Readonly<Record<string, string>>

const checkout = resolve(import.meta.dirname, '../../..')
const serverFile = join(checkout, 'apps/server/bin/server.js')
const commandFile = join(checkout, 'apps/server/bin/posthorn.js')

/** Without what would configure a server of another purpose. */
const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(POSTHORN_|AWS_|PORT$|HOST$|SMTP_URL$|MONGODB_URL$|NODE_OPTIONS$)/.test(name),
    ),
  )

const children = new Set<ChildProcess>()
const directories = new Set<string>()

/** Whatever was started ends with this process, and what it wrote goes, too. */
const endsWithUs = (child: ChildProcess): void => {
  children.add(child)
  child.once('exit', () => children.delete(child))
}
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** One process of the server, as an operator would start it. */
export type ServerProcess = {
  readonly pid: number
  readonly child: ChildProcess
  /** Where it listens; empty for one that only sends. */
  readonly base: string
  readonly printed: () => string
  readonly ended: Promise<number | null>
  /** Ends it by SIGTERM, or by that signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts the built server and waits until it listens, or sends. @throws Error with what it printed when it ends instead */
export const startServer = async (environment: Environment): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [serverFile], {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endsWithUs(child)
  let printed = ''
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const base = await new Promise<string>((found, failed) => {
    const read = (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-1_000_000)
      const [said, url = ''] = /Posthorn (?:listens on (\S+)|sends;)/.exec(printed) ?? []
      if (said) found(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then((code) => failed(new Error(`The server ended with ${code}: ${printed}`)))
  })
  return {
    pid: child.pid ?? 0,
    child,
    base,
    printed: () => printed,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

/** Runs a command of the command line and measures its process. @throws Error with what it printed where it fails */
export const runCommand = async (
  environment: Environment,
  ...args: readonly string[]
): Promise<{ readonly answer: unknown; readonly milliseconds: number; readonly used: Used }> => {
  const started = performance.now()
  const child = spawn(process.execPath, [commandFile, ...args, '--json'], {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endsWithUs(child)
  const meter = startMeter([child.pid ?? 0])
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-10_000)
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
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
  directory: within = tmpdir(),
}: {
  readonly contacts: number
  readonly store?: StoreAddress
  readonly directory?: string
}) => {
  const directory = mkdtempSync(join(within, 'posthorn-bench-'))
  directories.add(directory)
  const dataDir = join(directory, 'data')
  const environment: Environment = { ...settings, ...store, POSTHORN_DATA_DIR: dataDir }
  const command = (...args: readonly string[]) => runCommand(environment, ...args)

  const first = await startServer({ ...environment, POSTHORN_ROLES: 'api' })
  const idOf = (name: string) => new RegExp(`export ${name}=(\\w+)`).exec(first.printed())?.[1] ?? ''
  const [projectId, listId, accountId] = [idOf('PROJECT'), idOf('LIST'), idOf('ACCOUNT')]
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
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
export type Installation = Awaited<ReturnType<typeof makeInstallation>>
