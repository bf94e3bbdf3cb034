import { type Log, repositoriesOf } from '@posthorn/core'
import { mongoCounters } from '../src/mongo-counters.js'
import type { MongoDatabase } from '../src/mongo-database.js'
import { mongoDeliveries } from '../src/mongo-deliveries.js'
import { mongoFigures } from '../src/mongo-figures.js'
import { ledgerCollections } from '../src/mongo-ledger.js'
import { mongoRepository } from '../src/mongo-repository.js'
import { mongoSteps } from '../src/mongo-steps.js'

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
    repositories: repositoriesOf((name, kind) => mongoRepository(database, name, kind)),
    counters: mongoCounters(collections, steps),
    deliveries: mongoDeliveries({ collections, steps }),
    figures: mongoFigures(collections, steps),
  }
}
