import type { Log } from '@posthorn/core'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import { openStore, type Store } from './store.js'

/** A new installation was given a secret that can be guessed. */
export class WeakSecret extends Error {
  override readonly name = 'WeakSecret'
}

const shortest = 32
const advice = `POSTHORN_SECRET: fewer than ${shortest} characters; “openssl rand -base64 32” makes one that nobody guesses`

const holdSecretsToLength = (isNew: boolean, secrets: Config['secrets'], log: Log): void => {
  if (secrets?.every((secret) => secret.length >= shortest) ?? true) return
  if (isNew) throw new WeakSecret(`${advice}.`)
  log('warn', `${advice}. Put it in front of the old one, which goes on opening what it has signed.`)
}

const isEmpty = async ({ repositories }: Store): Promise<boolean> =>
  (await repositories.accounts.list({ where: {}, sort: { by: 'createdAt', order: 'asc' }, skip: 0, limit: 1 }))
    .count === 0

/**
 * Opens the store. A new installation, one without a database and without anything in the data directory, takes no secret under 32
 * characters, and nothing is made where it is refused; in an old one the log says so.
 * @throws WeakSecret, or what the store says of itself
 */
export const openInstallation = async (
  config: Pick<Config, 'store' | 'mongodbUrl' | 'secrets'>,
  data: DataDirectory,
  log: Log,
): Promise<Store> => {
  const { store: kind, secrets } = config
  if (kind !== 'mongodb') holdSecretsToLength(data.isNew, secrets, log)
  const store = await openStore(config, data, log)
  if (kind !== 'mongodb') return store
  try {
    holdSecretsToLength(data.isNew && (await isEmpty(store)), secrets, log)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
