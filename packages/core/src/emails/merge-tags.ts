import type { Contact } from '../contacts/contact.js'

/** Who a mail is written to, as templates see them. */
export type Addressee = Pick<Contact, 'email' | 'name' | 'tags' | 'customFields'>

/** Links to Posthorn's own pages, as far as a mail has them. */
export const mergeLinkNames = ['unsubscribeLink', 'pauseSubscriptionLink', 'verifyLink'] as const

/** What a template may read beside what data and feeds bring. */
export const mergeNames = ['contact', 'design', ...mergeLinkNames] as const

export type MergeLinks = { readonly unsubscribeLink: string; readonly pauseSubscriptionLink: string }

/**
 * What a template sees: `data` at the top level, over it the feeds, over these `design`, `contact` and the links, which nobody
 * else can set (gaps.md, section 4). `shared` is what all mails of a dispatch see. A contact's own fields are many, and its mails as
 * well: V8 assigns them in a tenth of the time that it takes to spread them and add more.
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
