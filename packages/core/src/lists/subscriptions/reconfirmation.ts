import type { Contact } from '../../contacts/contact.js'
import type { ContactInput } from '../../contacts/contact-input.js'
import type { ContactDirectory } from '../../contacts/directory/contact-directory.js'
import { addressKey } from '../../kernel/email-address.js'
import { collected, recordsById } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { refuseSuppressedAddress, type Suppression } from '../../suppressions/suppression.js'
import { movedSubscriberIfAllowed, type Subscriber } from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import { type ListJoiner, optInMailForAllLists } from './join.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    subscribers: Subscriber
    subscriberLists: SubscriberList
    suppressions: Suppression
  }>
  readonly contactDirectory: ContactDirectory
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly joins: ListJoiner
  readonly clock: Clock
}

/** Changing a confirmed address without proof undoes the confirmation. */
export const reconfirmationActions = (deps: Deps) => {
  const { repositories, clock } = deps
  const { subscribers, subscriberLists, suppressions } = repositories
  const directory = deps.contactDirectory
  const recorder = deps.subscriptionRecorder
  const { verify, verificationFor } = deps.joins

  /** Memberships with a double opt-in, each with its verification mail. */
  const confirmable = async ({ _id: contactId, projectId }: Contact) => {
    const joined = await collected(
      subscribers.each({ contactId, projectId, status: ['unverified', 'active', 'paused'] }),
    )
    const listIds = joined.map((one) => one.subscriberListId)
    const lists = await recordsById(subscriberLists, projectId, listIds)
    const found = await Promise.all(
      joined.map(async (membership) => {
        const list = lists.get(membership.subscriberListId)
        const verification = list && (await verificationFor(list, membership))
        if (!verification) return []
        const listIds = new Set([membership.subscriberListId, ...verification.listIds])
        return [{ membership, verification: { ...verification, listIds: [...listIds] } }]
      }),
    )
    return found.flat()
  }

  const unconfirm = async (contact: Contact): Promise<void> => {
    const now = clock().toISOString()
    for (const { membership } of await confirmable(contact))
      await recorder.change({ _id: membership._id }, (current) => movedSubscriberIfAllowed(current, 'unconfirm', now))
  }

  return {
    /** Call after a confirmation: the address may have changed. */
    unconfirmIfMoved: async ({ _id, emailKey }: Contact): Promise<void> => {
      const current = await repositories.contacts.get({ _id })
      if (current && current.emailKey !== emailKey) await unconfirm(current)
    },

    /**
     * The new address becomes unverified; its mail is accepted before anything is stored.
     * @throws Refusal `invalid` for another contact's address, `blocked` for a suppressed address, or if the mail cannot be sent
     */
    changeForStranger: async (contact: Contact, given: ContactInput): Promise<Contact | undefined> => {
      const { email } = given
      const { projectId, _id } = contact
      if (email === undefined || addressKey(email) === contact.emailKey) return directory.change(contact, given)
      if (await directory.find(projectId, email)) throw invalid('Email already exists.')
      const mail = optInMailForAllLists((await confirmable(contact)).map(({ verification }) => verification))
      if (mail) {
        await refuseSuppressedAddress(suppressions, projectId, email)
        await verify(mail, { _id, email })
      }
      // Before: a crash leaves no unproven address confirmed. After: the old one may have been confirmed in between.
      await unconfirm(contact)
      const after = await directory.change(contact, given)
      await unconfirm(contact)
      return after
    },
  }
}
export type ReconfirmationActions = ReturnType<typeof reconfirmationActions>
