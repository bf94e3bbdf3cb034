import { randomUUID } from 'node:crypto'
import { link, mkdir, opendir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

/** In the files' directory; no key begins with a dot. */
const folder = '.backup'
const leaseOf = (directory: string) => join(directory, folder, 'lease')
const removedOf = (directory: string) => join(directory, folder, 'removed')

/** In ms. A lease ends `leaseTime` after its renewal, or after `deadTime` if its process is gone. */
const [leaseTime, deadTime, renewTime] = [60_000, 10_000, 5_000]

const isCode = (error: unknown, ...codes: readonly string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '')

const ageOf = async (path: string): Promise<number | undefined> => {
  try {
    return Date.now() - (await stat(path)).mtimeMs
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Removes what is at the place; while removals are paused, it is only moved aside. */
export const removeOrMoveAside = async (directory: string, place: string): Promise<void> => {
  const age = await ageOf(leaseOf(directory))
  if (age === undefined || age > leaseTime) {
    if (age !== undefined) await rm(join(directory, folder), { recursive: true, force: true })
    return rm(place, { recursive: true, force: true })
  }
  const aside = join(removedOf(directory), randomUUID(), relative(directory, place))
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 })
  try {
    await rename(place, aside)
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}

export type LocalStoredFile = { readonly key: string; readonly place: string }

export class RemovalsPausedElsewhere extends Error {
  override readonly name = 'RemovalsPausedElsewhere'
}

/** Of one directory of files. While it lasts, no file is lost to its readers. */
export type PausedFileRemoval = {
  /**
   * Every file that existed since the pause began, at least once.
   * @throws Error if the pause was interrupted, as by a suspended machine
   */
  readonly files: () => AsyncGenerator<LocalStoredFile>
  /** @throws Error if the pause was interrupted */
  readonly assertUnbroken: () => void
  readonly end: () => Promise<void>
}

/** Without drafts, and without what starts with a dot. */
const below = async function* (root: string): AsyncGenerator<string> {
  let entries: Awaited<ReturnType<typeof opendir>>
  try {
    entries = await opendir(root, { recursive: false })
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return
    throw error
  }
  for await (const entry of entries) {
    const path = join(root, entry.name)
    if (entry.name.startsWith('.') || entry.name.endsWith('.part')) continue
    if (entry.isDirectory()) yield* below(path)
    else if (entry.isFile()) yield path
  }
}

const keyOf = (root: string, place: string) => relative(root, place).split(sep).join('/')

const filesIn = async function* (directory: string): AsyncGenerator<LocalStoredFile> {
  for await (const place of below(directory)) yield { key: keyOf(directory, place), place }
  // Second, as files move there from the first.
  for await (const place of below(removedOf(directory))) {
    const [, ...parts] = keyOf(removedOf(directory), place).split('/')
    yield { key: parts.join('/'), place }
  }
}

const host = hostname().replace(/[^\w.-]/g, '-')

const hasNoProcess = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH')
  }
}

const isOver = async (lease: string): Promise<boolean> => {
  const age = (await ageOf(lease)) ?? 0
  if (age > leaseTime) return true
  const [where, pid] = (await readFile(lease, 'utf8').catch(() => '')).split(' ')
  return age > deadTime && where === host && hasNoProcess(Number(pid))
}

/** Creates the lease if there is none; one whose process ended is replaced. @throws RemovalsPausedElsewhere */
const takeLease = async (directory: string, token: string): Promise<void> => {
  const lease = leaseOf(directory)
  const draft = `${lease}.${randomUUID()}`
  await mkdir(dirname(lease), { recursive: true, mode: 0o700 })
  await writeFile(draft, token, { mode: 0o600 })
  try {
    if (await isOver(lease)) await rm(lease, { force: true })
    await link(draft, lease)
  } catch (error) {
    if (isCode(error, 'EEXIST'))
      throw new RemovalsPausedElsewhere('Another backup of this data directory is under way.')
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Removed files stay readable, so that files of a database snapshot can be copied after it. One process at a time.
 * @throws RemovalsPausedElsewhere
 */
export const pauseFileRemovals = async (directory: string): Promise<PausedFileRemoval> => {
  const token = `${host} ${process.pid} ${randomUUID()}`
  const lease = leaseOf(directory)
  await takeLease(directory, token)
  await rm(removedOf(directory), { recursive: true, force: true })
  let renewedAt = Date.now()
  let isBroken = false
  const renew = async (): Promise<void> => {
    const now = new Date()
    if (now.getTime() - renewedAt > leaseTime - renewTime) isBroken = true
    try {
      if ((await readFile(lease, 'utf8')) !== token) isBroken = true
      else await utimes(lease, now, now)
      renewedAt = now.getTime()
    } catch {
      // `assertUnbroken` notices if this continues.
    }
  }
  const timer = setInterval(() => void renew(), renewTime).unref()
  const assertUnbroken = (): void => {
    if (isBroken || Date.now() - renewedAt > leaseTime - renewTime)
      throw new Error('The backup was interrupted for too long, so that files may have been removed. Please try again.')
  }
  return {
    assertUnbroken,
    files: async function* () {
      yield* filesIn(directory)
      assertUnbroken()
    },
    end: async () => {
      clearInterval(timer)
      const isMine = (await readFile(lease, 'utf8').catch(() => '')) === token
      if (!isMine) return
      await rm(join(directory, folder), { recursive: true, force: true })
    },
  }
}
