import {
  type Audience,
  type Contact,
  type Counters,
  type Deliveries,
  type Figures,
  type Files,
  type Log,
  type Repositories,
  repositoriesOf,
} from '@posthorn/core'
import type { AgendaBackend } from 'agenda'
import { mongoAudience } from './mongo-audience.js'
import { mongoCounters } from './mongo-counters.js'
import { type MongoDatabase, openMongoDatabase } from './mongo-database.js'
import { mongoDeliveries } from './mongo-deliveries.js'
import { mongoFigures } from './mongo-figures.js'
import { mongoFiles } from './mongo-files.js'
import { openMongoJobBackend } from './mongo-job-backend.js'
import { ledgerCollections, ledgerIndexes } from './mongo-ledger.js'
import { mongoRepository } from './mongo-repository.js'
import { migrate } from './mongo-schema.js'
import { loweredTexts } from './mongo-segment.js'
import { mongoSteps } from './mongo-steps.js'

/** Every storage port on one MongoDB database, files included, and what Agenda keeps its jobs in. */
export type MongoStore = {
  readonly repositories: Repositories
  readonly counters: Counters
  readonly deliveries: Deliveries
  readonly audience: Audience
  readonly figures: Figures
  readonly files: Files
  readonly jobBackend: AgendaBackend
  /** Whether the database answers now. */
  readonly ready: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const storeOn = async (database: MongoDatabase, log: Log): Promise<MongoStore> => {
  await migrate(database, [])
  for (const [name, indexes] of Object.entries(ledgerIndexes))
    await database.db.collection(name).createIndexes(indexes.map((one) => ({ ...one })))
  const collections = ledgerCollections(database)
  const steps = mongoSteps({ collections, log })
  await steps.sweep()
  return {
    repositories: repositoriesOf((collection, kind) =>
      collection === 'contacts'
        ? mongoRepository(database, collection, kind, (contact) => ({
            _lower: loweredTexts(contact as unknown as Contact),
          }))
        : mongoRepository(database, collection, kind),
    ),
    counters: mongoCounters(collections, steps),
    deliveries: mongoDeliveries({ collections, steps }),
    audience: mongoAudience(database),
    figures: mongoFigures(collections, steps),
    files: mongoFiles(database.db),
    jobBackend: await openMongoJobBackend(database.db),
    ready: database.ready,
    close: database.close,
  }
}

/**
 * Opens the database that the address names and brings it to this version. Any number of processes may open it.
 * @throws Error with a message for the operator, in which the password is not
 */
export const openMongoStore = async (options: { readonly url: string; readonly log: Log }): Promise<MongoStore> => {
  const database = await openMongoDatabase(options)
  try {
    return await storeOn(database, options.log)
  } catch (error) {
    await database.close()
    throw error
  }
}
