import type { Contact } from '../contacts/contact.js'

/** The recipient of a mail, as templates see it. */
export type Addressee = Pick<Contact, 'email' | 'name' | 'tags' | 'customFields'>

/** Links to Posthorn's own pages; a mail may lack some. */
export const mergeLinkNames = ['unsubscribeLink', 'pauseSubscriptionLink', 'verifyLink'] as const

/** Names that templates may read in addition to data and feeds. */
export const mergeNames = ['contact', 'design', ...mergeLinkNames] as const

export type MergeLinks = { readonly unsubscribeLink: string; readonly pauseSubscriptionLink: string }

/**
 * The template context: `data` at the top level, overridden by feeds, then by `design`, `contact` and the links, which neither can set
 * (gaps.md, section 4). All mails of a dispatch use the same `shared`. Uses Object.assign for the contact, because V8 takes ten times as
 * long to spread many custom fields and add more.
 */
export const mergeContext = (
  shared: Readonly<Record<string, unknown>>,
  { email, name, tags, customFields }: Addressee,
  links: MergeLinks | undefined,
): Readonly<Record<string, unknown>> => {
  const contact = Object.assign({}, customFields, { email, name, tags })
  if (!links) return { ...shared, contact }
  const { unsubscribeLink, pauseSubscriptionLink } = links
  return { ...shared, contact, unsubscribeLink, pauseSubscriptionLink }
}
