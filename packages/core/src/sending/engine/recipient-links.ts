import type { Contact } from '../../contacts/contact.js'
import type { Secrets } from '../../kernel/ports.js'
import { addressFingerprint, signedToken } from '../../tokens/signed-token.js'
import { returnLocalPart } from '../returns/return-address.js'

type LinkSettings = { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
type Deps = { readonly secrets: Pick<Secrets, 'sign' | 'signed' | 'digest'>; readonly settings: LinkSettings }

type LinkedDispatch = { readonly _id: string; readonly subscriberListId: string }

type RecipientLinks = {
  /** RFC 8058: a POST unsubscribes; a GET shows a page. */
  readonly oneClick: string
  /** RFC 2369. Absent if the server receives no mail. */
  readonly byMail?: string | undefined
  readonly unsubscribeLink: string
  readonly pauseSubscriptionLink: string
}

const pageAddress = (page: string, tellsEmail: boolean): ((token: string, email: string) => string) => {
  const url = new URL(page)
  url.searchParams.delete('token')
  if (tellsEmail) url.searchParams.delete('email')
  const { hash } = url
  url.hash = ''
  const before = `${url.href}${url.search === '' ? '?' : '&'}token=`
  return (token, email) =>
    tellsEmail ? `${before}${token}&${new URLSearchParams({ email })}${hash}` : `${before}${token}${hash}`
}

/** gaps.md, "One-click unsubscribe", "Preferences page". The URL of a project's own page contains the address, because its API paths need it. */
export const recipientLinks =
  ({ secrets, settings: { publicUrl, bounceDomain } }: Deps) =>
  (
    { customSubscriptionPreferencesUrl: ownPage }: { readonly customSubscriptionPreferencesUrl?: string | undefined },
    { _id: d, subscriberListId }: LinkedDispatch,
  ): ((contact: Pick<Contact, '_id' | 'email' | 'emailKey'>) => RecipientLinks) => {
    const lists = `${publicUrl}/v1/subscriber-lists/${subscriberListId}`
    const addressOf = pageAddress(ownPage ?? `${publicUrl}/preferences`, ownPage !== undefined)
    return (contact) => {
      const unsubscribe = signedToken(secrets, { purpose: 'unsubscribe', l: subscriberListId, c: contact._id, d })
      const a = addressFingerprint(secrets, contact)
      const byMail = bounceDomain && returnLocalPart(secrets, 'unsubscribe', { dispatchId: d, contactId: contact._id })
      const page = addressOf(signedToken(secrets, { purpose: 'preferences', c: contact._id, a, d }), contact.email)
      return {
        oneClick: `${lists}/${encodeURIComponent(contact.email)}/unsubscribe?token=${unsubscribe}`,
        byMail: byMail && `mailto:${byMail}@${bounceDomain}?subject=unsubscribe`,
        unsubscribeLink: page,
        pauseSubscriptionLink: page,
      }
    }
  }
