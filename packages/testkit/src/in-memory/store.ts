import {
  buildRepositories,
  type RecordKind,
  type Repositories,
  records,
  type StoredRecord,
} from '@posthorn/core/ports/storage'
import { inMemoryAudience } from './audience.js'
import { inMemoryContactSearch } from './contact-search.js'
import { inMemoryCounters, inMemoryCounterValues } from './counters.js'
import { inMemoryDeliveries, inMemoryDeliveryLedger } from './deliveries.js'
import { inMemoryDispatchResults } from './dispatch-results.js'
import { inMemoryFigures, inMemorySums } from './figures.js'
import { inMemoryFiles } from './files.js'
import { inMemoryMembershipStore } from './membership-store.js'
import { inMemoryRepository } from './repository.js'
import { inMemoryTable } from './table.js'
import { inMemoryWebhookOutbox } from './webhook-outbox.js'

/** Every storage port in memory, empty at first. */
export const inMemoryStore = () => {
  const { dispatches, contacts, subscriberLists, subscribers, suppressions, webhookDeliveries } = records
  const shared = {
    dispatches: inMemoryTable('dispatches', dispatches),
    contacts: inMemoryTable('contacts', contacts),
    subscriberLists: inMemoryTable('subscriberLists', subscriberLists),
    subscribers: inMemoryTable('subscribers', subscribers),
    suppressions: inMemoryTable('suppressions', suppressions),
    webhookDeliveries: inMemoryTable('webhookDeliveries', webhookDeliveries),
  }
  const counts = inMemoryCounterValues()
  const sums = inMemorySums()
  const ledger = inMemoryDeliveryLedger()
  const repositories: Repositories = {
    ...buildRepositories(<T extends StoredRecord>(collection: string, kind: RecordKind<T>) =>
      inMemoryRepository(collection, kind),
    ),
    dispatches: inMemoryRepository('dispatches', dispatches, shared.dispatches),
    contacts: inMemoryRepository('contacts', contacts, shared.contacts),
    subscriberLists: inMemoryRepository('subscriberLists', subscriberLists, shared.subscriberLists),
    subscribers: inMemoryRepository('subscribers', subscribers, shared.subscribers),
    suppressions: inMemoryRepository('suppressions', suppressions, shared.suppressions),
    webhookDeliveries: inMemoryRepository('webhookDeliveries', webhookDeliveries, shared.webhookDeliveries),
  }
  return {
    repositories,
    counters: inMemoryCounters(counts),
    deliveries: inMemoryDeliveries({ ...shared, counts, sums, ledger }),
    dispatchResults: inMemoryDispatchResults(ledger),
    audience: inMemoryAudience(shared),
    contactSearch: inMemoryContactSearch(shared),
    membershipStore: inMemoryMembershipStore({ ...shared, sums }),
    figures: inMemoryFigures(sums),
    webhookOutbox: inMemoryWebhookOutbox(shared),
    files: inMemoryFiles(),
    /** Does nothing; it exists so that the store can replace a real one. */
    close: async (): Promise<void> => undefined,
  }
}
export type InMemoryStore = ReturnType<typeof inMemoryStore>
