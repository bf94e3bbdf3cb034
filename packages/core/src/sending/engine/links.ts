import type { Contact } from '../../contacts/contact.js'
import type { Secrets } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import { addressMark } from '../../tokens/address-mark.js'
import { issueToken } from '../../tokens/tokens.js'
import { returnLocalPart } from '../returns/return-address.js'

type LinkSettings = { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
type Deps = { readonly secrets: Pick<Secrets, 'sign' | 'digest'>; readonly settings: LinkSettings }

/** What goes out, and to which list. */
export type LinkedDispatch = { readonly _id: string; readonly subscriberListId: string }

/** What a recipient's mail links to. */
export type RecipientLinks = {
  /** RFC 8058: unsubscribes by POST; a GET shows a page. */
  readonly oneClick: string
  /** RFC 2369: unsubscribes by a mail to it, where mail comes in. */
  readonly byMail?: string
  readonly unsubscribeLink: string
  readonly pauseSubscriptionLink: string
}

/**
 * Stage 4 of a sending: the links of one recipient on one list (gaps.md, "One-click unsubscribe", "Preferences page"). A page of the
 * project's own is told the address, too: paths of the API that its token opens have it, and the token does not.
 */
export const recipientLinks =
  ({ secrets, settings: { publicUrl, bounceDomain } }: Deps) =>
  (project: Project, { _id: d, subscriberListId }: LinkedDispatch, contact: Contact): RecipientLinks => {
    const unsubscribe = issueToken(secrets, { purpose: 'unsubscribe', l: subscriberListId, c: contact._id, d })
    const a = addressMark(secrets, contact)
    const byMail = bounceDomain && returnLocalPart(secrets, 'unsubscribe', { dispatchId: d, contactId: contact._id })
    const preferences = issueToken(secrets, { purpose: 'preferences', c: contact._id, a, d })
    const page = new URL(project.customSubscriptionPreferencesUrl ?? `${publicUrl}/preferences`)
    page.searchParams.set('token', preferences)
    if (project.customSubscriptionPreferencesUrl) page.searchParams.set('email', contact.email)
    return {
      oneClick: `${publicUrl}/v1/subscriber-lists/${subscriberListId}/${encodeURIComponent(contact.email)}/unsubscribe?token=${unsubscribe}`,
      ...(byMail && { byMail: `mailto:${byMail}@${bounceDomain}?subject=unsubscribe` }),
      unsubscribeLink: page.href,
      pauseSubscriptionLink: page.href,
    }
  }
