import { z } from 'zod'
import { issueToken } from '../access/tokens.js'
import { type Contact, ContactChanges, ContactFields } from '../contacts/contact.js'
import { type ContactBookDeps, contactBook } from '../contacts/contact-book.js'
import { readContact } from '../contacts/contact-input.js'
import { addressKey } from '../kernel/email-address.js'
import { asked, chunked, collected, type ListQueryFields, listed, scannedPage } from '../kernel/listing.js'
import type { Secrets } from '../kernel/ports.js'
import { blocked, invalid, notFound } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import { linkUseCases } from './links.js'
import { type MembershipDeps, memberships } from './memberships.js'
import { resumingPauses } from './pauses.js'
import { preferenceUseCases } from './preferences.js'
import {
  canMoveSubscriber,
  isReturn,
  moveSubscriber,
  newSubscriber,
  pauseEnd,
  type Subscriber,
  SubscriberView,
  statusAt,
  statusMoves,
} from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

type Deps = ContactBookDeps &
  MembershipDeps & {
    readonly repositories: Pick<Repositories, 'subscriberLists' | 'subscribers'>
    /** Sends the mail of a double opt-in. @throws Refusal when it cannot be sent */
    readonly sendVerification: (mail: {
      projectId: string
      email: string
      transactionalId: string
      verifyLink: string
    }) => Promise<void>
    readonly secrets: Secrets
    readonly settings: { readonly publicUrl: string }
  }

/** The body of a subscription: a contact's fields and, beside them, the status. */
export const SubscribeFields = ContactFields.extend({
  status: z.enum(['unverified', 'active']).optional().meta({
    description:
      'Absent: unverified where the list has a double opt-in, else active; active skips it, but not in a browser',
  }),
}).meta({ id: 'SubscribeFields', description: 'Custom-field values are flat top-level keys' })

/** The body of an update of a membership and its contact. */
export const SubscriberChanges = ContactChanges.extend({
  status: z.enum(['active', 'paused', 'unsubscribed']).optional(),
  pausedUntil: z.string().optional().meta({ description: 'Needed to pause: an instant in the future' }),
}).meta({ id: 'SubscriberChanges', description: 'Custom-field values are flat top-level keys; null clears one' })

export const Subscribed = SubscriberView.pick({ status: true, email: true }).meta({ id: 'Subscribed' })
export type Subscribed = z.output<typeof Subscribed>

const verifySeconds = 30 * 24 * 60 * 60
const chunkSize = 500

/** What of a membership can be asked for in a list, apart from the address. */
const listFields = SubscriberView.pick({ status: true, pausedUntil: true }).extend({ createdAt: z.string() })

/** Memberships of lists: subscribing, double opt-in, pausing, leaving (spec, "Subscriber"; gaps.md, "Subscribers"). */
export const subscriberUseCases = (deps: Deps) => {
  const { repositories, sendVerification, secrets, clock, newId, settings } = deps
  const { subscriberLists, subscribers, contacts, suppressions } = repositories
  const book = contactBook(deps)
  const members = memberships(deps)
  const resumePauses = resumingPauses(deps)
  const iso = () => clock().toISOString()

  const listOf = async ({ projectId }: Scope, id: string): Promise<SubscriberList> => {
    const list = await subscriberLists.get({ _id: id, projectId })
    if (!list) throw notFound('Subscriber list')
    return list
  }

  const view = ({ email, customFields }: Contact, subscriber: Subscriber): SubscriberView => {
    const status = statusAt(subscriber, iso())
    return SubscriberView.parse({
      email,
      customFields,
      status,
      ...(status === 'paused' && { pausedUntil: subscriber.pausedUntil }),
    })
  }

  const membershipOf = async (listId: string, contact: Contact | undefined) =>
    contact && subscribers.get({ subscriberListId: listId, contactId: contact._id })

  const member = async (scope: Scope, listId: string, email: string) => {
    const list = await listOf(scope, listId)
    const contact = await book.find(scope.projectId, email)
    const subscriber = await membershipOf(listId, contact)
    if (!contact || !subscriber) throw notFound('Contact')
    return { list, contact, subscriber }
  }

  /** Memberships with their contacts, in the same order; one read for all of them. */
  const withContacts = async (memberships: readonly Subscriber[]) => {
    const found = await collected(contacts.each({ _id: memberships.map((one) => one.contactId) }))
    const byId = new Map(found.map((contact) => [contact._id, contact]))
    return memberships.flatMap((subscriber) => {
      const contact = byId.get(subscriber.contactId)
      return contact ? [{ contact, subscriber }] : []
    })
  }

  async function* addressesOf(where: Parameters<typeof subscribers.each>[0]) {
    for await (const chunk of chunked(subscribers.each(where), chunkSize))
      for (const { contact, subscriber } of await withContacts(chunk))
        yield { _id: subscriber._id, key: contact.email, subscriber }
  }

  const sendVerifyLink = async (
    list: SubscriberList,
    { _id, email }: Pick<Contact, '_id' | 'email'>,
  ): Promise<void> => {
    const x = Math.floor(clock().getTime() / 1000) + verifySeconds
    const token = issueToken(secrets, { purpose: 'verify', p: list.projectId, c: _id, l: [list._id], x })
    await sendVerification({
      projectId: list.projectId,
      email,
      transactionalId: list.doubleOptIn.emailId,
      verifyLink: `${settings.publicUrl}/v1/verify?token=${token}`,
    })
  }

  /** Stores the membership of somebody who was not on the list, or had left it. */
  const store = async (
    { projectId, _id: subscriberListId }: SubscriberList,
    contactId: string,
    before: Subscriber | undefined,
    status: 'unverified' | 'active',
  ): Promise<void> => {
    const now = iso()
    const move = status === 'active' ? 'resubscribe' : 'reapply'
    if (before)
      await members.change({ _id: before._id }, (current) =>
        canMoveSubscriber(current.status, move) ? moveSubscriber(current, move, now) : current,
      )
    else
      await members
        .add(newSubscriber({ _id: newId(), projectId, subscriberListId, contactId, status }, now))
        .catch((error) => {
          throw error instanceof KeyTaken ? invalid('Email already exists.') : error
        })
  }

  return {
    /** `filter` and `sort` take status, pausedUntil, createdAt and email. @throws Refusal `invalid`, `not-found` */
    list: async (
      scope: Scope,
      listId: string,
      query: z.output<typeof ListQueryFields>,
    ): Promise<Listed<SubscriberView>> => {
      await listOf(scope, listId)
      const { filter: { email, ...filter } = {}, sort, ...rest } = query
      if (filter.status !== undefined) await resumePauses({ subscriberListId: listId })
      const contact = email === undefined ? undefined : await book.find(scope.projectId, email)
      const where = { subscriberListId: listId, ...(email !== undefined && { contactId: contact?._id ?? [] }) }
      if (sort === 'email') {
        const { where: conditions, sort: standing } = asked(listFields.shape, { ...rest, filter })
        const page = await scannedPage(addressesOf({ ...conditions, ...where }), standing.order, query)
        const items = await withContacts(page.items.map(({ subscriber }) => subscriber))
        return { items: items.map((one) => view(one.contact, one.subscriber)), count: page.count }
      }
      const { items, count } = await listed(subscribers, where, listFields, { ...rest, sort, filter })
      return { items: (await withContacts(items)).map((one) => view(one.contact, one.subscriber)), count }
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, listId: string, email: string): Promise<SubscriberView> => {
      const { contact, subscriber } = await member(scope, listId, email)
      return view(contact, subscriber)
    },

    /**
     * Subscribes an address; its contact is made where there is none. Where the list has a double opt-in, its mail is accepted
     * before anything is stored; an explicit `active` skips it, but not from a browser.
     * @throws Refusal `invalid`, `not-found`, `blocked` (suppressed, or the mail cannot be sent)
     */
    subscribe: async (scope: Scope, listId: string, input: unknown): Promise<Subscribed> => {
      const { projectId, via } = scope
      const list = await listOf(scope, listId)
      const { contact: given, beside } = readContact(SubscribeFields, input, await book.fieldsOf(projectId))
      const { email, status: wish } = beside
      await refuseSuppressed(suppressions, projectId, email)
      const existing = await book.find(projectId, email)
      const before = await membershipOf(listId, existing)
      if (before && before.status !== 'unsubscribed') throw invalid('Email already exists.')
      const toVerify = list.doubleOptIn.active && !(wish === 'active' && via !== 'origin')
      const status = toVerify ? 'unverified' : (wish ?? 'active')
      if (toVerify) {
        const _id = existing?._id ?? newId()
        await sendVerifyLink(list, { _id, email: existing?.email ?? email })
        if (existing) await book.change(existing, { ...given, email: undefined })
        else await book.add(projectId, email, given, _id)
        await store(list, _id, before, status)
      } else await store(list, (await book.ensure(projectId, email, given))._id, before, status)
      return { status, email: existing?.email ?? email }
    },

    /**
     * Changes the membership and, with it, the contact. From a browser nobody skips the list's double opt-in.
     * @throws Refusal `invalid` (also for a pause without a future end), `not-found`, `blocked` for a suppressed address
     */
    update: async (scope: Scope, listId: string, email: string, input: unknown): Promise<SubscriberView> => {
      const fields = await book.fieldsOf(scope.projectId)
      const { contact: given, beside } = readContact(SubscriberChanges, input, fields)
      const { status, pausedUntil } = beside
      const now = iso()
      const until = status === 'paused' || pausedUntil !== undefined ? pauseEnd(pausedUntil, now) : undefined
      const { list, contact, subscriber } = await member(scope, listId, email)

      const move = status ? statusMoves[status] : until ? 'pause' : undefined
      const returns = move !== undefined && isReturn(subscriber.status, move)
      if (returns && list.doubleOptIn.active && scope.via === 'origin')
        throw blocked('This list asks for a confirmation: subscribe, and follow the link in the mail.')
      const address = given.email ?? contact.email
      if (returns || addressKey(address) !== contact.emailKey)
        await refuseSuppressed(suppressions, scope.projectId, address)

      const after = await book.change(contact, given)
      const changed = move
        ? await members.change({ _id: subscriber._id }, (current) => moveSubscriber(current, move, now, until))
        : subscriber
      if (!after || !changed) throw notFound('Contact')
      return view(after, changed)
    },

    /**
     * Sends the mail of the double opt-in again.
     * @throws Refusal `not-found`, `invalid` unless unverified on a list with double opt-in, `blocked` when it cannot be sent
     */
    resendVerification: async (scope: Scope, listId: string, email: string): Promise<{ success: true }> => {
      const { list, contact, subscriber } = await member(scope, listId, email)
      if (subscriber.status !== 'unverified') throw invalid('The contact is not unverified on this list.')
      if (!list.doubleOptIn.active) throw invalid('Double opt-in is not enabled for this list.')
      await sendVerifyLink(list, contact)
      return { success: true }
    },

    /** Stores as active those whose pause is over. */
    resumePauses: async (): Promise<void> => resumePauses(),

    ...linkUseCases(deps),
    ...preferenceUseCases(deps),
  }
}
