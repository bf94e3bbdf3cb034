import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'

/** The checkout that these tests belong to. */
export const checkout = resolve(import.meta.dirname, '..')
export const builtMain = join(checkout, 'apps/server/dist/main.js')
export const builtCli = join(checkout, 'apps/server/dist/cli/main.js')

export const bootstrapKey = 'a-key-that-only-tests-have-0001'

export type Environment = Readonly<Record<string, string>>

/** The environment of this process without variables that configure a server or Node. */
const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(POSTHORN_|AWS_|PORT$|HOST$|SMTP_URL$|MONGODB_URL$|NODE_OPTIONS$)/.test(name),
    ),
  )

const children = new Set<ChildProcess>()
const directories = new Set<string>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** A new directory; the end of this process removes it at the latest. */
export const temporaryDirectory = (within = tmpdir()) => {
  const path = mkdtempSync(join(within, 'posthorn-'))
  directories.add(path)
  return {
    path,
    remove: () => {
      directories.delete(path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Starts a program that is killed with this process at the latest. */
const spawned = (program: string, args: readonly string[], environment: Environment, stdin: 'ignore' | 'pipe') => {
  const child = spawn(program, args, {
    env: { ...cleanEnvironment(), ...environment },
    stdio: [stdin, 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable, Readable, Readable>
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export type RunningServer = {
  /** Where it listens; empty for a server that only sends. */
  readonly base: string
  readonly child: ChildProcess
  /** Standard output and standard error; the last million characters. */
  readonly printed: () => string
  readonly ended: Promise<number | null>
}

/** Starts a server by this command and waits until it listens or sends. @throws Error with its output if it ends first */
export const startServer = async (
  environment: Environment,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, builtMain],
): Promise<RunningServer> => {
  const child = spawned(program, args, environment, 'ignore')
  let text = ''
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const base = await new Promise<string>((found, failed) => {
    const read = (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-1_000_000)
      const [said, url = ''] = /Posthorn (?:listens on (\S+)|sends;)/.exec(text) ?? []
      if (said) found(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then((code) => failed(new Error(`The server ended with ${code}: ${text}`)))
  })
  return { base, child, printed: () => text, ended }
}

/** Starts the built server on a data directory, with the key of the tests. */
export const startBuiltServer = (dataDir: string, environment: Environment = {}): Promise<RunningServer> =>
  startServer({ PORT: '0', POSTHORN_DATA_DIR: dataDir, POSTHORN_BOOTSTRAP_KEY: bootstrapKey, ...environment })

export const stopServer = async ({ child, ended }: RunningServer, signal: NodeJS.Signals = 'SIGTERM') => {
  child.kill(signal)
  return ended
}

/** Systems choose ports above these for connections and for servers that name none. */
const [lowestPort, highestPort] = [15_000, 30_000] as const

/** A port that is free now, and that the system gives to nobody before it is used. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowestPort, highestPort)
    const probe = createServer()
    const isFree = await new Promise<boolean>((done) => {
      probe.once('error', () => done(false))
      probe.listen(port, () => done(true))
    })
    if (!isFree) continue
    await new Promise((closed) => probe.close(closed))
    return port
  }
}

/** Starts a program on this Node and collects its output. */
export const startProgram = (args: readonly string[], environment: Environment = {}) => {
  const child = spawned(process.execPath, args, environment, 'pipe')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
    child.once('close', (code) => done({ code, stdout, stderr })),
  )
  return { child, ended }
}

/** Starts a command of the built command line. */
export const startCommand = (args: readonly string[], environment: Environment) =>
  startProgram([builtCli, ...args], environment)

/** Runs a command of the built command line. */
export const runCommand = (args: readonly string[], environment: Environment) => startCommand(args, environment).ended

const mailFiles = (dataDir: string): readonly string[] => {
  try {
    return readdirSync(join(dataDir, 'outbox'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => join(dataDir, 'outbox', name))
  } catch {
    return []
  }
}

export const countMails = (dataDir: string) => mailFiles(dataDir).length

export const readMails = (dataDir: string): Promise<readonly Email[]> =>
  Promise.all(mailFiles(dataDir).map((file) => PostalMime.parse(readFileSync(file))))

/** Waits until the condition holds. @throws Error after a minute of waiting */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 6000; tries += 1) {
    if (await holds()) return
    await new Promise((done) => setTimeout(done, 10))
  }
  throw new Error('The condition did not hold within a minute')
}

/** The first project of a server, called with its key. */
export const projectOf = (
  { base, printed }: RunningServer,
  ids: Pick<ReturnType<typeof idsIn>, 'project' | 'list'> = idsIn(printed()),
) => {
  const request = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${base}/v1/projectId/${ids.project}${path}`, {
      method,
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { result, error } = (await response.json()) as { result: Record<string, never>; error?: { message: string } }
    if (error) throw new Error(`${method} ${path}: ${error.message}`)
    return result as unknown as Readonly<Record<string, string>> & {
      readonly items: readonly Readonly<Record<string, string>>[]
    }
  }
  return {
    ...ids,
    get: (path: string) => request('GET', path),
    post: (path: string, body: unknown) => request('POST', path, body),
    patch: (path: string, body: unknown) => request('PATCH', path, body),
  }
}

/** The ids that a first start prints. */
export const idsIn = (printed: string) => {
  const idOf = (name: string) => new RegExp(`export ${name}=(\\w+)`).exec(printed)?.[1] ?? ''
  return { project: idOf('PROJECT'), list: idOf('LIST'), account: idOf('ACCOUNT') }
}
