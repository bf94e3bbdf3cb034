import { z } from 'zod'
import type { Contact } from '../../contacts/contact.js'
import { addressKey, maskedAddress } from '../../kernel/email-address.js'
import { parsed } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { notFound } from '../../kernel/refusal.js'
import type { Page, RepositoriesFor } from '../../kernel/repository.js'
import { assertOwnAddress, type Scope } from '../../kernel/scope.js'
import { Id, Instant } from '../../kernel/shapes.js'
import { provesAddress } from '../../tokens/signed-token.js'
import { readToken } from '../../tokens/tokens.js'
import {
  isNewlyConfirmed,
  parseSubscriptionPauseEnd,
  subscriberMovesByTarget,
  subscriberStatusAt,
  subscriberStatuses,
} from '../subscriber.js'
import { staleMailLinkRefusal } from './links.js'
import type { ContactOwnLists, FollowedMailLink, MembershipMove } from './own-lists.js'

type Deps = Pick<Runtime, 'secrets' | 'clock'> & {
  readonly repositories: RepositoriesFor<{ contacts: Contact }>
  readonly ownLists: ContactOwnLists
}

export const ListPreference = z
  .object({
    _id: Id,
    name: z.string().describe('What the list is called'),
    description: z.string().describe('What the list is about'),
    private: z.boolean().describe('Whether only those who are on it see it'),
    status: z.enum(subscriberStatuses).optional().describe('Absent: not on the list'),
    pausedUntil: Instant.optional(),
  })
  .meta({ id: 'ListPreference', description: 'A list that a person may join, or is on' })
export type ListPreference = z.output<typeof ListPreference>

/** What a reader may choose on the preferences page. */
export const Preferences = z
  .object({
    email: z.string().describe('Masked if the address was changed after the mail'),
    lists: z.array(ListPreference),
  })
  .meta({ id: 'Preferences', description: 'All public lists, and the private ones that the person is on' })
export type Preferences = z.output<typeof Preferences>

const status = z.enum(['active', 'paused', 'unsubscribed'])
const pausedUntil = z.string().optional().describe('Needed to pause: an instant in the future')

export const PreferenceChanges = z
  .strictObject({
    lists: z
      .array(z.strictObject({ _id: z.string(), status, pausedUntil }))
      .max(1000)
      .default([]),
    all: z
      .strictObject({ status: status.exclude(['active']), pausedUntil })
      .optional()
      .describe('Pauses, or leaves, every list that the person is on; lists are changed after it'),
  })
  .meta({ id: 'PreferenceChanges' })
export type PreferenceChanges = z.input<typeof PreferenceChanges>

/** gaps.md, "Preferences page". */
export const preferenceUseCases = (deps: Deps) => {
  const { repositories, secrets, clock } = deps
  const { contacts } = repositories
  const lists = deps.ownLists

  const holder = async (token: unknown): Promise<{ contact: Contact; authority: FollowedMailLink }> => {
    const payload = readToken(secrets, 'preferences', token, clock())
    const contact = await contacts.get({ _id: payload.c })
    if (!contact) throw staleMailLinkRefusal()
    return { contact, authority: { dispatchId: payload.d, isProven: provesAddress(secrets, contact, payload) } }
  }

  const preferencesOf = async (
    projectId: string,
    contactId: string | undefined,
  ): Promise<readonly ListPreference[]> => {
    const now = clock().toISOString()
    return (await lists.of(projectId, contactId)).map(({ list, membership }) => {
      const current = membership && subscriberStatusAt(membership, now)
      return ListPreference.parse({
        ...list,
        status: current,
        ...(current === 'paused' && { pausedUntil: membership?.pausedUntil }),
      })
    })
  }

  const stepsOf = async (
    contact: Contact,
    { lists: wishes, all }: z.output<typeof PreferenceChanges>,
  ): Promise<readonly MembershipMove[]> => {
    const now = clock().toISOString()
    const known = await lists.of(contact.projectId, contact._id)
    const byId = new Map(known.map((one) => [one.list._id, one]))
    const everywhere = all
      ? known
          .filter(({ membership }) => !isNewlyConfirmed(membership?.status, subscriberMovesByTarget[all.status]))
          .map(({ list }) => ({ _id: list._id, ...all }))
      : []
    return [...everywhere, ...wishes].flatMap((wish) => {
      const about = byId.get(wish._id)
      if (!about) throw notFound('Subscriber list')
      const until = wish.status === 'paused' ? parseSubscriptionPauseEnd(wish.pausedUntil, now) : undefined
      if (!about.membership && wish.status !== 'active') return []
      return [{ ...about, move: subscriberMovesByTarget[wish.status], until }]
    })
  }

  const shownTo = async ({ contact, authority }: Awaited<ReturnType<typeof holder>>): Promise<Preferences> => ({
    email: authority.isProven ? contact.email : maskedAddress(contact.email),
    lists: [...(await preferencesOf(contact.projectId, contact._id))],
  })

  return {
    /** @throws Refusal `forbidden` for a wrong token */
    preferences: async (token: unknown): Promise<Preferences> => shownTo(await holder(token)),

    /**
     * All or none. The token proves the address: no double opt-in.
     * @throws Refusal `forbidden`, `invalid`, `not-found` for a hidden list, `blocked` for a suppressed address
     */
    changePreferences: async (token: unknown, input: PreferenceChanges): Promise<Preferences> => {
      const held = await holder(token)
      const { contact, authority } = held
      await lists.take(contact, await stepsOf(contact, parsed(PreferenceChanges, input)), authority)
      return shownTo(held)
    },

    /**
     * Public lists, and private ones that the address is on.
     * @throws Refusal `forbidden` for the token of another address
     */
    publicFor: async (scope: Scope, email: string): Promise<Page<ListPreference>> => {
      assertOwnAddress(scope, email)
      const { projectId } = scope
      const contact = await contacts.get({ projectId, emailKey: addressKey(email) })
      const items = await preferencesOf(projectId, contact?._id)
      return { items, count: items.length }
    },
  }
}
