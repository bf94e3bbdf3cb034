import { z } from 'zod'
import type { Contact, ContactChanges, ContactFields } from '../../contacts/contact.js'
import { addressKey, EmailAddress } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import { messageWithoutFieldName, parsed, runRuleEvenIfInvalid } from '../../kernel/parsed.js'
import type { Clock, Runtime } from '../../kernel/ports.js'
import { blocked, forbidden, invalid, notFound } from '../../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { assertOwnAddress, type Scope } from '../../kernel/scope.js'
import { refuseSuppressedAddress, type Suppression } from '../../suppressions/suppression.js'
import {
  isNewlyConfirmed,
  movedSubscriberIfAllowed,
  moveSubscriberPauseEnd,
  newSubscriber,
  parseSubscriptionPauseEnd,
  type Subscriber,
  type SubscriberMove,
  subscriberMovesByTarget,
} from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import type { ListJoiner } from './join.js'
import type { ReconfirmationActions } from './reconfirmation.js'
import type { SubscriptionCause, SubscriptionRecorder } from './subscription-recorder.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    subscriberLists: SubscriberList
    subscribers: Subscriber
    suppressions: Suppression
  }>
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly joins: ListJoiner
  readonly reconfirmation: ReconfirmationActions
}

type ListWithMembership = { readonly list: SubscriberList; readonly membership: Subscriber | undefined }

export type MembershipMove = ListWithMembership & { readonly move: SubscriberMove; readonly until?: string | undefined }

/** `isProven`: the mail went to the contact’s current address. */
export type FollowedMailLink = SubscriptionCause & { readonly isProven: boolean }

export const contactOwnLists = (deps: Deps) => {
  const { repositories, clock, newId } = deps
  const { subscriberLists, subscribers, suppressions } = repositories
  const recorder = deps.subscriptionRecorder
  const { verificationFor } = deps.joins
  const { unconfirmIfMoved } = deps.reconfirmation

  const asksToConfirm = async ({ list, membership }: ListWithMembership): Promise<boolean> =>
    membership ? (await verificationFor(list, membership)) !== undefined : list.doubleOptIn.active

  const take = async (contact: Contact, step: MembershipMove, now: string, cause: SubscriptionCause): Promise<void> => {
    const { list, membership, move, until } = step
    if (membership) {
      await recorder.change({ _id: membership._id }, (one) => movedSubscriberIfAllowed(one, move, now, until), cause)
      return
    }
    const { projectId, _id: contactId } = contact
    const joined = { _id: newId(), projectId, subscriberListId: list._id, contactId, status: 'active' } as const
    const missing = await recorder.add(newSubscriber(joined, now), cause).catch(ifKeyTaken(() => undefined))
    if (missing) throw notFound(missing === 'contact' ? 'Contact' : 'Subscriber list')
  }

  return {
    /** Public lists, then private lists that the contact is on. */
    of: async (projectId: string, contactId: string | undefined): Promise<readonly ListWithMembership[]> => {
      const memberships = contactId ? await collected(subscribers.each({ contactId, projectId })) : []
      const byList = new Map(memberships.map((one) => [one.subscriberListId, one]))
      const open = await collected(subscriberLists.each({ projectId, private: false }))
      const joined = await collected(subscriberLists.each({ projectId, private: true, _id: [...byList.keys()] }))
      return [...open, ...joined].map((list) => ({ list, membership: byList.get(list._id) }))
    },

    movePauseEnd: async ({ _id }: Subscriber, until: string): Promise<void> => {
      const now = clock().toISOString()
      await recorder.change({ _id }, (current) => moveSubscriberPauseEnd(current, until, now))
    },

    /**
     * In order. A link that proves the address needs no double opt-in; without proof, such a list cannot be joined.
     * @throws Refusal `blocked` if a suppressed address would get mail again, or without proof
     */
    take: async (
      contact: Contact,
      steps: readonly MembershipMove[],
      { isProven, ...cause }: FollowedMailLink,
    ): Promise<void> => {
      const returns = steps.filter(({ membership, move }) => isNewlyConfirmed(membership?.status, move))
      if (returns.length > 0) await refuseSuppressedAddress(suppressions, contact.projectId, contact.email)
      if (!isProven && (await Promise.all(returns.map(asksToConfirm))).includes(true))
        throw blocked('This list asks for a confirmation: please use the link in a newer mail.')
      for (const step of steps) await take(contact, step, clock().toISOString(), cause)
      if (returns.length > 0) await unconfirmIfMoved(contact)
    },
  }
}
export type ContactOwnLists = ReturnType<typeof contactOwnLists>

type MembershipDeps = {
  readonly repositories: RepositoriesFor<{ contacts: Contact }>
  readonly ownLists: ContactOwnLists
  readonly clock: Clock
}

const OwnSubscription = z.strictObject({ email: EmailAddress, status: z.literal('active').optional() })
const OwnChanges = z
  .strictObject({ status: z.enum(['active', 'paused', 'unsubscribed']).optional(), pausedUntil: z.string().optional() })
  .refine(({ status, pausedUntil }) => status !== undefined || pausedUntil !== undefined, {
    ...messageWithoutFieldName('Missing required field: status'),
    ...runRuleEvenIfInvalid,
  })

/** A preferences token may join, pause and leave lists for its own address, not change the contact: forwarded mails contain it. */
export const ownListMemberships = (deps: MembershipDeps) => {
  const { repositories, clock } = deps
  const lists = deps.ownLists

  const own = async (scope: Scope, listId: string, email: string) => {
    assertOwnAddress(scope, email)
    const { projectId } = scope
    const contact = await repositories.contacts.get({ projectId, emailKey: addressKey(email) })
    const about = contact && (await lists.of(projectId, contact._id)).find(({ list }) => list._id === listId)
    if (!contact || !about) throw forbidden()
    const decide = (move: SubscriberMove, until?: string) =>
      lists.take(contact, [{ ...about, move, until }], {
        isProven: scope.isProven === true,
        dispatchId: scope.dispatchId,
      })
    return { contact, membership: about.membership, decide }
  }

  return {
    /** @throws Refusal `forbidden` for another's address or list, `invalid`, `blocked` for a suppressed address */
    subscribe: async (
      scope: Scope,
      listId: string,
      input: ContactFields,
    ): Promise<{ status: 'active'; email: string }> => {
      const { email } = parsed(OwnSubscription, input)
      const { contact, membership, decide } = await own(scope, listId, email)
      if (membership && membership.status !== 'unsubscribed') throw invalid('Email already exists.')
      await decide(subscriberMovesByTarget.active)
      return { status: 'active', email: contact.email }
    },

    /** @throws Refusal `forbidden` for another's address or list, `invalid`, `not-found`, `blocked` for a suppressed address */
    update: async (scope: Scope, listId: string, email: string, input: ContactChanges): Promise<void> => {
      assertOwnAddress(scope, email)
      const { status, pausedUntil } = parsed(OwnChanges, input)
      const until =
        status === undefined || status === 'paused' ? parseSubscriptionPauseEnd(pausedUntil, clock().toISOString()) : ''
      const { membership, decide } = await own(scope, listId, email)
      if (!membership) throw notFound('Subscriber')
      if (status) await decide(subscriberMovesByTarget[status], until)
      else await lists.movePauseEnd(membership, until)
    },
  }
}
