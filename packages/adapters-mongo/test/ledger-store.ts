import { type Log, repositoriesOf } from '@posthorn/core'
import { inMemoryStore } from '@posthorn/testkit'
import type { ContractStore } from '@posthorn/testkit/contracts'
import { mongoCounters } from '../src/mongo-counters.js'
import { type MongoDatabase, openMongoDatabase } from '../src/mongo-database.js'
import { mongoDeliveries } from '../src/mongo-deliveries.js'
import { mongoFigures } from '../src/mongo-figures.js'
import { ledgerCollections, ledgerIndexes } from '../src/mongo-ledger.js'
import { mongoRepository } from '../src/mongo-repository.js'
import { migrate } from '../src/mongo-schema.js'
import { mongoSteps } from '../src/mongo-steps.js'
import { databases } from './databases.js'

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

/** Stores that share what is opened only once. */
export const ledgerStores = () => {
  const pool = databases()
  const open = async (url: string, close: () => Promise<void>): Promise<ContractStore> => {
    const database = await openMongoDatabase({ url, log })
    await migrate(database, ledgerIndexes)
    return {
      ...ledgerOn(database),
      audience: inMemoryStore().audience,
      another: () => open(url, async () => {}),
      close: async () => {
        await database.close()
        await close()
      },
    }
  }
  return {
    make: async () => {
      const url = pool.take()
      return open(url, () => pool.give(url))
    },
    drop: pool.drop,
  }
}
