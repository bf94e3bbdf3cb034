import { z } from 'zod'
import type { Contact, ContactChanges, ContactFields } from '../contacts/contact.js'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import { besideOthers, parsed, sentence } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { forbidden, invalid, notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { assertOwn, type Scope } from '../kernel/scope.js'
import { pauseEnd, type SubscriberMove, statusMoves } from '../subscribers/subscriber.js'
import type { OwnLists } from './own-lists.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ contacts: Contact }>
  readonly ownLists: OwnLists
  readonly clock: Clock
}

const OwnSubscription = z.strictObject({ email: EmailAddress, status: z.literal('active').optional() })
const OwnChanges = z
  .strictObject({
    status: z.enum(['active', 'paused', 'unsubscribed']).optional(),
    pausedUntil: z.string().optional(),
  })
  .refine(({ status, pausedUntil }) => status !== undefined || pausedUntil !== undefined, {
    ...sentence('Missing required field: status'),
    ...besideOthers,
  })

/**
 * What the holder of a preferences token may do through the API: join, pause and leave lists, for their own address only. They cannot
 * change the contact's address or fields, because forwarding a mail forwards its links.
 */
export const ownMemberships = (deps: Deps) => {
  const { repositories, clock } = deps
  const lists = deps.ownLists

  const own = async (scope: Scope, listId: string, email: string) => {
    assertOwn(scope, email)
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
      await decide(statusMoves.active)
      return { status: 'active', email: contact.email }
    },

    /** @throws Refusal `forbidden` for another's address or list, `invalid`, `not-found`, `blocked` for a suppressed address */
    update: async (scope: Scope, listId: string, email: string, input: ContactChanges): Promise<void> => {
      assertOwn(scope, email)
      const { status, pausedUntil } = parsed(OwnChanges, input)
      const now = clock().toISOString()
      const until = status === undefined || status === 'paused' ? pauseEnd(pausedUntil, now) : ''
      const { membership, decide } = await own(scope, listId, email)
      if (!membership) throw notFound('Subscriber')
      if (status) await decide(statusMoves[status], until)
      else await lists.movePauseEnd(membership, until)
    },
  }
}
