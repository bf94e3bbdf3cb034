import { readToken } from '../access/tokens.js'
import { collected } from '../kernel/listing.js'
import type { Secrets } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'
import type { Repositories } from '../records.js'
import { type MembershipDeps, memberships } from './memberships.js'
import { canMoveSubscriber, moveSubscriber } from './subscriber.js'

export type LinkDeps = MembershipDeps & {
  readonly repositories: Pick<Repositories, 'subscriberLists' | 'subscribers' | 'contacts' | 'signupForms'>
  readonly secrets: Pick<Secrets, 'verifies'>
}

/** As a token that is not genuine is refused. */
export const staleLink = () => forbidden('The link is not valid, or no longer.')

/** What the links in a mail do: their token is all the authority there is (gaps.md, "One-click unsubscribe", "Verify"). */
export const linkUseCases = (deps: LinkDeps) => {
  const { repositories, secrets, clock } = deps
  const { subscriberLists, subscribers, contacts, signupForms } = repositories
  const members = memberships(deps)

  const unsubscribeToken = (listId: string, token: unknown) => {
    const payload = readToken(secrets, 'unsubscribe', token, clock())
    if (payload.l !== listId) throw staleLink()
    return { membership: { subscriberListId: payload.l, contactId: payload.c }, dispatchId: payload.d }
  }

  return {
    /** One click of RFC 8058: leaves that list, however often. @throws Refusal `forbidden` for a wrong token */
    unsubscribe: async (listId: string, token: unknown): Promise<{ success: true }> => {
      const now = clock().toISOString()
      const { membership, dispatchId } = unsubscribeToken(listId, token)
      await members.change(
        membership,
        (current) => (current.status === 'unsubscribed' ? current : moveSubscriber(current, 'unsubscribe', now)),
        { dispatchId },
      )
      return { success: true }
    },

    /** What the page before that click shows. @throws Refusal `forbidden` for a wrong token */
    unsubscription: async (listId: string, token: unknown): Promise<{ listName: string; email: string }> => {
      const { subscriberListId, contactId } = unsubscribeToken(listId, token).membership
      const [list, contact] = await Promise.all([
        subscriberLists.get({ _id: subscriberListId }),
        contacts.get({ _id: contactId }),
      ])
      if (!list || !contact) throw staleLink()
      return { listName: list.name, email: contact.email }
    },

    /**
     * The double opt-in's link: unverified becomes active on every list of the token. It leads where the form says whose double
     * opt-in it is, or else the list. Harmless to repeat.
     * @throws Refusal `forbidden` for a wrong or expired token, or one of a contact that is on none of its lists any more
     */
    verify: async (token: unknown): Promise<{ redirectTo: string; title: string; message: string }> => {
      const { p, c, l, f } = readToken(secrets, 'verify', token, clock())
      const now = clock().toISOString()
      const memberships = await collected(subscribers.each({ subscriberListId: l, contactId: c, projectId: p }))
      const list = await subscriberLists.get({ _id: memberships.map((one) => one.subscriberListId), projectId: p })
      if (!list) throw staleLink()
      for (const { _id } of memberships)
        await members.change({ _id }, (current) =>
          canMoveSubscriber(current.status, 'confirm') ? moveSubscriber(current, 'confirm', now) : current,
        )
      const form = f === undefined ? undefined : await signupForms.get({ _id: f, projectId: p })
      const { redirectLink, confirmationTitle, confirmationMessage } = (form ?? list).doubleOptIn
      return { redirectTo: redirectLink, title: confirmationTitle, message: confirmationMessage }
    },
  }
}
