import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agendaJobs, localFiles } from '@posthorn/adapters-node'
import type { Log } from '@posthorn/core'
import type { Files, Jobs, Secrets } from '@posthorn/core/ports/runtime'
import type { HeldMails, Repositories, StorePorts } from '@posthorn/core/ports/storage'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'

/** Its secret differs from that of the processes on the same store. */
export class StoreSecretMismatch extends Error {
  override readonly name = 'StoreSecretMismatch'
}

const key = 'server/secret-check'
const text = 'posthorn'

const opens = (secrets: Secrets, sealed: Uint8Array): boolean => {
  try {
    return secrets.open(new TextDecoder().decode(sealed)) === text
  } catch {
    return false
  }
}

/**
 * The first process stores a value sealed with its secret; others must be able to open it. Reseals with the newest secret.
 * @throws StoreSecretMismatch
 */
export const assertSecretOfStore = async (files: Files, secrets: Secrets): Promise<void> => {
  const sealed = await files.get(key)
  if (sealed && !opens(secrets, sealed))
    throw new StoreSecretMismatch(
      'This database is in use with another secret. Set POSTHORN_SECRET to the same on every machine. Where one machine made its own, it is in the file “secret” of its data directory.',
    )
  await files.put(key, new TextEncoder().encode(secrets.seal(text)))
}

export type Store = StorePorts & {
  /** In the store if machines share it, else in the data directory. */
  readonly files: Files
  readonly jobs: Jobs
  readonly heldMails: HeldMails
  readonly ready: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const answers = (repositories: Repositories) => async (): Promise<boolean> => {
  await repositories.accounts.get({ _id: '' })
  return true
}

const onFile = async (file: string, directory: string, log: Log): Promise<Store> => {
  const { openSqliteStore } = await import('@posthorn/adapters-sqlite')
  const { jobBackend: backend, ...opened } = openSqliteStore({ file })
  const files = localFiles(directory)
  return { ...opened, files, jobs: agendaJobs({ backend, log }), ready: answers(opened.repositories) }
}

/** Closing removes its directory. */
const temporary = async (log: Log): Promise<Store> => {
  const directory = await mkdtemp(join(tmpdir(), 'posthorn-memory-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const store = await onFile(join(directory, 'posthorn.db'), join(directory, 'files'), log)
    const close = async () => {
      await store.close()
      await remove()
    }
    return { ...store, close }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Loads only the chosen driver. @throws Error for the operator if the store cannot be opened */
export const openStore = async (
  { store, mongodbUrl: url = '' }: Pick<Config, 'store' | 'mongodbUrl'>,
  { database, files }: Pick<DataDirectory, 'database' | 'files'>,
  log: Log,
): Promise<Store> => {
  if (store === 'memory') return temporary(log)
  if (store === 'sqlite') return onFile(database, files, log)
  const { openMongoStore } = await import('@posthorn/adapters-mongo')
  const { jobBackend: backend, ...opened } = await openMongoStore({ url, log })
  return { ...opened, jobs: agendaJobs({ backend, log }) }
}
