import { z } from 'zod'
import { addressKey } from '../../kernel/email-address.js'
import { parsed, refusalOfViolations } from '../../kernel/parsed.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid, Refusal } from '../../kernel/refusal.js'
import { foundIn, type RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import type { MembershipStore } from '../../lists/membership-store.js'
import { subscriberStatuses } from '../../lists/subscriber.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import type { Segment } from '../../segments/segment.js'
import { type Contact, ContactView, mostTags, TagValue } from '../contact.js'
import { changedContact } from '../contact-input.js'
import type { CustomField } from '../custom-field.js'
import type { ContactChanges } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'
import type { contactImport } from './contact-import.js'
import { type ContactSearch, contactQueryViolations, type NextContacts, pageAfter, segmentsOf } from './contact-list.js'

/** All hold. */
export const ContactFilter = z.strictObject({
  find: z.string().trim().max(200).optional().meta({ description: 'Beginning of the address' }),
  subscriberListId: z.string().optional(),
  subscriberStatus: z.enum(subscriberStatuses).optional().meta({ description: 'On that list' }),
  segmentId: z.string().optional(),
  segment: z.string().max(50_000).optional().meta({ description: 'Conditions of a segment as JSON' }),
})
export type ContactFilter = z.input<typeof ContactFilter>

const mostShown = 100

export const ContactTableQuery = ContactFilter.extend({
  after: z.string().max(400).optional().meta({ description: '`next` of the page before' }),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a whole number')
    .transform((text) => Math.min(mostShown, Math.max(1, Number(text))))
    .default(50),
})

export const ContactTablePage = z.object({
  items: z.array(ContactView),
  count: z.int().optional().meta({ description: 'Number of matching contacts; only on the first page' }),
  next: z.string().nullable().meta({ description: 'For `after`; null on the last page' }),
})
export type ContactTablePage = z.output<typeof ContactTablePage>

const Tags = z.array(TagValue).min(1).max(mostTags)

export const ContactAct = z.strictObject({
  filter: ContactFilter.default({}),
  act: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('delete') }),
    z.strictObject({ kind: z.literal('add-tags'), tags: Tags }),
    z.strictObject({ kind: z.literal('remove-tags'), tags: Tags }),
    z.strictObject({
      kind: z.literal('add-to-list'),
      subscriberListId: z.string(),
      status: z.enum(['active', 'unverified']).default('active'),
    }),
  ]),
  after: z.string().max(400).optional().meta({ description: '`next` of the batch before' }),
})
export type ContactAct = z.input<typeof ContactAct>

export const ContactActBatch = z.object({
  done: z.int().meta({ description: 'Contacts of this batch that are changed, or were so already' }),
  failures: z
    .array(z.object({ email: z.string(), reason: z.string() }))
    .meta({ description: 'Contacts of this batch that were refused' }),
  next: z.string().nullable().meta({ description: 'For `after`; null if this was the last batch' }),
})
export type ContactActBatch = z.output<typeof ContactActBatch>

type Deps = {
  readonly repositories: RepositoriesFor<{ contacts: Contact; subscriberLists: SubscriberList; segments: Segment }>
  readonly contactSearch: Pick<ContactSearch, 'next' | 'count'>
  readonly contactChanges: Pick<ContactChanges, 'pending' | 'freeTags'>
  readonly contactDirectory: Pick<ContactDirectory, 'fieldsOf' | 'keepTags'>
  readonly membershipStore: Pick<MembershipStore, 'removeContact'>
  readonly clock: Clock
  readonly importBatches: ReturnType<typeof contactImport>['importBatches']
  readonly views: (projectId: string, found: readonly Contact[]) => Promise<readonly ContactView[]>
}

const actSize = 200

const once = async function* <T>(one: T): AsyncGenerator<T> {
  yield one
}

/** The contacts of a filter in pages that cost the same however far down they are, and acts on all of them. */
export const contactTable = (deps: Deps) => {
  const { repositories, contactSearch, contactChanges, contactDirectory, membershipStore, clock, views } = deps
  const { contacts, subscriberLists } = repositories

  /** @throws Refusal `invalid`, `not-found` for a list or segment of another project */
  const queryOf = async (projectId: string, filter: ContactFilter): Promise<Omit<NextContacts, 'limit' | 'after'>> => {
    const { find, ...narrowing } = parsed(ContactFilter, filter)
    const { subscriberListId, subscriberStatus: status } = narrowing
    const fields: readonly CustomField[] = await contactDirectory.fieldsOf(projectId)
    const wrong = await contactQueryViolations({ filter: narrowing }, fields)
    if (wrong.length > 0) throw refusalOfViolations(wrong)
    if (subscriberListId !== undefined) await foundIn(subscriberLists, { _id: subscriberListId, projectId })
    return {
      projectId,
      ...(subscriberListId !== undefined && { list: { subscriberListId, ...(status && { status }) } }),
      segments: await segmentsOf(repositories.segments, projectId, narrowing, {
        fields,
        changes: await contactChanges.pending(projectId),
      }),
      ...(find && { emailPrefix: addressKey(find) }),
      now: clock().toISOString(),
    }
  }

  type Act = z.output<typeof ContactAct>['act']

  /** @throws Refusal `invalid` beyond the limit of tags */
  const prepare = async (projectId: string, act: Act): Promise<void> => {
    if (act.kind === 'add-to-list') await foundIn(subscriberLists, { _id: act.subscriberListId, projectId })
    if (act.kind !== 'add-tags') return
    await contactChanges.freeTags(projectId, act.tags)
    await contactDirectory.keepTags(projectId, act.tags)
  }

  const tagged = (tags: readonly string[], act: Extract<Act, { readonly tags: readonly string[] }>) =>
    act.kind === 'add-tags' ? [...new Set([...tags, ...act.tags])] : tags.filter((tag) => !act.tags.includes(tag))

  const actOn = async (contact: Contact, act: Exclude<Act, { readonly kind: 'add-to-list' }>): Promise<void> => {
    const { _id, projectId } = contact
    if (act.kind === 'delete') return void (await membershipStore.removeContact({ _id, projectId }))
    const now = clock().toISOString()
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
  ): Promise<ContactActBatch['failures']> => {
    const rows = some.map(({ email }, line) => ({ line, values: { email } }))
    const failures: ContactActBatch['failures'] = []
    if (rows.length > 0)
      for await (const results of deps.importBatches(scope, once(rows), { subscriberListId, status }))
        for (const result of results)
          if (!result.ok) failures.push({ email: some[result.line]?.email ?? '', reason: result.error })
    return failures
  }

  return {
    /** Newest first; with `find`, by address. @throws Refusal `invalid`, `not-found`, `busy` */
    page: async (
      { projectId }: Scope,
      { after, limit, ...filter }: z.output<typeof ContactTableQuery>,
    ): Promise<ContactTablePage> => {
      const query = await queryOf(projectId, filter)
      const [{ items, next }, count] = await Promise.all([
        pageAfter(contactSearch, query, after, limit),
        after === undefined ? contactSearch.count(query) : undefined,
      ])
      return { items: [...(await views(projectId, items))], next, ...(count !== undefined && { count }) }
    },

    /** Acts on the next batch of contacts; repeating a batch changes nothing. @throws Refusal `invalid`, `not-found`, `busy` */
    act: async (scope: Scope, input: ContactAct): Promise<ContactActBatch> => {
      const { filter, act, after } = parsed(ContactAct, input)
      const { projectId } = scope
      const query = await queryOf(projectId, filter)
      await prepare(projectId, act)
      const { items, next } = await pageAfter(contactSearch, query, after, actSize)
      const failures: ContactActBatch['failures'] = []
      if (act.kind === 'add-to-list') failures.push(...(await joined(scope, items, act)))
      else
        for (const contact of items)
          try {
            await actOn(contact, act)
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            failures.push({ email: contact.email, reason: error.message })
          }
      return { done: items.length - failures.length, failures, next }
    },
  }
}
