import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { WebSocket } from 'undici'
import { type Environment, freePort, startProgram, startServer, temporaryDirectory } from '../server-process.js'

/** A project of an account of its own, with a key and credit. */
export type Tenant = { readonly accountId: string; readonly projectId: string; readonly key: string }

/** The built server of a checkout, on a data directory of its own, and its command line. */
export type Target = {
  readonly base: string
  /** Where mail that comes back is taken. */
  readonly bouncePort: number
  /** Where programs send by SMTP. */
  readonly submissionPort: number
  readonly dataDir: string
  /** Runs a command of the command line, and answers what it prints as JSON. */
  readonly command: (...args: readonly string[]) => Promise<unknown>
  readonly tenant: (name: string) => Promise<Tenant>
  /** One more project of an account, with a key of its own. */
  readonly project: (accountId: string, name: string) => Promise<Tenant>
  /** Resident memory in megabytes, after what was begun has had two seconds and garbage was collected. */
  readonly memory: () => Promise<number>
  /** As `memory`, now and with what garbage there is: nothing waits for it. */
  readonly resident: () => number
  /** What the machine has kept the server's main thread from working, since it started. */
  readonly machine: () => Machine
  readonly alive: () => boolean
  readonly stop: () => Promise<void>
}

type Settings = Readonly<Record<string, string>>

export type TargetOptions = {
  /** The server has a limit of open files (`ulimit -n`). */
  readonly openFiles?: number | undefined
  /** Environment variables, for scenes that need a server of their own. A function may start what they name. */
  readonly settings?: Settings | (() => Promise<Settings>) | undefined
}

/** Asks the inspector of a process for one thing. */
const inspect = (url: string, method: string): Promise<void> =>
  new Promise((done, failed) => {
    const socket = new WebSocket(url)
    socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, method })))
    socket.addEventListener('message', () => {
      socket.close()
      done()
    })
    socket.addEventListener('error', () => failed(new Error('The inspector does not answer')))
  })

const residentMegabytes = ({ pid }: ChildProcess): number => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1000
}

/** Milliseconds in which the thread could run and no processor was free; pages that had to be read from the disk first. */
export type Machine = { readonly waited: number; readonly pagesRead: number }

const machineOf = ({ pid }: ChildProcess): Machine => {
  const thread = `/proc/${pid}/task/${pid}`
  const [, waited] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ')
  const fields = readFileSync(`${thread}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return { waited: Number(waited) / 1e6, pagesRead: Number(fields[9]) }
}

const rest = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

/** The domain that mails of the target come back to. */
export const bounceDomain = 'bounces.sender.example'

/** A command with a limit of open files, where there is one. */
const limited = (openFiles: number | undefined, command: readonly string[]): readonly [string, ...string[]] =>
  openFiles === undefined ? ['env', ...command] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...command]

/** Starts the built server of that checkout; its outbox takes any sender. @throws Error with what it printed */
export const startTarget = async (
  checkout: string,
  { openFiles, settings: given = {} }: TargetOptions = {},
): Promise<Target> => {
  const directory = temporaryDirectory()
  const dataDir = join(directory.path, 'data')
  const bouncePort = await freePort()
  const submissionPort = await freePort()
  const settings: Environment = {
    POSTHORN_BOUNCE_DOMAIN: bounceDomain,
    POSTHORN_BOUNCE_PORT: String(bouncePort),
    POSTHORN_SUBMISSION_PORT: String(submissionPort),
    PORT: '0',
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_VERIFY_DOMAINS: 'false',
    POSTHORN_LOG_LEVEL: 'error',
    ...(typeof given === 'function' ? await given() : given),
  }
  // `bin/server.js` sets how V8 collects garbage, too; it builds what is not built, which an attack is no time for.
  const heap = resolve(checkout, 'apps/server/bin/heap.js')
  const main = resolve(checkout, 'apps/server/dist/main.js')
  const node = [process.execPath, '--inspect=127.0.0.1:0', '--import', heap, main]
  const server = await startServer(settings, limited(openFiles, node))
  const { base, child } = server
  const [, inspector = ''] = /(ws:\S+)/.exec(server.printed()) ?? []

  const command = async (...args: readonly string[]): Promise<unknown> => {
    const cli = resolve(checkout, 'apps/server/dist/cli/main.js')
    const { code, stdout, stderr } = await startProgram([cli, ...args, '--json'], settings).ended
    if (code !== 0) throw new Error(`posthorn ${args.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }

  const project: Target['project'] = async (accountId, name) => {
    const { _id: projectId } = (await command('project', 'create', accountId, name)) as { _id: string }
    await command('access', 'approve', projectId)
    const { key } = (await command('key', 'create', projectId)) as { key: string }
    return { accountId, projectId, key }
  }

  return {
    base,
    bouncePort,
    submissionPort,
    dataDir,
    command,
    project,
    tenant: async (name) => {
      const { _id: accountId } = (await command('account', 'create', name)) as { _id: string }
      await command('credit', 'add', accountId, '100000000')
      return project(accountId, name)
    },
    memory: async () => {
      await rest(1500)
      await inspect(inspector, 'HeapProfiler.collectGarbage')
      await rest(500)
      return residentMegabytes(child)
    },
    resident: () => residentMegabytes(child),
    machine: () => machineOf(child),
    alive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGTERM')
      await Promise.race([server.ended, rest(5000)])
      child.kill('SIGKILL')
      await server.ended
      directory.remove()
    },
  }
}

/** A file for the command line, beside the target's data. */
export const fileFor = ({ dataDir }: Target, name: string, text: string): string => {
  const path = join(dataDir, '..', name)
  writeFileSync(path, text)
  return path
}
