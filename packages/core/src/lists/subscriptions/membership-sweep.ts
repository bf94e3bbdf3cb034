import type { Contact } from '../../contacts/contact.js'
import { chunked, collected } from '../../kernel/listing.js'
import type { Clock, Log } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { MembershipStore } from '../membership-store.js'
import { moveSubscriber, type Subscriber, subscriberStatusAt } from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

const batchSize = 200

type Deps = {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber }>
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly clock: Clock
}

/** Ends expired pauses, the oldest first. */
export const subscriberPauseSweep = (deps: Deps) => {
  const {
    repositories: { subscribers },
    clock,
  } = deps
  const recorder = deps.subscriptionRecorder

  const next = async (now: string) => {
    const { items } = await subscribers.list({
      where: { status: 'paused' },
      sort: { by: 'pausedUntil', order: 'asc' },
      skip: 0,
      limit: batchSize,
    })
    return items.filter((one) => subscriberStatusAt(one, now) === 'active')
  }

  return async (): Promise<void> => {
    const now = clock().toISOString()
    for (let over = await next(now); over.length > 0; over = await next(now))
      await Promise.all(
        over.map(({ _id }) =>
          recorder.change({ _id }, (current) =>
            current.status === 'paused' && subscriberStatusAt(current, now) === 'active'
              ? moveSubscriber(current, 'resume', now)
              : current,
          ),
        ),
      )
  }
}

type OrphanDeps = {
  readonly repositories: RepositoriesFor<{
    subscribers: Subscriber
    contacts: Contact
    subscriberLists: SubscriberList
  }>
  readonly membershipStore: Pick<MembershipStore, 'isAtomic'>
  readonly log: Log
}

const orphanBatchSize = 500

/** Left by a process that died between two writes of a store that is not atomic. */
export const orphanMembershipRemoval = ({
  repositories: { subscribers, contacts, subscriberLists },
  membershipStore,
  log,
}: OrphanDeps) => {
  const orphansAmong = async (some: readonly Subscriber[]): Promise<readonly string[]> => {
    const [there, lists] = await Promise.all([
      collected(contacts.each({ _id: [...new Set(some.map(({ contactId }) => contactId))] })),
      collected(subscriberLists.each({ _id: [...new Set(some.map(({ subscriberListId }) => subscriberListId))] })),
    ])
    const known = new Set([...there, ...lists].map((one) => one._id))
    return some.flatMap((one) => (known.has(one.contactId) && known.has(one.subscriberListId) ? [] : [one._id]))
  }

  return {
    isNeeded: !membershipStore.isAtomic,

    /** Checks all memberships. A job runs it after each start. */
    run: async (): Promise<void> => {
      let removed = 0
      for await (const some of chunked(subscribers.each({}), orphanBatchSize)) {
        const orphans = await orphansAmong(some)
        if (orphans.length > 0) removed += await subscribers.removeAll({ _id: orphans })
      }
      if (removed > 0) log('info', 'Memberships whose contact or list is gone were removed', { removed })
    },
  }
}
