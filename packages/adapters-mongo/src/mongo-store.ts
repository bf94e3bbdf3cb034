import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Files } from '@posthorn/core/ports/runtime'
import {
  buildRepositories,
  type HeldMails,
  type Repositories,
  records,
  type StorePorts,
} from '@posthorn/core/ports/storage'
import type { AgendaBackend } from 'agenda'
import { mongoAudience } from './audience/mongo-audience.js'
import { mongoContactSearch } from './audience/mongo-contact-search.js'
import { mongoMembershipStore } from './audience/mongo-membership-store.js'
import { lowerCaseContactProperties } from './audience/segment-filter.js'
import {
  cannotOpenDatabase,
  type MongoDatabase,
  type MongoDatabaseOptions,
  mongoClock,
  openMongoDatabase,
} from './connection/mongo-database.js'
import { mongoDispatchResults } from './ledger/delivery-queries.js'
import { mongoHeldMails } from './ledger/held-mails.js'
import { ledgerCollections, ledgerIndexes } from './ledger/ledger-collections.js'
import { mongoCounters } from './ledger/mongo-counters.js'
import { mongoDeliveries } from './ledger/mongo-deliveries.js'
import { mongoFigures } from './ledger/mongo-figures.js'
import { mongoWebhookOutbox } from './ledger/mongo-webhook-outbox.js'
import type { LedgerSteps } from './ledger/step.js'
import { mongoFiles } from './mongo-files.js'
import { mongoJobBackend } from './mongo-job-backend.js'
import { mongoRepository } from './records/mongo-repository.js'
import { prepareMongoSchema } from './schema/mongo-schema.js'
import { mongoSteps } from './steps/mongo-steps.js'

/** Every storage port on one MongoDB database, with files and Agenda's jobs. */
export type MongoStore = StorePorts & {
  readonly files: Files
  readonly heldMails: HeldMails
  readonly jobBackend: AgendaBackend
  /** Whether the database answers within 2 s. */
  readonly ready: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const repositoriesOn = (database: MongoDatabase): Repositories => ({
  ...buildRepositories((collection, kind) => mongoRepository(database, collection, kind)),
  contacts: mongoRepository(database, 'contacts', records.contacts, (contact) => ({
    _lower: lowerCaseContactProperties(contact),
  })),
})

/** Before contacts are read, makes this process's recorded moves for them. */
const withReceived = (contacts: Repositories['contacts'], steps: LedgerSteps): Repositories['contacts'] => {
  const carriedOut = async () => {
    if (steps.isWaiting(({ brings }) => (brings?.received ?? []).length > 0)) await steps.carriedOut()
  }
  return {
    ...contacts,
    get: async (where) => {
      await carriedOut()
      return contacts.get(where)
    },
    list: async (query) => {
      await carriedOut()
      return contacts.list(query)
    },
  }
}

/** Closing waits at most 1 s for the removal of marks, in ms. */
const tidyPatience = 1_000

export const mongoStoreOn = async (database: MongoDatabase, log: Log): Promise<MongoStore> => {
  await prepareMongoSchema(database, ledgerIndexes, log)
  const collections = ledgerCollections(database)
  const steps = mongoSteps({ collections, log })
  await steps.sweep()
  const plain = repositoriesOn(database)
  const repositories = { ...plain, contacts: withReceived(plain.contacts, steps) }
  return {
    repositories,
    counters: mongoCounters(collections, steps),
    deliveries: mongoDeliveries({ collections, steps }),
    dispatchResults: mongoDispatchResults(collections, steps),
    audience: mongoAudience(database),
    contactSearch: mongoContactSearch(database),
    membershipStore: mongoMembershipStore(database, repositories, steps),
    figures: mongoFigures(collections, steps),
    webhookOutbox: mongoWebhookOutbox(database),
    storeClock: mongoClock(database),
    files: mongoFiles(database.patientDb),
    heldMails: mongoHeldMails({ collections, steps }),
    jobBackend: await mongoJobBackend(database.db),
    ready: database.ready,
    close: async () => {
      // A sweep of any process removes remaining marks.
      await Promise.race([steps.tidy().catch(() => undefined), pause(tidyPatience)])
      steps.end()
      await database.close()
    },
  }
}

/**
 * Migrates the database; several processes may open it.
 * @throws Error for the operator, without the password: unreachable, too old a server, a newer schema, or records that violate a unique key
 */
export const openMongoStore = async (options: MongoDatabaseOptions): Promise<MongoStore> => {
  const { url, log } = options
  const database = await openMongoDatabase(options)
  try {
    return await mongoStoreOn(database, log)
  } catch (error) {
    await database.close()
    throw cannotOpenDatabase(url, error)
  }
}
