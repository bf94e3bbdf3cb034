import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import PostalMime, { type Email } from 'postal-mime'

export const builtMain = fileURLToPath(new URL('../dist/main.js', import.meta.url))
export const builtCli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

export const bootstrapKey = 'a-key-that-only-tests-have-0001'

/** A directory of its own, removed at the end of the test. */
export const temporaryDirectory = () => {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

type Environment = Readonly<Record<string, string>>

/** The environment of this process without what would configure a server. */
const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(POSTHORN_|PORT$|HOST$|SMTP_URL$|MONGODB_URL$)/.test(name)),
  )

export type RunningServer = {
  /** Where it listens; empty for one that only sends. */
  readonly base: string
  readonly child: ChildProcess
  readonly printed: () => string
  readonly ended: Promise<number | null>
}

/** Starts the built server and waits until it says where it listens, or sends. @throws Error with what it printed when it ends instead */
export const startBuiltServer = async (dataDir: string, environment: Environment = {}): Promise<RunningServer> => {
  const child = spawn(process.execPath, [builtMain], {
    env: {
      ...cleanEnvironment(),
      PORT: '0',
      POSTHORN_DATA_DIR: dataDir,
      POSTHORN_BOOTSTRAP_KEY: bootstrapKey,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const base = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString()
      const found = /Posthorn (?:listens on (\S+)|sends;)/.exec(text)
      if (found) resolve(found[1] ?? '')
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then((code) => reject(new Error(`The server ended with ${code}: ${text}`)))
  })
  return { base, child, printed: () => text, ended }
}

/** Nearly all systems give higher ports to whoever asks for any, and to connections. */
const [lowestPort, highestPort] = [15_000, 30_000] as const

/** A port that nobody listens on at this moment, and that nobody is given before it is used. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowestPort, highestPort)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

export const stopServer = async ({ child, ended }: RunningServer, signal: NodeJS.Signals = 'SIGTERM') => {
  child.kill(signal)
  return ended
}

/** Starts a command of the built command line, which may be ended before it is done. */
export const startCommand = (args: readonly string[], environment: Environment) =>
  startProgram([builtCli, ...args], environment)

/** Starts a built program and gathers what it prints. */
export const startProgram = (args: readonly string[], environment: Environment) => {
  const child = spawn(process.execPath, args, {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended }
}

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

/** Waits until it holds. @throws Error after a minute */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 6000; tries += 1) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('It did not come about within a minute')
}

/** The first project of a server, called by its key. */
export const projectOf = ({ base, printed }: RunningServer, ids = idsIn(printed())) => {
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
export const idsIn = (printed: string) => ({
  project: /export PROJECT=(\w+)/.exec(printed)?.[1] ?? '',
  list: /export LIST=(\w+)/.exec(printed)?.[1] ?? '',
})
