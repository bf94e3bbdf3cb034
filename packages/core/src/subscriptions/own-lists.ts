import type { Contact } from '../contacts/contact.js'
import { collected } from '../kernel/listing.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Repositories } from '../records.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import { type Cause, type MembershipDeps, memberships } from './memberships.js'
import {
  canMoveSubscriber,
  isReturn,
  moveSubscriber,
  newSubscriber,
  type Subscriber,
  type SubscriberMove,
} from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

export type OwnListsDeps = MembershipDeps & {
  readonly repositories: Pick<Repositories, 'subscriberLists' | 'subscribers' | 'suppressions'>
}

/** A list that a person may join, or is on. */
export type OwnList = { readonly list: SubscriberList; readonly membership: Subscriber | undefined }

/** What a person decides of one list. */
export type Step = OwnList & { readonly move: SubscriberMove; readonly until?: string | undefined }

/** The lists that are a person's to see, and what they decide of them. */
export const ownLists = (deps: OwnListsDeps) => {
  const { repositories, clock, newId } = deps
  const { subscriberLists, subscribers, suppressions } = repositories
  const members = memberships(deps)

  const take = async (contact: Contact, step: Step, now: string, cause: Cause): Promise<void> => {
    const { list, membership, move, until } = step
    if (membership) {
      await members.change(
        { _id: membership._id },
        (current) => (canMoveSubscriber(current.status, move) ? moveSubscriber(current, move, now, until) : current),
        cause,
      )
      return
    }
    const { projectId, _id: contactId } = contact
    const joined = { _id: newId(), projectId, subscriberListId: list._id, contactId, status: 'active' } as const
    await members.add(newSubscriber(joined, now), cause).catch((error) => {
      if (!(error instanceof KeyTaken)) throw error
    })
  }

  return {
    /** All public lists, then the private ones that the contact is on, each with the membership, if there is one. */
    of: async (projectId: string, contactId: string | undefined): Promise<readonly OwnList[]> => {
      const memberships = contactId ? await collected(subscribers.each({ contactId, projectId })) : []
      const byList = new Map(memberships.map((one) => [one.subscriberListId, one]))
      const open = await collected(subscriberLists.each({ projectId, private: false }))
      const joined = await collected(subscriberLists.each({ projectId, private: true, _id: [...byList.keys()] }))
      return [...open, ...joined].map((list) => ({ list, membership: byList.get(list._id) }))
    },

    /**
     * Takes the steps, in order. Who decides has shown that they read the address's mail: joining needs no double opt-in.
     * @throws Refusal `blocked` for a suppressed address that would get mail again
     */
    take: async (contact: Contact, steps: readonly Step[], cause: Cause = {}): Promise<void> => {
      if (steps.some(({ membership, move }) => isReturn(membership?.status, move)))
        await refuseSuppressed(suppressions, contact.projectId, contact.email)
      const now = clock().toISOString()
      for (const step of steps) await take(contact, step, now, cause)
    },
  }
}
