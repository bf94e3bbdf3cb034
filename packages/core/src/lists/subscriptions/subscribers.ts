import { z } from 'zod'
import { CaptchaFields, type Captchas } from '../../captcha/captchas.js'
import { type Contact, ContactChanges } from '../../contacts/contact.js'
import { type ContactInput, contactViolations } from '../../contacts/contact-input.js'
import type { BulkDeps } from '../../contacts/directory/bulk.js'
import type { ContactDirectory } from '../../contacts/directory/contact-directory.js'
import type { ContactQuery, ContactSearch } from '../../contacts/directory/contact-list.js'
import { addressKey } from '../../kernel/email-address.js'
import {
  collected,
  type ListQuery,
  listQueryViolations,
  parsedSortAndFilter,
  type SortAndFilterQuery,
} from '../../kernel/listing.js'
import { without } from '../../kernel/merged.js'
import { partlyValidInput } from '../../kernel/parsed.js'
import type { Clock, Runtime } from '../../kernel/ports.js'
import { assertNoViolations, blocked, invalid } from '../../kernel/refusal.js'
import {
  getOrNotFound,
  type ListSort,
  orNotFound,
  type Page,
  type RepositoriesFor,
  type Scalar,
  type Where,
} from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { oncePerField } from '../../kernel/violation.js'
import { isSubscriberStatus } from '../../lists/subscriber.js'
import { refuseSuppressedAddress, type Suppression } from '../../suppressions/suppression.js'
import type { MembershipStore } from '../membership-store.js'
import {
  isNewlyConfirmed,
  moveSubscriber,
  moveSubscriberPauseEnd,
  parseSubscriptionPauseEnd,
  SubscribeFields,
  type Subscriber,
  SubscriberView,
  subscriberMovesByTarget,
  subscriberPauseViolations,
  subscriberStatusAt,
} from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import { bulkSubscriptions } from './bulk-subscriptions.js'
import { type ListJoiner, listOptInMail } from './join.js'
import { type LinkDeps, subscriptionLinkUseCases } from './links.js'
import { subscriberPauseSweep } from './membership-sweep.js'
import { type ContactOwnLists, ownListMemberships } from './own-lists.js'
import { preferenceUseCases } from './preferences.js'

type SubscriberPagesDeps = {
  readonly repositories: RepositoriesFor<{ contacts: Contact; subscribers: Subscriber }>
  readonly contactDirectory: ContactDirectory
  readonly clock: Clock
  readonly contactSearch: ContactSearch
  readonly membershipStore: Pick<MembershipStore, 'page'>
}

const listFields = SubscriberView.pick({ status: true, pausedUntil: true }).extend({ createdAt: z.string() })

export const subscriberFilterFields = { ...listFields.shape, email: SubscriberView.shape.email }

export const subscriberQueryViolations = ({ sort, filter = {} }: SortAndFilterQuery) =>
  listQueryViolations(listFields.shape, { sort: sort === 'email' ? undefined : sort, filter: without(filter, 'email') })

const knownStatus = (text: Scalar | undefined) => (isSubscriberStatus(text) ? { status: text } : {})

const subscriberPages = (deps: SubscriberPagesDeps) => {
  const { repositories, contactSearch, membershipStore, clock } = deps
  const { subscribers, contacts } = repositories
  const directory = deps.contactDirectory
  const iso = () => clock().toISOString()

  const view = ({ email, customFields }: Contact, subscriber: Subscriber): SubscriberView => {
    const status = subscriberStatusAt(subscriber, iso())
    return SubscriberView.parse({
      email,
      customFields,
      status,
      ...(status === 'paused' && { pausedUntil: subscriber.pausedUntil }),
    })
  }

  const withContacts = async (projectId: string, memberships: readonly Subscriber[]) => {
    const found = await directory.settled(
      projectId,
      await collected(contacts.each({ _id: memberships.map((one) => one.contactId) })),
    )
    const byId = new Map(found.map((contact) => [contact._id, contact]))
    return memberships.flatMap((subscriber) => {
      const contact = byId.get(subscriber.contactId)
      return contact ? [{ contact, subscriber }] : []
    })
  }

  const byAddress = async (
    projectId: string,
    list: NonNullable<ContactQuery['list']>,
    { order, ...page }: Pick<ContactQuery, 'skip' | 'limit' | 'now'> & Pick<ContactQuery['sort'], 'order'>,
  ): Promise<Page<SubscriberView>> => {
    const { subscriberListId } = list
    const question = { projectId, where: {}, list, segments: [], sort: { by: 'email', order }, ...page } as const
    const { items, count } = await contactSearch.page(question)
    const found = await collected(subscribers.each({ subscriberListId, contactId: items.map(({ _id }) => _id) }))
    const byContact = new Map(found.map((subscriber) => [subscriber.contactId, subscriber]))
    return {
      items: (await directory.settled(projectId, items)).flatMap((contact) => {
        const subscriber = byContact.get(contact._id)
        return subscriber ? [view(contact, subscriber)] : []
      }),
      count,
    }
  }

  return {
    view: async (contact: Contact, subscriber: Subscriber): Promise<SubscriberView> => {
      const [now = contact] = await directory.settled(contact.projectId, [contact])
      return view(now, subscriber)
    },

    /** @throws Refusal `invalid` */
    page: async (projectId: string, subscriberListId: string, query: ListQuery): Promise<Page<SubscriberView>> => {
      const { filter: { email, ...filter } = {}, sort, order, skip, limit } = query
      const page = { skip, limit, now: iso() }
      const contact = email === undefined ? undefined : await directory.find(projectId, email)
      const asking = parsedSortAndFilter(listFields.shape, { filter, order, sort: sort === 'email' ? undefined : sort })
      const { status, ...stored } = asking.where
      const where: Where<Subscriber> = { ...stored, ...(email !== undefined && { contactId: contact?._id ?? [] }) }
      const members = { subscriberListId, where, ...knownStatus(status) }
      if (sort === 'email') return byAddress(projectId, members, { ...page, order: asking.sort.order })
      const { items, count } = await membershipStore.page({
        ...members,
        ...page,
        sort: asking.sort as ListSort<Subscriber>,
      })
      return { items: (await withContacts(projectId, items)).map((one) => view(one.contact, one.subscriber)), count }
    },
  }
}

type Deps = SubscriberPagesDeps &
  BulkDeps &
  LinkDeps &
  Pick<Runtime, 'newId'> & {
    readonly repositories: RepositoriesFor<{ suppressions: Suppression }>
    readonly joins: ListJoiner
    readonly ownLists: ContactOwnLists
    readonly captchas: Pick<Captchas, 'assertSolved'>
  }

/** The legacy path, which browsers may call. */
export const OpenSubscribeFields = SubscribeFields.extend(CaptchaFields.shape).meta({
  id: 'OpenSubscribeFields',
  description: 'Custom-field values are flat top-level keys',
})
export type OpenSubscribeFields = z.input<typeof OpenSubscribeFields>

export const SubscriberChanges = ContactChanges.extend({
  status: z.enum(['active', 'paused', 'unsubscribed']).optional().describe('New status of the subscription'),
  pausedUntil: z
    .string()
    .optional()
    .describe('An instant in the future: needed to pause; without a status it moves the end of a pause that is on'),
}).meta({ id: 'SubscriberChanges', description: 'Custom-field values are flat top-level keys; null clears one' })
export type SubscriberChanges = z.input<typeof SubscriberChanges>

export const Subscribed = SubscriberView.pick({ status: true, email: true }).meta({ id: 'Subscribed' })
export type Subscribed = z.output<typeof Subscribed>

const pauseWrongs = (input: unknown, now: string) =>
  subscriberPauseViolations(partlyValidInput(SubscriberChanges, input) ?? {}, now)

/** Spec, "Subscriber"; gaps.md, "Subscribers". */
export const subscriberUseCases = (deps: Deps) => {
  const { repositories, captchas, clock } = deps
  const { subscriberLists, subscribers, suppressions } = repositories
  const directory = deps.contactDirectory
  const recorder = deps.subscriptionRecorder
  const own = ownListMemberships(deps)
  const { join, verify, verificationFor } = deps.joins
  const { changeForStranger } = deps.reconfirmation
  const resumePauses = subscriberPauseSweep(deps)
  const listing = subscriberPages(deps)
  const iso = () => clock().toISOString()
  const waitText = (end: Date): string => {
    const minutes = Math.ceil((end.getTime() - clock().getTime()) / 60_000)
    if (minutes > 90) return `${Math.ceil(minutes / 60)} hours`
    return minutes === 1 ? 'a minute' : `${minutes} minutes`
  }

  const listOf = ({ projectId }: Scope, id: string): Promise<SubscriberList> =>
    getOrNotFound(subscriberLists, { _id: id, projectId })

  const membershipOf = async (listId: string, contact: Contact | undefined) =>
    contact && subscribers.get({ subscriberListId: listId, contactId: contact._id })

  const member = async (scope: Scope, listId: string, email: string) => {
    const list = await listOf(scope, listId)
    const contact = await directory.find(scope.projectId, email)
    const subscriber = await membershipOf(listId, contact)
    return {
      list,
      contact: orNotFound(repositories.contacts, contact),
      subscriber: orNotFound(subscribers, subscriber),
    }
  }

  /** @throws Refusal `invalid` if they are on the list, `blocked` (suppressed, or the mail cannot be sent) */
  const enter = async (
    { projectId, caller, keepsContacts }: Scope,
    list: SubscriberList,
    given: ContactInput,
    { email, status: wish }: Pick<z.output<typeof SubscribeFields>, 'email' | 'status'>,
  ): Promise<Subscribed> => {
    await refuseSuppressedAddress(suppressions, projectId, email)
    const existing = await directory.find(projectId, email)
    const before = await membershipOf(list._id, existing)
    if (before && before.status !== 'unsubscribed') throw invalid('Email already exists.')
    const toVerify = list.doubleOptIn.active && !(wish === 'active' && caller !== 'origin')
    const status = toVerify ? 'unverified' : (wish ?? 'active')
    const address = await join({
      projectId,
      email,
      existing,
      given,
      entries: [{ list, before, status }],
      verifications: toVerify ? [listOptInMail(list)] : [],
      keepsContact: keepsContacts,
    })
    return { status, email: keepsContacts ? email : address }
  }

  const shown = async (scope: Scope, listId: string, email: string): Promise<SubscriberView> => {
    const { contact, subscriber } = await member(scope, listId, email)
    return listing.view(contact, subscriber)
  }

  return {
    violations: {
      subscribe: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(SubscribeFields, input, await directory.fieldsOf(projectId)),
      subscribeOpenly: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(OpenSubscribeFields, input, await directory.fieldsOf(projectId)),
      update: async ({ projectId }: Scope, input: unknown) =>
        oncePerField([
          ...contactViolations(SubscriberChanges, input, await directory.fieldsOf(projectId)),
          ...pauseWrongs(input, iso()),
        ]),
    },

    /** `filter` and `sort` take status, pausedUntil, createdAt and email. @throws Refusal `invalid`, `not-found` */
    list: async (scope: Scope, listId: string, query: ListQuery): Promise<Page<SubscriberView>> => {
      assertNoViolations(subscriberQueryViolations(query))
      await listOf(scope, listId)
      return listing.page(scope.projectId, listId, query)
    },

    get: shown,

    /**
     * Creates the contact if needed; `active` skips the double opt-in, except from a browser.
     * @throws Refusal `invalid`, `not-found`, `blocked` (suppressed, or the mail cannot be sent)
     */
    subscribe: async (scope: Scope, listId: string, input: SubscribeFields): Promise<Subscribed> => {
      if (scope.caller === 'preferences') return own.subscribe(scope, listId, input)
      const { contact, beside } = await directory.read(scope, SubscribeFields, input)
      return enter(scope, await listOf(scope, listId), contact, beside)
    },

    /**
     * A browser needs a CAPTCHA unless the list disables it. Mistakes are reported before it is used up, known addresses only after it.
     * @throws Refusal as `subscribe`, and `invalid` for a wrong CAPTCHA
     */
    subscribeOpenly: async (scope: Scope, listId: string, input: OpenSubscribeFields): Promise<Subscribed> => {
      if (scope.caller === 'preferences') return own.subscribe(scope, listId, input)
      const { contact, beside } = await directory.read(scope, OpenSubscribeFields, input)
      const list = await listOf(scope, listId)
      if (scope.caller === 'origin' && list.signupForm.showCaptcha) await captchas.assertSolved(beside)
      return enter(scope, list, contact, beside)
    },

    /**
     * A browser cannot skip the double opt-in, nor keep a confirmation after changing the address.
     * @throws Refusal `invalid`, `not-found`, `blocked` for a suppressed address
     */
    update: async (scope: Scope, listId: string, email: string, input: SubscriberChanges): Promise<SubscriberView> => {
      if (scope.caller === 'preferences') {
        await own.update(scope, listId, email, input)
        // The mail may have been passed on.
        return { ...(await shown(scope, listId, email)), customFields: {} }
      }
      const now = iso()
      const { contact: given, beside } = await directory.read(scope, SubscriberChanges, input, pauseWrongs(input, now))
      const { status, pausedUntil } = beside
      const until =
        status === 'paused' || pausedUntil !== undefined ? parseSubscriptionPauseEnd(pausedUntil, now) : undefined
      const { list, contact, subscriber } = await member(scope, listId, email)

      const move = status && subscriberMovesByTarget[status]
      const returns = move !== undefined && isNewlyConfirmed(subscriber.status, move)
      const isStranger = scope.caller === 'origin'
      const mustConfirm = isStranger && (await verificationFor(list, subscriber)) !== undefined
      if (returns && mustConfirm)
        throw blocked('This list asks for a confirmation: subscribe, and follow the link in the mail.')
      if (!move && until) moveSubscriberPauseEnd(subscriber, until, now)
      const address = given.email ?? contact.email
      if (returns || addressKey(address) !== contact.emailKey)
        await refuseSuppressedAddress(suppressions, scope.projectId, address)

      const after = await (isStranger ? changeForStranger : directory.change)(contact, given)
      const changed = await recorder.change({ _id: subscriber._id }, (current) => {
        if (!move)
          return until && subscriberStatusAt(current, now) === 'paused'
            ? moveSubscriberPauseEnd(current, until, now)
            : current
        return mustConfirm && isNewlyConfirmed(current.status, move)
          ? current
          : moveSubscriber(current, move, now, until)
      })
      return listing.view(orNotFound(repositories.contacts, after), orNotFound(subscribers, changed))
    },

    /**
     * @throws Refusal `not-found`, `invalid` unless unverified with a double opt-in, `blocked` if the mail cannot be
     * sent or the address has had as many as it may
     */
    resendVerification: async (scope: Scope, listId: string, email: string): Promise<{ success: true }> => {
      const { list, contact, subscriber } = await member(scope, listId, email)
      if (subscriber.status !== 'unverified') throw invalid('The contact is not unverified on this list.')
      const verification = await verificationFor(list, subscriber)
      if (!verification) throw invalid('Double opt-in is not enabled for this list.')
      const nextAt = await verify(verification, contact)
      if (nextAt)
        throw blocked(
          `The address has had a confirmation mail within ten minutes, or five today. Try again in ${waitText(nextAt)}.`,
        )
      return { success: true }
    },

    bulk: bulkSubscriptions(deps),

    resumePauses: async (): Promise<void> => resumePauses(),

    ...subscriptionLinkUseCases(deps),
    ...preferenceUseCases(deps),
  }
}
