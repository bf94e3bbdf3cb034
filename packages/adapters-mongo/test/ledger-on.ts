import type { Log } from '@posthorn/core'
import { buildRepositories } from '@posthorn/core/ports/storage'
import type { MongoDatabase } from '../src/connection/mongo-database.js'
import { ledgerCollections } from '../src/ledger/ledger-collections.js'
import { mongoCounters } from '../src/ledger/mongo-counters.js'
import { mongoDeliveries } from '../src/ledger/mongo-deliveries.js'
import { mongoFigures } from '../src/ledger/mongo-figures.js'
import { mongoRepository } from '../src/records/mongo-repository.js'
import { mongoSteps } from '../src/steps/mongo-steps.js'

const log = () => {}

/** The ledger, the counters and the figures on a database, which may be one that fails. */
export const ledgerOn = (
  database: Pick<MongoDatabase, 'collection'>,
  given: { readonly now?: () => Date; readonly log?: Log } = {},
) => {
  const collections = ledgerCollections(database)
  const steps = mongoSteps({ collections, log, ...given })
  return {
    steps,
    repositories: buildRepositories((name, kind) => mongoRepository(database, name, kind)),
    counters: mongoCounters(collections, steps),
    deliveries: mongoDeliveries({ collections, steps }),
    figures: mongoFigures(collections, steps),
  }
}
