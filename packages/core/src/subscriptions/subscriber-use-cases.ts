import { z } from 'zod'
import { issueToken, readToken } from '../access/tokens.js'
import type { Contact } from '../contacts/contact.js'
import { readContact } from '../contacts/contact-input.js'
import type { Contacts } from '../contacts/use-cases.js'
import { collected, type ListQueryFields, listed } from '../kernel/listing.js'
import { parsed, sentence, violations } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { blocked, invalid, notFound, Refusal } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { instantOf } from '../kernel/zoned-time.js'
import type { Repositories } from '../records.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import {
  canMoveSubscriber,
  moveSubscriber,
  type Subscriber,
  type SubscriberMove,
  type SubscriberStatus,
  SubscriberView,
  statusAt,
} from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

export type SubscriberDeps = {
  readonly repositories: Pick<Repositories, 'subscriberLists' | 'subscribers' | 'contacts' | 'suppressions'>
  readonly contacts: Contacts
  /** Sends the mail of a double opt-in. @throws Refusal when it cannot be sent */
  readonly sendVerification: (mail: {
    projectId: string
    email: string
    transactionalId: string
    verifyLink: string
  }) => Promise<void>
  readonly secrets: Secrets
  readonly clock: Clock
  readonly newId: NewId
  readonly settings: { readonly publicUrl: string }
}

/** What stands beside the contact's fields when somebody subscribes. */
const SubscribeFields = z.looseObject({ status: z.enum(['unverified', 'active']).optional() })
/** Spec, "Subscriber": what an update may say beside the contact's fields. */
const MembershipChanges = z.looseObject({
  status: z.enum(['active', 'paused', 'unsubscribed']).optional(),
  pausedUntil: z.string().optional(),
})

const membershipKeys = ['status', 'pausedUntil']

const moveTo = { active: 'activate', paused: 'pause', unsubscribed: 'unsubscribe' } as const satisfies Record<
  string,
  SubscriberMove
>

const verifyDays = 30

const split = (input: unknown) => {
  const entries =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : undefined
  return entries
    ? {
        membership: Object.fromEntries(entries.filter(([key]) => membershipKeys.includes(key))),
        contact: Object.fromEntries(entries.filter(([key]) => !membershipKeys.includes(key))),
      }
    : { membership: input, contact: input }
}

export const Subscribed = SubscriberView.pick({ status: true, email: true }).meta({ id: 'Subscribed' })
export type Subscribed = z.output<typeof Subscribed>

/** Memberships of lists: subscribing, double opt-in, pausing, leaving (spec, "Subscriber"; gaps.md, "Subscribers"). */
export const subscriberUseCases = (deps: SubscriberDeps) => {
  const { repositories, contacts, sendVerification, secrets, clock, newId, settings } = deps
  const { subscriberLists, subscribers, suppressions } = repositories
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

  const member = async (
    scope: Scope,
    listId: string,
    email: string,
  ): Promise<{ contact: Contact; subscriber: Subscriber }> => {
    await listOf(scope, listId)
    const contact = await contacts.find(scope.projectId, email)
    const subscriber = contact && (await subscribers.get({ subscriberListId: listId, contactId: contact._id }))
    if (!contact || !subscriber) throw notFound('Contact')
    return { contact, subscriber }
  }

  /** Both sides' violations in one message. */
  const gathered = <T>(membershipSchema: z.ZodType, membership: unknown, read: () => T): T => {
    const wrong = violations(membershipSchema, membership)
    try {
      const contact = read()
      if (wrong.length > 0) throw invalid(...wrong)
      return contact
    } catch (error) {
      if (wrong.length > 0 && error instanceof Refusal && error.kind === 'invalid')
        throw invalid(...new Set([error.message, ...wrong]))
      throw error
    }
  }

  const sendVerifyLink = async (
    { projectId, _id, doubleOptIn }: SubscriberList,
    contact: Pick<Contact, '_id' | 'email'>,
  ) => {
    const x = Math.floor(clock().getTime() / 1000) + verifyDays * 24 * 60 * 60
    const token = issueToken(secrets, { purpose: 'verify', p: projectId, c: contact._id, l: [_id], x })
    const verifyLink = `${settings.publicUrl}/v1/verify?token=${token}`
    await sendVerification({ projectId, email: contact.email, transactionalId: doubleOptIn.emailId, verifyLink })
  }

  /** Stores the membership of somebody who was not on the list, or had left it. */
  const store = async (
    list: SubscriberList,
    contact: Contact,
    before: Subscriber | undefined,
    status: 'unverified' | 'active',
  ) => {
    const now = iso()
    if (before) {
      const move = status === 'active' ? 'resubscribe' : 'reapply'
      await subscribers.change({ _id: before._id }, (current) =>
        canMoveSubscriber(current.status, move) ? moveSubscriber(current, move, now) : current,
      )
      return
    }
    const subscriber: Subscriber = {
      _id: newId(),
      projectId: list.projectId,
      subscriberListId: list._id,
      contactId: contact._id,
      status,
      createdAt: now,
      updatedAt: now,
    }
    await subscribers.add(subscriber).catch((error) => {
      if (error instanceof KeyTaken) throw invalid('Email already exists.')
      throw error
    })
  }

  const resumed = (subscriber: Subscriber) =>
    canMoveSubscriber(subscriber.status, 'resume') ? moveSubscriber(subscriber, 'resume', iso()) : subscriber

  return {
    list: async (
      scope: Scope,
      listId: string,
      query: z.output<typeof ListQueryFields>,
    ): Promise<Listed<SubscriberView>> => {
      await listOf(scope, listId)
      const { filter: { email, ...filter } = {}, ...rest } = query
      const contactId = email === undefined ? undefined : ((await contacts.find(scope.projectId, email))?._id ?? '')
      const where = { subscriberListId: listId, ...(contactId !== undefined && { contactId }) }
      const filterable = SubscriberView.pick({ status: true, pausedUntil: true }).extend({ createdAt: z.string() })
      const { items, count } = await listed(subscribers, where, filterable, { ...rest, filter })
      const people = await collected(
        repositories.contacts.each({ _id: items.map((one) => one.contactId), projectId: scope.projectId }),
      )
      const byId = new Map(people.map((contact) => [contact._id, contact]))
      return {
        items: items.flatMap((one) => {
          const contact = byId.get(one.contactId)
          return contact ? [view(contact, one)] : []
        }),
        count,
      }
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
      const list = await listOf(scope, listId)
      const { membership, contact: fields } = split(input)
      const known = await contacts.fieldsOf(scope.projectId)
      const given = gathered(SubscribeFields, membership, () => readContact(fields, known, 'create'))
      const { status: asked } = parsed(SubscribeFields, membership)
      const email = given.email ?? ''
      await refuseSuppressed(suppressions, scope.projectId, email)
      const existing = await contacts.find(scope.projectId, email)
      const before = existing && (await subscribers.get({ subscriberListId: listId, contactId: existing._id }))
      if (before && statusAt(before, iso()) !== 'unsubscribed') throw invalid('Email already exists.')
      const skips = asked === 'active' && scope.via !== 'origin'
      const status: SubscriberStatus = list.doubleOptIn.active && !skips ? 'unverified' : (asked ?? 'active')
      if (list.doubleOptIn.active && status === 'unverified') {
        const contact = existing ?? { _id: newId(), email }
        await sendVerifyLink(list, contact)
        await store(list, await contacts.ensure(scope.projectId, given, contact._id), before, status)
      } else await store(list, await contacts.ensure(scope.projectId, given), before, status)
      return { status, email }
    },

    /** @throws Refusal `invalid` (also for a pause without a future end), `not-found`, `blocked` for an address that bounced */
    update: async (scope: Scope, listId: string, email: string, input: unknown): Promise<SubscriberView> => {
      const { membership, contact: fields } = split(input)
      const known = await contacts.fieldsOf(scope.projectId)
      const given = gathered(MembershipChanges, membership, () => readContact(fields, known, 'change'))
      const { status, pausedUntil } = parsed(MembershipChanges, membership)
      const until = pausedUntil === undefined ? undefined : instantOf(pausedUntil, 'UTC')
      if ((status === 'paused' || pausedUntil !== undefined) && (until === undefined || until <= iso()))
        throw invalid('The pausedUntil date must be set in the future.')
      const before = await member(scope, listId, email)
      if (given.email !== undefined) await refuseSuppressed(suppressions, scope.projectId, given.email)
      const contact = await contacts.change(scope.projectId, before.contact._id, given)
      const move = status ? moveTo[status] : until ? 'pause' : undefined
      const subscriber = move
        ? await subscribers.change({ _id: before.subscriber._id }, (current) =>
            moveSubscriber(current, move, iso(), until),
          )
        : before.subscriber
      if (!contact || !subscriber) throw notFound('Contact')
      return view(contact, subscriber)
    },

    /** Sends the mail of the double opt-in again. @throws Refusal `not-found`, `invalid` unless unverified on a list with double opt-in, `blocked` */
    resendVerification: async (scope: Scope, listId: string, email: string): Promise<{ success: true }> => {
      const { contact, subscriber } = await member(scope, listId, email)
      const list = await listOf(scope, listId)
      if (subscriber.status !== 'unverified') throw invalid('The contact is not unverified on this list.')
      if (!list.doubleOptIn.active) throw invalid('Double opt-in is not enabled for this list.')
      await sendVerifyLink(list, contact)
      return { success: true }
    },

    /** One click of RFC 8058: leaves that list, however often. @throws Refusal `forbidden` for a wrong token */
    unsubscribe: async (listId: string, token: unknown): Promise<{ success: true }> => {
      const { l, c } = readToken(secrets, 'unsubscribe', token, clock())
      if (l !== listId) throw readRefusal()
      await subscribers.change({ subscriberListId: l, contactId: c }, (current) =>
        current.status === 'unsubscribed' ? current : moveSubscriber(current, 'unsubscribe', iso()),
      )
      return { success: true }
    },

    /** What the page before that click shows. @throws Refusal `forbidden` for a wrong token */
    unsubscription: async (listId: string, token: unknown): Promise<{ listName: string; email: string }> => {
      const { l, c } = readToken(secrets, 'unsubscribe', token, clock())
      const [list, contact] = await Promise.all([
        subscriberLists.get({ _id: l }),
        repositories.contacts.get({ _id: c }),
      ])
      if (l !== listId || !list || !contact) throw readRefusal()
      return { listName: list.name, email: contact.email }
    },

    /** The double opt-in's link: unverified becomes active on every list of the token. Harmless to repeat. @throws Refusal `forbidden` */
    verify: async (token: unknown): Promise<{ redirectTo: string; title: string; message: string }> => {
      const { p, c, l } = readToken(secrets, 'verify', token, clock())
      const lists = await collected(subscriberLists.each({ _id: l, projectId: p }))
      const [first] = lists
      if (!first) throw readRefusal()
      for (const { _id } of lists)
        await subscribers.change({ subscriberListId: _id, contactId: c }, (current) =>
          canMoveSubscriber(current.status, 'confirm') ? moveSubscriber(current, 'confirm', iso()) : current,
        )
      const { redirectLink, confirmationTitle, confirmationMessage } = first.doubleOptIn
      return { redirectTo: redirectLink, title: confirmationTitle, message: confirmationMessage }
    },

    /** Stores as active those whose pause is over. */
    resumePauses: async (): Promise<void> => {
      const now = iso()
      for await (const subscriber of subscribers.each({ status: 'paused' }))
        if (statusAt(subscriber, now) === 'active')
          await subscribers.change({ _id: subscriber._id }, (current) =>
            statusAt(current, now) === 'active' ? resumed(current) : current,
          )
    },
  }
}

const readRefusal = () => new Refusal('forbidden', 'The link is not valid, or no longer.')
