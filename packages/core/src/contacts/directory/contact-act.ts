import { z } from 'zod'
import { addressKey } from '../../kernel/email-address.js'
import { chunked, collected, ListQueryFields } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { ifRefused, invalid } from '../../kernel/refusal.js'
import { getOrNotFound, ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { assertMay, type Scope } from '../../kernel/scope.js'
import type { MembershipStore } from '../../lists/membership-store.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import { newSuppression, type Suppression, SuppressionFields } from '../../suppressions/suppression.js'
import { type Contact, ContactTagValue, mostTags } from '../contact.js'
import { changedContact } from '../contact-input.js'
import type { ChangesOfAllContacts } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'
import type { contactImport } from './contact-import.js'
import {
  type ContactListDeps,
  type ContactSearch,
  contactFilterResolver,
  contactFindParameter,
  contactPageAfter,
} from './contact-list.js'

const batchSize = 200

const Tags = z.array(ContactTagValue).min(1).max(mostTags)

export const ContactBulkAction = z.strictObject({
  emails: z.array(z.string()).min(1).max(batchSize).optional().describe('Only these; without a filter'),
  find: contactFindParameter,
  filter: ListQueryFields.shape.filter,
  act: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('delete') }),
    z.strictObject({ kind: z.literal('suppress'), reason: SuppressionFields.shape.reason }),
    z.strictObject({ kind: z.literal('add-tags'), tags: Tags }),
    z.strictObject({ kind: z.literal('remove-tags'), tags: Tags }),
    z.strictObject({
      kind: z.literal('add-to-list'),
      subscriberListId: z.string(),
      status: z.enum(['active', 'unverified']).default('active'),
    }),
  ]),
  after: z.string().max(400).optional().describe('`next` of the batch before'),
})
export type ContactBulkAction = z.input<typeof ContactBulkAction>

export const BulkActionBatchResult = z.object({
  done: z.int().describe('Contacts of this batch that are changed, or were so already'),
  failures: z
    .array(z.object({ email: z.string(), reason: z.string() }))
    .describe('Contacts of this batch that were refused'),
  next: z.string().nullable().describe('For `after`; null if this was the last batch'),
})
export type BulkActionBatchResult = z.output<typeof BulkActionBatchResult>

type Deps = Omit<ContactListDeps, 'contactSearch'> &
  Pick<Runtime, 'clock' | 'newId'> & {
    readonly repositories: RepositoriesFor<{
      contacts: Contact
      subscriberLists: SubscriberList
      suppressions: Suppression
    }>
    readonly contactSearch: Pick<ContactSearch, 'next'>
    readonly contactChanges: Pick<ChangesOfAllContacts, 'pending' | 'freeTags'>
    readonly contactDirectory: Pick<ContactDirectory, 'fieldsOf' | 'keepTags'>
    readonly membershipStore: Pick<MembershipStore, 'removeContact'>
    readonly importBatches: ReturnType<typeof contactImport>['importBatches']
  }

type Act = z.output<typeof ContactBulkAction>['act']

const tagged = (tags: readonly string[], act: Extract<Act, { readonly tags: readonly string[] }>) =>
  act.kind === 'add-tags' ? [...new Set([...tags, ...act.tags])] : tags.filter((tag) => !act.tags.includes(tag))

export const contactBulkActions = (deps: Deps) => {
  const { repositories, contactSearch, contactChanges, contactDirectory, membershipStore, clock, newId } = deps
  const { contacts, subscriberLists, suppressions } = repositories
  const searchOf = contactFilterResolver(deps)

  /** @throws Refusal `invalid` beyond the limit of tags, `not-found` for the list, `forbidden` to suppress */
  const prepare = async (scope: Scope, act: Act): Promise<void> => {
    const { projectId } = scope
    if (act.kind === 'suppress') assertMay(scope, 'suppressions.edit')
    if (act.kind === 'add-to-list') await getOrNotFound(subscriberLists, { _id: act.subscriberListId, projectId })
    if (act.kind !== 'add-tags') return
    await contactChanges.freeTags(projectId, act.tags)
    await contactDirectory.keepTags(projectId, act.tags)
  }

  const batchOf = async (projectId: string, { emails, find, filter, after }: z.output<typeof ContactBulkAction>) => {
    if (emails && (find || filter)) throw invalid('emails: give either emails or a filter')
    if (emails)
      return { items: await collected(contacts.each({ projectId, emailKey: emails.map(addressKey) })), next: null }
    const search = await searchOf(projectId, { find, filter }, await contactDirectory.fieldsOf(projectId))
    return contactPageAfter(contactSearch, search, after, batchSize)
  }

  const actOn = async (
    { _id, projectId, email }: Contact,
    act: Exclude<Act, { readonly kind: 'add-to-list' }>,
  ): Promise<void> => {
    if (act.kind === 'delete') return void (await membershipStore.removeContact({ _id, projectId }))
    const now = clock().toISOString()
    if (act.kind === 'suppress') {
      const suppression = newSuppression({ _id: newId(), projectId, email, reason: act.reason }, now)
      return suppressions.add(suppression).catch(ifKeyTaken(() => undefined))
    }
    await contacts.change({ _id, projectId }, (current) => {
      const tags = tagged(current.tags, act)
      if (tags.length > mostTags) throw invalid(`tags: at most ${mostTags} for a contact`)
      return changedContact(current, { tags, customFields: {} }, now)
    })
  }

  const joined = async (
    scope: Scope,
    some: readonly Contact[],
    { subscriberListId, status }: Extract<Act, { readonly kind: 'add-to-list' }>,
  ): Promise<BulkActionBatchResult['failures']> => {
    const rows = some.map(({ email }, line) => ({ line, values: { email } }))
    const failures: BulkActionBatchResult['failures'] = []
    if (rows.length > 0)
      for await (const results of deps.importBatches(scope, chunked(rows, rows.length), { subscriberListId, status }))
        for (const result of results)
          if (!result.ok) failures.push({ email: some[result.line]?.email ?? '', reason: result.error })
    return failures
  }

  const refused = async (some: readonly Contact[], act: Exclude<Act, { readonly kind: 'add-to-list' }>) => {
    const failures: BulkActionBatchResult['failures'] = []
    for (const contact of some)
      await actOn(contact, act).catch(
        ifRefused(({ message: reason }) => void failures.push({ email: contact.email, reason })),
      )
    return failures
  }

  /**
   * Acts on the next batch; repeating it changes nothing. @throws Refusal `invalid`, `not-found`, `forbidden`, `busy`
   */
  return async (scope: Scope, input: ContactBulkAction): Promise<BulkActionBatchResult> => {
    const wanted = parsed(ContactBulkAction, input)
    const { act } = wanted
    await prepare(scope, act)
    const { items, next } = await batchOf(scope.projectId, wanted)
    const failures = act.kind === 'add-to-list' ? await joined(scope, items, act) : await refused(items, act)
    return { done: items.length - failures.length, failures, next }
  }
}
