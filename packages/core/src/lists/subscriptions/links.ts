import type { Contact } from '../../contacts/contact.js'
import { maskedAddress } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Runtime } from '../../kernel/ports.js'
import { forbidden } from '../../kernel/refusal.js'
import { getOrNotFound, type RecordLookup, type RepositoriesFor } from '../../kernel/repository.js'
import { provesAddress } from '../../tokens/signed-token.js'
import { readToken } from '../../tokens/tokens.js'
import { movedSubscriberIfAllowed, moveSubscriber, type Subscriber } from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import type { FormDoubleOptIn } from './join.js'
import type { ReconfirmationActions } from './reconfirmation.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

export type LinkDeps = Pick<Runtime, 'secrets' | 'clock'> & {
  readonly repositories: RepositoriesFor<{
    subscriberLists: SubscriberList
    subscribers: Subscriber
    contacts: Contact
  }> & { readonly signupForms: RecordLookup<FormDoubleOptIn> }
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly reconfirmation: ReconfirmationActions
}

/** For every token that is not, or no longer, valid. */
export const staleMailLinkRefusal = () => forbidden('The link is invalid or has expired.')

/** Links in mails: the token is the only authorization (gaps.md, "One-click unsubscribe", "Verify"). */
export const subscriptionLinkUseCases = (deps: LinkDeps) => {
  const { repositories, secrets, clock } = deps
  const { subscriberLists, subscribers, contacts, signupForms } = repositories
  const recorder = deps.subscriptionRecorder

  const { unconfirmIfMoved } = deps.reconfirmation

  /** A list of another project counts as not found. */
  const unsubscribing = async (listId: string, token: unknown) => {
    const { l, c, d } = readToken(secrets, 'unsubscribe', token, clock())
    const contact = await getOrNotFound(contacts, { _id: c })
    const list = await getOrNotFound(subscriberLists, { _id: listId, projectId: contact.projectId })
    if (l !== listId) throw staleMailLinkRefusal()
    return { list, contact, dispatchId: d }
  }

  /** The contact must still have the address and be on one of the lists. */
  const verifying = async (token: unknown) => {
    const payload = readToken(secrets, 'verify', token, clock())
    const contact = await contacts.get({ _id: payload.c })
    if (!contact || !provesAddress(secrets, contact, payload)) throw staleMailLinkRefusal()
    const { _id: contactId, projectId } = contact
    const memberships = await collected(subscribers.each({ subscriberListId: payload.l, contactId, projectId }))
    const listIds = memberships.map((one) => one.subscriberListId)
    const lists = await collected(subscriberLists.each({ _id: listIds, projectId }))
    const [first] = payload.l.flatMap((id) => lists.find(({ _id }) => _id === id) ?? [])
    if (!first) throw staleMailLinkRefusal()
    return { contact, memberships, lists, first, signupFormId: payload.f }
  }

  /** The form’s if the form sent the mail, else the list’s. */
  const doubleOptInOf = async ({ projectId, doubleOptIn }: SubscriberList, formId: string | undefined) => {
    const form = formId === undefined ? undefined : await signupForms.get({ _id: formId, projectId })
    return (form ?? { doubleOptIn }).doubleOptIn
  }

  return {
    unsubscribe: async (listId: string, token: unknown): Promise<{ success: true }> => {
      const now = clock().toISOString()
      const { contact, dispatchId } = await unsubscribing(listId, token)
      const membership = { subscriberListId: listId, contactId: contact._id }
      await recorder.change(membership, (one) => moveSubscriber(one, 'unsubscribe', now), { dispatchId })
      return { success: true }
    },

    /** Masks the address: the token does not say to which one the mail went. @throws Refusal as `unsubscribe` */
    unsubscription: async (listId: string, token: unknown): Promise<{ listName: string; email: string }> => {
      const { list, contact } = await unsubscribing(listId, token)
      return { listName: list.name, email: maskedAddress(contact.email) }
    },

    /** Changes nothing. @throws Refusal as `verify` */
    verification: async (
      token: unknown,
    ): Promise<{ email: string; listNames: readonly string[]; redirects: boolean }> => {
      const { contact, lists, first, signupFormId } = await verifying(token)
      const { redirectLink } = await doubleOptInOf(first, signupFormId)
      return { email: contact.email, listNames: lists.map(({ name }) => name), redirects: redirectLink !== '' }
    },

    /**
     * Unverified becomes active on every list of the token. Idempotent.
     * @throws Refusal `forbidden` for a wrong or expired token, and if the contact left all lists or changed its address
     */
    verify: async (token: unknown): Promise<{ redirectTo: string; title: string; message: string }> => {
      const { contact, memberships, first, signupFormId } = await verifying(token)
      const now = clock().toISOString()
      for (const { _id } of memberships)
        await recorder.change({ _id }, (current) => movedSubscriberIfAllowed(current, 'confirm', now))
      await unconfirmIfMoved(contact)
      const { redirectLink, confirmationTitle, confirmationMessage } = await doubleOptInOf(first, signupFormId)
      return { redirectTo: redirectLink, title: confirmationTitle, message: confirmationMessage }
    },
  }
}
