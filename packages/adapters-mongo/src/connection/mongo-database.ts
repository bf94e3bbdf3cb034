import type { Log } from '@posthorn/core'
import type { StoreClock } from '@posthorn/core/ports/storage'
import {
  type Collection,
  type Db,
  type Document,
  MongoClient,
  MongoServerError,
  ReadConcern,
  type ServerDescription,
} from 'mongodb'
import { watchMongoHeartbeats } from './heartbeat-watch.js'
import { openingAdvice } from './opening-advice.js'
import { mostOperationTime, withTimeLimit } from './retries.js'
import { withTimeLimits } from './time-limits.js'

export type MongoDatabase = {
  /** The server ends each operation after 12 s. */
  readonly db: Db
  /** Without the limit, for creating indexes and reading files. */
  readonly patientDb: Db
  readonly collection: <T extends Document>(name: string) => Collection<T>
  readonly ready: () => Promise<boolean>
  readonly isClosed: () => boolean
  readonly close: () => Promise<void>
}

const defaultName = 'posthorn'

const oldestVersion = 5

/** In ms. An election takes about 10 s. */
const patience = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  heartbeatFrequencyMS: 2_000,
}
const readyPatience = 2_000

/**
 * Acknowledged writes are journalled by a majority; reads return only such data. The address cannot weaken that.
 * https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/
 */
const concerns = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: mostOperationTime },
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
} as const

export const databaseNameIn = (url: string): string =>
  /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1] ?? defaultName

/** Hides credentials. The URL may be malformed. */
const shown = (url: string) => url.replace(/\/\/.*@/s, '//…@')

export const cannotOpenDatabase = (url: string, error: unknown): Error => {
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(url, shown(url)).replace(/\.$/, '')
  const advice = openingAdvice(url, error)
  return new Error(`The database ${shown(url)} cannot be opened: ${reason}.${advice ? ` ${advice}.` : ''}`, {
    cause: error,
  })
}

const connect = async (client: MongoClient) => {
  await client.connect()
  const { version } = await client.db('admin').command({ buildInfo: 1 })
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new Error(`it is MongoDB ${version}, and Posthorn needs MongoDB ${oldestVersion}.0 or newer`)
}

const isKnown = ({ type }: ServerDescription) => type !== 'Unknown'

/** A sent command: its name, such as `find`, and its collection, if it has one. */
export type SentMongoCommand = {
  readonly name: string
  readonly collection: string | undefined
  readonly command: Document
}

export type MongoDatabaseOptions = {
  readonly url: string
  readonly log: Log
  readonly onCommand?: ((command: SentMongoCommand) => void) | undefined
}

const collectionOf = (name: string, command: Document): string | undefined => {
  const target: unknown = name === 'getMore' ? command.collection : command[name]
  return typeof target === 'string' ? target : undefined
}

/** @throws Error for the operator: a malformed address, no server, wrong credentials, an old server */
export const openMongoDatabase = async ({ url, log, onCommand }: MongoDatabaseOptions): Promise<MongoDatabase> => {
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
    throw cannotOpenDatabase(url, error)
  }
  const opened = client
  const name = databaseNameIn(url)
  const db = withTimeLimits(opened.db(name, concerns))
  opened.on('serverDescriptionChanged', ({ address, previousDescription, newDescription }) => {
    const [before, after] = [isKnown(previousDescription), isKnown(newDescription)]
    if (before && !after)
      log('warn', 'A database server does not answer', { address, reason: newDescription.error?.message })
    if (!before && after) log('info', 'A database server answers', { address, role: newDescription.type })
  })
  const unwatch = watchMongoHeartbeats(opened, log)
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

/** https://www.mongodb.com/docs/manual/reference/error-codes/ (CommandNotFound) */
const isUnknown = (error: unknown) => error instanceof MongoServerError && error.code === 59

/** By `hello` or `isMaster` (https://www.mongodb.com/docs/manual/reference/command/hello/); otherwise this machine's clock. */
export const mongoClock = ({ db }: Pick<MongoDatabase, 'db'>): StoreClock => {
  const ask = async (): Promise<Document> => {
    try {
      return await db.command({ hello: 1 })
    } catch (error) {
      if (isUnknown(error)) return db.command({ isMaster: 1 })
      throw error
    }
  }
  return {
    now: async () => {
      const { localTime } = await withTimeLimit(ask)
      return localTime instanceof Date ? new Date(localTime) : new Date()
    },
  }
}
