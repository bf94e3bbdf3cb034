import type { InProject } from '../kernel/shapes.js'
import type { Contact } from './contact.js'

/**
 * A change in progress that applies to all contacts of a project. Readers see it as done from the moment this record exists, and any
 * process can finish it.
 */
export type ContactChange = InProject & {
  /** The name that it concerns, `tag vip` or `field city`: at most one change per name at a time. */
  readonly subject: string
  /** The change walks over all contacts twice. The second round catches contacts written from data read before the change. */
  readonly round: 1 | 2
  /** The `_id` of the last contact processed in this round. */
  readonly cursor?: string
} & (
    | { readonly kind: 'field-removed'; readonly fieldId: string; readonly name: string }
    | { readonly kind: 'tag-replaced'; readonly tagId: string; readonly tag: string; readonly replacement?: string }
  )

const replacedIn = (tags: readonly string[], tag: string, replacement: string | undefined): readonly string[] => [
  ...new Set(tags.flatMap((one) => (one === tag ? (replacement ?? []) : [one]))),
]

/** The contact after the change; the same object if the change does not affect it. */
export const afterChange = (contact: Contact, change: ContactChange): Contact => {
  if (change.kind === 'field-removed') {
    const { [change.name]: dropped, ...customFields } = contact.customFields
    return dropped === undefined ? contact : { ...contact, customFields }
  }
  if (!contact.tags.includes(change.tag)) return contact
  const updatedAt = contact.updatedAt > change.createdAt ? contact.updatedAt : change.createdAt
  return { ...contact, tags: replacedIn(contact.tags, change.tag, change.replacement), updatedAt }
}

/** The contact after all of these changes. */
export const settled = (contact: Contact, changes: readonly ContactChange[]): Contact =>
  changes.reduce(afterChange, contact)

/** The name of a tag after all of these changes; undefined if the tag was removed. */
const settledTag = (tag: string, changes: readonly ContactChange[]): string | undefined =>
  changes.reduce<string | undefined>(
    (now, change) => (change.kind === 'tag-replaced' && change.tag === now ? change.replacement : now),
    tag,
  )

/** All stored spellings that mean this tag while the changes are in progress; none if the tag was removed. */
export const storedTags = (tag: string, changes: readonly ContactChange[]): readonly string[] => {
  const meant = settledTag(tag, changes)
  if (meant === undefined) return []
  const named = changes.flatMap((change) => (change.kind === 'tag-replaced' ? [change.tag] : []))
  return [...new Set([meant, ...named])].filter((one) => settledTag(one, changes) === meant)
}
