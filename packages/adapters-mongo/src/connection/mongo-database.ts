import type { Log } from '@posthorn/core'
import { type Collection, type Db, type Document, MongoClient, ReadConcern, type ServerDescription } from 'mongodb'
import { watchHeartbeats } from './heartbeat-watch.js'
import { withTimeLimits } from './limited.js'
import { operationTime } from './retried.js'

/** One client, with its pool of connections, on one database. */
export type MongoDatabase = {
  /** Each operation on it is ended by the server after twelve seconds. */
  readonly db: Db
  /** Without that limit: for what takes as long as there is data, as making an index or moving a file does. */
  readonly patientDb: Db
  readonly collection: <T extends Document>(name: string) => Collection<T>
  /** Whether the database answers now, within two seconds. */
  readonly ready: () => Promise<boolean>
  /** Whether it was closed: what is still under way then fails, and that tells nothing. */
  readonly isClosed: () => boolean
  /** Waits for nothing: what is under way is refused. */
  readonly close: () => Promise<void>
}

/** The database where the address names none. */
const defaultName = 'posthorn'

const oldestVersion = 5

/**
 * How long is waited for a server, a connection, and an answer, and how often servers are asked how they are, in milliseconds. An
 * election takes about ten seconds.
 */
const patience = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  heartbeatFrequencyMS: 2_000,
}
const readyPatience = 2_000

/**
 * What was promised was written by a majority, journalled, and is not lost in a failover; what is read cannot be taken back.
 * No option of the address lowers that. https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/
 */
const concerns = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: operationTime },
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
} as const

const nameIn = (url: string) => /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1]

/** An address that can be shown: without the credentials, which may themselves be what is malformed. */
const shown = (url: string) => url.replace(/\/\/.*@/s, '//…@')

/** Why the database cannot be opened, in words for the operator. */
export const cannotOpen = (url: string, error: unknown): Error => {
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(url, shown(url)).replace(/\.$/, '')
  return new Error(`The database ${shown(url)} cannot be opened: ${reason}.`, { cause: error })
}

const connect = async (client: MongoClient) => {
  await client.connect()
  const { version } = await client.db('admin').command({ buildInfo: 1 })
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new Error(`it is MongoDB ${version}, and Posthorn needs MongoDB ${oldestVersion}.0 or newer`)
}

const isKnown = ({ type }: ServerDescription) => type !== 'Unknown'

/** A command that was sent: `find`, and its collection where it has one. */
export type SentCommand = { readonly name: string; readonly collection: string | undefined; readonly command: Document }

export type DatabaseOptions = {
  readonly url: string
  readonly log: Log
  /** Hears of every command that is sent: for measuring. */
  readonly onCommand?: ((command: SentCommand) => void) | undefined
}

const collectionOf = (name: string, command: Document): string | undefined => {
  const target: unknown = name === 'getMore' ? command.collection : command[name]
  return typeof target === 'string' ? target : undefined
}

/**
 * Connects to the database that the address names, `posthorn` where it names none. Afterwards the driver finds the primary again
 * by itself, whatever happens to it.
 * @throws Error with a message for the operator: a malformed address, no server, wrong credentials, a server that is too old
 */
export const openMongoDatabase = async ({ url, log, onCommand }: DatabaseOptions): Promise<MongoDatabase> => {
  let client: MongoClient | undefined
  try {
    client = new MongoClient(url, {
      appName: 'posthorn',
      ignoreUndefined: true,
      ...patience,
      ...(onCommand && { monitorCommands: true }),
    })
    if (onCommand)
      client.on('commandStarted', ({ commandName, command }) =>
        onCommand({ name: commandName, collection: collectionOf(commandName, command), command }),
      )
    await connect(client)
  } catch (error) {
    await client?.close()
    throw cannotOpen(url, error)
  }
  const opened = client
  const name = nameIn(url) ?? defaultName
  const db = withTimeLimits(opened.db(name, concerns))
  opened.on('serverDescriptionChanged', ({ address, previousDescription, newDescription }) => {
    const [before, after] = [isKnown(previousDescription), isKnown(newDescription)]
    if (before && !after)
      log('warn', 'A database server does not answer', { address, reason: newDescription.error?.message })
    if (!before && after) log('info', 'A database server answers', { address, role: newDescription.type })
  })
  const unwatch = watchHeartbeats(opened, log)
  let isClosed = false
  return {
    db,
    patientDb: opened.db(name, concerns),
    collection: (collection) => db.collection(collection),
    ready: () =>
      db.command({ ping: 1 }, { signal: AbortSignal.timeout(readyPatience) }).then(
        () => true,
        () => false,
      ),
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      unwatch()
      return opened.close()
    },
  }
}
