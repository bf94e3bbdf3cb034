import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from './config.js'

const ServerMark = z.object({
  pid: z.int(),
  host: z.string(),
  roles: z.array(z.enum(['api', 'worker'])),
  startedAt: z.iso.datetime(),
})

export type ServerMark = z.infer<typeof ServerMark>

const longestHost = 64

/** The file name holds the mark, because other processes cannot open a locked file. */
const nameOf = (mark: ServerMark): string =>
  `${randomBytes(4).toString('hex')}.${Buffer.from(JSON.stringify(mark)).toString('base64url')}`

const markIn = (name: string): ServerMark | undefined => {
  try {
    return ServerMark.parse(JSON.parse(Buffer.from(name.replace(/^.*\./, ''), 'base64url').toString()))
  } catch {
    return undefined
  }
}

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory).filter((name) => markIn(name) !== undefined && !name.startsWith('.'))
  } catch {
    return []
  }
}

const loadLocks = () => import('@posthorn/adapters-sqlite')

/** With its `own` mark, a server also removes marks of servers that ended. */
const running = async (directory: string, own?: string): Promise<readonly ServerMark[]> => {
  const { lockFile } = await loadLocks()
  return namesIn(directory).flatMap((name) => {
    if (name === own) return []
    const lock = lockFile(join(directory, name))
    if (!lock) return markIn(name) ?? []
    if (own !== undefined) rmSync(join(directory, name), { force: true })
    lock.close()
    return []
  })
}

/** Excludes killed servers, and servers that use a copy of the directory on another machine. */
export const serversUsingDirectory = (directory: string): Promise<readonly ServerMark[]> => running(directory)

export type OwnServerMark = { readonly others: readonly ServerMark[]; readonly close: () => void }

/** The mark ends with the process. Never fails: without file locks, other servers do not see the mark. */
export const markServerRunning = async (
  directory: string,
  roles: Config['roles'],
  startedAt: Date,
): Promise<OwnServerMark> => {
  const host = hostname().slice(0, longestHost)
  const name = nameOf({ pid: process.pid, host, roles: [...roles], startedAt: startedAt.toISOString() })
  const [draft, file] = [join(directory, `.${name}`), join(directory, name)]
  try {
    const { lockFile } = await loadLocks()
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    closeSync(openSync(draft, 'a', 0o600))
    const lock = lockFile(draft)
    // Renamed once locked: another process would remove an unlocked mark.
    renameSync(draft, file)
    const close = () => {
      rmSync(file, { force: true })
      lock?.close()
    }
    return { others: await running(directory, name), close }
  } catch {
    return { others: [], close: () => {} }
  }
}

export const describeServerMark = ({ pid, host, startedAt }: ServerMark): string =>
  `process ${pid} on ${host}, started ${startedAt}`

/** One that does everything, as a server does that was started without thinking of another. */
const doesAll = ({ roles }: Pick<ServerMark, 'roles'>): boolean => roles.includes('api') && roles.includes('worker')

export const sharedDirectoryAdvice =
  'end one of them, or give one the variable POSTHORN_ROLES=api or POSTHORN_ROLES=worker'

/** Undefined if the servers divide the roles. */
export const sharedDirectoryWarning = (
  directory: string,
  roles: Config['roles'],
  others: readonly ServerMark[],
): string | undefined => {
  const alike = doesAll({ roles: [...roles] }) ? others.filter(doesAll) : []
  if (alike.length === 0) return undefined
  return `Another server uses the data directory ${directory}, too: ${alike.map(describeServerMark).join('; ')}. Both answer requests and send mails, and no mail leaves twice. If that is not meant, ${sharedDirectoryAdvice}.`
}

export const severalServersHaveAllRoles = (marks: readonly ServerMark[]): boolean => marks.filter(doesAll).length > 1
