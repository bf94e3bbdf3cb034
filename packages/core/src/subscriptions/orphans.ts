import type { Contact } from '../contacts/contact.js'
import { chunked, collected } from '../kernel/listing.js'
import type { Clock, Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken, type Stored } from '../kernel/repository.js'
import type { Roster } from '../subscribers/roster.js'
import type { Subscriber } from '../subscribers/subscriber.js'
import type { SubscriberList } from '../subscribers/subscriber-list.js'

/** Records that data of an older version was repaired. */
export type Repair = Stored & { readonly doneAt: string }

type Deps = {
  readonly repositories: RepositoriesFor<{
    subscribers: Subscriber
    contacts: Contact
    subscriberLists: SubscriberList
    repairs: Repair
  }>
  readonly roster: Pick<Roster, 'isAtomic'>
  readonly clock: Clock
  readonly log: Log
}

const _id = 'memberships-without-contact'
const batchSize = 500

/**
 * Removes memberships without a contact or list. They date from older versions, whose removals could race with joins, and from processes
 * that died between two writes.
 */
export const orphanRepair = ({ repositories, roster, clock, log }: Deps) => {
  const { subscribers, contacts, subscriberLists, repairs } = repositories

  const isDone = async (): Promise<boolean> => roster.isAtomic && (await repairs.get({ _id })) !== undefined

  const orphansAmong = async (some: readonly Subscriber[]): Promise<readonly string[]> => {
    const [there, lists] = await Promise.all([
      collected(contacts.each({ _id: [...new Set(some.map(({ contactId }) => contactId))] })),
      collected(subscriberLists.each({ _id: [...new Set(some.map(({ subscriberListId }) => subscriberListId))] })),
    ])
    const known = new Set([...there, ...lists].map((one) => one._id))
    return some.flatMap((one) => (known.has(one.contactId) && known.has(one.subscriberListId) ? [] : [one._id]))
  }

  const noteDone = async (): Promise<void> => {
    await repairs.add({ _id, doneAt: clock().toISOString() }).catch((error: unknown) => {
      if (!(error instanceof KeyTaken)) throw error
    })
  }

  return {
    isDone,

    /** Marks a new store as repaired, because no older version wrote to it. */
    skip: async (): Promise<void> => {
      if (roster.isAtomic) await noteDone()
    },

    /** Checks all memberships: once in the life of a store, or after each start if the store's roster is not atomic. */
    run: async (): Promise<void> => {
      if (await isDone()) return
      let removed = 0
      for await (const some of chunked(subscribers.each({}), batchSize)) {
        const orphans = await orphansAmong(some)
        if (orphans.length > 0) removed += await subscribers.removeAll({ _id: orphans })
      }
      if (removed > 0) log('info', 'Memberships whose contact or list is gone were removed', { removed })
      await noteDone()
    },
  }
}
