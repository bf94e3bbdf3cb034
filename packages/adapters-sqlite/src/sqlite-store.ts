import {
  buildRepositories,
  type Contact,
  type Dispatch,
  type HeldMails,
  type RecordKind,
  type StoredRecord,
  type StorePorts,
  type Subscriber,
  type SubscriberList,
  type WebhookDelivery,
} from '@posthorn/core/ports/storage'
import type { AgendaBackend } from 'agenda'
import { sqliteAudience } from './contacts/sqlite-audience.js'
import { sqliteContactSearch } from './contacts/sqlite-contact-search.js'
import { sqliteMembershipStore } from './contacts/sqlite-membership-store.js'
import { openDatabase, type SqliteDatabase } from './database/sqlite-database.js'
import { openWriterThread } from './database/writer.js'
import { sqliteHeldMails } from './held-deliveries.js'
import { sqliteDispatchResults } from './ledger/delivery-queries.js'
import { sqliteCounters } from './ledger/sqlite-counters.js'
import { sqliteDeliveries } from './ledger/sqlite-deliveries.js'
import { sqliteFigures } from './ledger/sqlite-figures.js'
import { sqliteWebhookOutbox } from './ledger/sqlite-webhook-outbox.js'
import { workerLivenessLocks } from './ledger/worker-locks.js'
import { migrateSqliteSchema } from './migrations.js'
import { recordQueryCache } from './records/record-cache.js'
import { type RecordHooks, type SqliteRepository, sqliteRepository } from './records/sqlite-repository.js'
import { contactSegmentIndex } from './segment-index/segment-index.js'
import { sqliteJobBackend } from './sqlite-job-backend.js'
import { createSchema, schemaVersion } from './sqlite-schema.js'

/** Every storage port on one SQLite file, and the backend for Agenda's jobs. */
export type SqliteStore = StorePorts & {
  readonly file: string
  readonly jobBackend: AgendaBackend
  readonly heldMails: HeldMails
  /** Waits for writes under way; rejects later calls. */
  readonly close: () => Promise<void>
}

const open = (file: string): SqliteDatabase => {
  let database: SqliteDatabase | undefined
  try {
    migrateSqliteSchema(file, schemaVersion)
    database = openDatabase(file)
    createSchema(database)
    return database
  } catch (error) {
    void database?.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The database ${file} cannot be opened: ${reason}.`, { cause: error })
  }
}

/**
 * Any number of processes may open the file.
 * @throws Error for the operator if it is unreadable, not a database, or of another version
 */
export const openSqliteStore = ({ file }: { readonly file: string }): SqliteStore => {
  const database = open(file)
  const locks = workerLivenessLocks(file)
  const index = contactSegmentIndex(database)
  const hooksOf = (collection: string) =>
    Object.hasOwn(index.hooks, collection) ? index.hooks[collection as keyof typeof index.hooks] : undefined
  const cacheOf = recordQueryCache(database)
  const repositories = buildRepositories(<T extends StoredRecord>(collection: string, kind: RecordKind<T>) =>
    sqliteRepository(
      database,
      collection,
      kind,
      hooksOf(collection) as RecordHooks<T> | undefined,
      cacheOf(collection),
    ),
  )
  const writer = openWriterThread(file)
  const { counters, within } = sqliteCounters(database)
  const { figures, within: sums } = sqliteFigures(database)
  return {
    file,
    repositories,
    counters,
    deliveries: sqliteDeliveries({
      database,
      dispatches: repositories.dispatches as SqliteRepository<Dispatch>,
      counters: within,
      figures: sums,
      locks,
      index,
    }),
    dispatchResults: sqliteDispatchResults(database),
    audience: sqliteAudience(database, index),
    contactSearch: sqliteContactSearch(database, index),
    membershipStore: sqliteMembershipStore({
      database,
      writer,
      index,
      contacts: repositories.contacts as SqliteRepository<Contact>,
      subscriberLists: repositories.subscriberLists as SqliteRepository<SubscriberList>,
      subscribers: repositories.subscribers as SqliteRepository<Subscriber>,
      figures: sums,
    }),
    figures,
    webhookOutbox: sqliteWebhookOutbox(database, repositories.webhookDeliveries as SqliteRepository<WebhookDelivery>),
    jobBackend: sqliteJobBackend(database),
    heldMails: sqliteHeldMails(file),
    close: async () => {
      await writer.close()
      await database.close()
      locks.close()
    },
  }
}
