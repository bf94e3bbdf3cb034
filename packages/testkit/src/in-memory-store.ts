import { type RecordKind, type Repositories, records, repositoriesOf, type Stored } from '@posthorn/core'
import { inMemoryAudience } from './in-memory-audience.js'
import { inMemoryContactSearch } from './in-memory-contact-search.js'
import { inMemoryCounters, inMemoryCounts } from './in-memory-counters.js'
import { inMemoryDeliveries } from './in-memory-deliveries.js'
import { inMemoryFigures, inMemorySums } from './in-memory-figures.js'
import { inMemoryFiles } from './in-memory-files.js'
import { inMemoryRepository } from './in-memory-repository.js'
import { inMemoryRoster } from './in-memory-roster.js'
import { inMemoryTable } from './in-memory-table.js'

/** Every storage port in memory, empty, and gone with the process. */
export const inMemoryStore = () => {
  const { dispatches, contacts, subscriberLists, subscribers, suppressions } = records
  const shared = {
    dispatches: inMemoryTable('dispatches', dispatches),
    contacts: inMemoryTable('contacts', contacts),
    subscriberLists: inMemoryTable('subscriberLists', subscriberLists),
    subscribers: inMemoryTable('subscribers', subscribers),
    suppressions: inMemoryTable('suppressions', suppressions),
  }
  const counts = inMemoryCounts()
  const sums = inMemorySums()
  const repositories: Repositories = {
    ...repositoriesOf(<T extends Stored>(collection: string, kind: RecordKind<T>) =>
      inMemoryRepository(collection, kind),
    ),
    dispatches: inMemoryRepository('dispatches', dispatches, shared.dispatches),
    contacts: inMemoryRepository('contacts', contacts, shared.contacts),
    subscriberLists: inMemoryRepository('subscriberLists', subscriberLists, shared.subscriberLists),
    subscribers: inMemoryRepository('subscribers', subscribers, shared.subscribers),
    suppressions: inMemoryRepository('suppressions', suppressions, shared.suppressions),
  }
  return {
    repositories,
    counters: inMemoryCounters(counts),
    deliveries: inMemoryDeliveries({ ...shared, counts, sums }),
    audience: inMemoryAudience(shared),
    contactSearch: inMemoryContactSearch(shared),
    roster: inMemoryRoster(shared),
    figures: inMemoryFigures(sums),
    files: inMemoryFiles(),
    /** Nothing is held open: here so that it can stand in for a real store. */
    close: async (): Promise<void> => undefined,
  }
}
export type InMemoryStore = ReturnType<typeof inMemoryStore>
