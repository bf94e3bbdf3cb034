import type { InProject } from '../kernel/shapes.js'
import type { Contact } from './contact.js'

/** Readers see it as done; any process can finish it. */
export type AllContactsChange = InProject & {
  /** `tag vip` or `field city`: one change per name at a time. */
  readonly subject: string
  /** The second round catches contacts written from older data. */
  readonly round: 1 | 2
  /** Last contact of this round. */
  readonly cursor?: string
} & (
    | { readonly kind: 'field-removed'; readonly fieldId: string; readonly name: string }
    | { readonly kind: 'tag-replaced'; readonly tagId: string; readonly tag: string; readonly replacement?: string }
  )

const replacedIn = (tags: readonly string[], tag: string, replacement: string | undefined): readonly string[] => [
  ...new Set(tags.flatMap((one) => (one === tag ? (replacement ?? []) : [one]))),
]

/** The same object if the change does not affect it. */
export const contactAfterChange = (contact: Contact, change: AllContactsChange): Contact => {
  if (change.kind === 'field-removed') {
    const { [change.name]: dropped, ...customFields } = contact.customFields
    return dropped === undefined ? contact : { ...contact, customFields }
  }
  if (!contact.tags.includes(change.tag)) return contact
  const updatedAt = contact.updatedAt > change.createdAt ? contact.updatedAt : change.createdAt
  return { ...contact, tags: replacedIn(contact.tags, change.tag, change.replacement), updatedAt }
}

export const withPendingContactChanges = (contact: Contact, changes: readonly AllContactsChange[]): Contact =>
  changes.reduce(contactAfterChange, contact)

const settledTag = (tag: string, changes: readonly AllContactsChange[]): string | undefined =>
  changes.reduce<string | undefined>(
    (now, change) => (change.kind === 'tag-replaced' && change.tag === now ? change.replacement : now),
    tag,
  )

/** Spellings that mean this tag now. */
export const storedSpellingsOfTag = (tag: string, changes: readonly AllContactsChange[]): readonly string[] => {
  const meant = settledTag(tag, changes)
  if (meant === undefined) return []
  const named = changes.flatMap((change) => (change.kind === 'tag-replaced' ? [change.tag] : []))
  return [...new Set([meant, ...named])].filter((one) => settledTag(one, changes) === meant)
}
