import type { Contact } from '../../contacts/contact.js'
import { chunked, collected } from '../../kernel/listing.js'
import type { Clock, Log } from '../../kernel/ports.js'
import { KeyTaken, type RepositoriesFor, type Stored } from '../../kernel/repository.js'
import type { Roster } from '../membership-store.js'
import { moveSubscriber, type Subscriber, statusAt } from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

const batchSize = 200

type Deps = {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber }>
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly clock: Clock
}

/** Activates memberships whose pause has ended, the oldest first. */
export const resumingPauses = (deps: Deps) => {
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
    return items.filter((one) => statusAt(one, now) === 'active')
  }

  return async (): Promise<void> => {
    const now = clock().toISOString()
    for (let over = await next(now); over.length > 0; over = await next(now))
      await Promise.all(
        over.map(({ _id }) =>
          recorder.change({ _id }, (current) =>
            current.status === 'paused' && statusAt(current, now) === 'active'
              ? moveSubscriber(current, 'resume', now)
              : current,
          ),
        ),
      )
  }
}

/** Records that data of an older version was repaired. */
export type Repair = Stored & { readonly doneAt: string }

type OrphanDeps = {
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
const orphanBatchSize = 500

/**
 * Removes memberships without a contact or list. They date from older versions, whose removals could race with joins, and from processes
 * that died between two writes.
 */
export const orphanRepair = ({ repositories, roster, clock, log }: OrphanDeps) => {
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
      for await (const some of chunked(subscribers.each({}), orphanBatchSize)) {
        const orphans = await orphansAmong(some)
        if (orphans.length > 0) removed += await subscribers.removeAll({ _id: orphans })
      }
      if (removed > 0) log('info', 'Memberships whose contact or list is gone were removed', { removed })
      await noteDone()
    },
  }
}
