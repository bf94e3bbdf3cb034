import type { Contact } from '../contacts/contact.js'
import { chunked, collected } from '../kernel/listing.js'
import type { Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Roster } from '../subscribers/roster.js'
import type { Subscriber } from '../subscribers/subscriber.js'
import type { SubscriberList } from '../subscribers/subscriber-list.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    subscribers: Subscriber
    contacts: Contact
    subscriberLists: SubscriberList
  }>
  readonly roster: Pick<Roster, 'isAtomic'>
  readonly log: Log
}

const batchSize = 500

/** Removes memberships without a contact or list: a process left them by dying between two writes of a roster that is not atomic. */
export const orphanRemoval = ({ repositories: { subscribers, contacts, subscriberLists }, roster, log }: Deps) => {
  const orphansAmong = async (some: readonly Subscriber[]): Promise<readonly string[]> => {
    const [there, lists] = await Promise.all([
      collected(contacts.each({ _id: [...new Set(some.map(({ contactId }) => contactId))] })),
      collected(subscriberLists.each({ _id: [...new Set(some.map(({ subscriberListId }) => subscriberListId))] })),
    ])
    const known = new Set([...there, ...lists].map((one) => one._id))
    return some.flatMap((one) => (known.has(one.contactId) && known.has(one.subscriberListId) ? [] : [one._id]))
  }

  return {
    isNeeded: !roster.isAtomic,

    /** Checks all memberships. A job runs it after each start. */
    run: async (): Promise<void> => {
      let removed = 0
      for await (const some of chunked(subscribers.each({}), batchSize)) {
        const orphans = await orphansAmong(some)
        if (orphans.length > 0) removed += await subscribers.removeAll({ _id: orphans })
      }
      if (removed > 0) log('info', 'Memberships whose contact or list is gone were removed', { removed })
    },
  }
}
