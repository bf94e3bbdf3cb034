import type { InProject } from '../kernel/shapes.js'
import type { Contact } from './contact.js'

/**
 * What is to happen to all contacts of a project and has begun: whoever reads them sees it as done from the moment that this record
 * is there, and any process can finish it.
 */
export type ContactChange = InProject & {
  /** The name that it is about, `tag vip` or `field city`: of each there is one change at a time. */
  readonly subject: string
  /** Contacts are gone through twice: the second time for what was written on the grounds of the state before. */
  readonly round: 1 | 2
  /** The contact up to which this round is done. */
  readonly cursor?: string
} & (
    | { readonly kind: 'field-removed'; readonly fieldId: string; readonly name: string }
    | { readonly kind: 'tag-replaced'; readonly tagId: string; readonly tag: string; readonly replacement?: string }
  )

const replacedIn = (tags: readonly string[], tag: string, replacement: string | undefined): readonly string[] => [
  ...new Set(tags.flatMap((one) => (one === tag ? (replacement ?? []) : [one]))),
]

/** The contact after the change; the same object where it is not concerned. */
export const afterChange = (contact: Contact, change: ContactChange): Contact => {
  if (change.kind === 'field-removed') {
    const { [change.name]: dropped, ...customFields } = contact.customFields
    return dropped === undefined ? contact : { ...contact, customFields }
  }
  if (!contact.tags.includes(change.tag)) return contact
  const updatedAt = contact.updatedAt > change.createdAt ? contact.updatedAt : change.createdAt
  return { ...contact, tags: replacedIn(contact.tags, change.tag, change.replacement), updatedAt }
}

/** The contact as it will be when all of these are done. */
export const settled = (contact: Contact, changes: readonly ContactChange[]): Contact =>
  changes.reduce(afterChange, contact)

/** What a tag is called when all of these are done; undefined where it is gone. */
const settledTag = (tag: string, changes: readonly ContactChange[]): string | undefined =>
  changes.reduce<string | undefined>(
    (now, change) => (change.kind === 'tag-replaced' && change.tag === now ? change.replacement : now),
    tag,
  )

/** The tags as contacts may still have them, that mean this one; none where it is gone. */
export const storedTags = (tag: string, changes: readonly ContactChange[]): readonly string[] => {
  const meant = settledTag(tag, changes)
  if (meant === undefined) return []
  const named = changes.flatMap((change) => (change.kind === 'tag-replaced' ? [change.tag] : []))
  return [...new Set([meant, ...named])].filter((one) => settledTag(one, changes) === meant)
}
