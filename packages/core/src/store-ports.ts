import type { ContactSearch } from './contacts/directory/contact-list.js'
import type { Counters, StoreClock } from './kernel/ports.js'
import type { MembershipStore } from './lists/membership-store.js'
import type { Repositories } from './records.js'
import type { Figures } from './reporting/figures/figure.js'
import type { AudienceReader } from './sending/audience/audience.js'
import type { Deliveries } from './sending/ledger/deliveries.js'
import type { DispatchResults } from './sending/ledger/dispatch-results.js'
import type { WebhookOutbox } from './webhooks/ports.js'

/** One store implements all of them: they share the same records. */
export type StorePorts = {
  readonly repositories: Repositories
  readonly counters: Counters
  readonly deliveries: Deliveries
  readonly dispatchResults: DispatchResults
  readonly audience: AudienceReader
  readonly contactSearch: ContactSearch
  readonly membershipStore: MembershipStore
  readonly figures: Figures
  readonly webhookOutbox: WebhookOutbox
  /** Absent if all processes run on the store's machine and share its clock. */
  readonly storeClock?: StoreClock | undefined
}

/** Picks the store ports from a store, without its files, jobs and `close`. */
export const storePortsOf = ({
  repositories,
  counters,
  deliveries,
  dispatchResults,
  audience,
  contactSearch,
  membershipStore,
  figures,
  webhookOutbox,
  storeClock,
}: StorePorts): StorePorts => ({
  repositories,
  counters,
  deliveries,
  dispatchResults,
  audience,
  contactSearch,
  membershipStore,
  figures,
  webhookOutbox,
  ...(storeClock && { storeClock }),
})
