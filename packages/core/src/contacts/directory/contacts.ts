import type { z } from 'zod'
import { collected, recordsById, type SortAndFilterQuery } from '../../kernel/listing.js'
import { notFound } from '../../kernel/refusal.js'
import type { Page, RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import type { MembershipStore } from '../../lists/membership-store.js'
import type { Subscriber } from '../../lists/subscriber.js'
import type { Suppression } from '../../suppressions/suppression.js'
import { type Contact, ContactChanges, ContactFields, ContactShape, type ContactView } from '../contact.js'
import { contactViolations } from '../contact-input.js'
import { type BulkDeps, bulkContacts } from './bulk.js'
import { contactBulkActions } from './contact-act.js'
import type { ChangesOfAllContacts as PendingChanges } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'
import { contactExport } from './contact-export.js'
import { type ContactImportDeps, contactImport } from './contact-import.js'
import { type ContactListDeps, type ContactListQuery, contactList, contactQueryViolations } from './contact-list.js'

type Deps = ContactListDeps &
  ContactImportDeps &
  BulkDeps & {
    readonly repositories: RepositoriesFor<{ contacts: Contact; subscribers: Subscriber; suppressions: Suppression }>
    readonly contactDirectory: ContactDirectory
    readonly contactChanges: Pick<PendingChanges, 'pending' | 'freeTags'>
    readonly membershipStore: Pick<MembershipStore, 'removeContact'>
    /** For unauthenticated callers: a new address must be confirmed again. */
    readonly changeForStranger: ContactDirectory['change']
  }

/** Names each field: no other is exposed; built-in fields win. */
const shown = (contact: Contact, lists: readonly string[]): ContactView => {
  const { _id, email, name, tags, lastOpenDate, lastClickDate, lastReceiveDate, createdAt, updatedAt } = contact
  const view: Record<string, unknown> = {
    _id,
    email,
    name,
    tags: [...tags],
    _lists: [...lists],
    ...(lastOpenDate !== undefined && { lastOpenDate }),
    ...(lastClickDate !== undefined && { lastClickDate }),
    ...(lastReceiveDate !== undefined && { lastReceiveDate }),
    createdAt,
    updatedAt,
  }
  for (const [field, value] of Object.entries(contact.customFields))
    if (!Object.hasOwn(ContactShape.shape, field)) view[field] = value
  return view as ContactView
}

/** Spec, "Contact". Addresses match in any spelling. */
export const contactUseCases = (deps: Deps) => {
  const { contacts, subscribers, subscriberLists } = deps.repositories
  const directory = deps.contactDirectory
  const page = contactList(deps)
  const { importContacts, importBatches } = contactImport(deps)

  /** Reads the names of all lists in two queries. */
  const views = async (projectId: string, found: readonly Contact[]): Promise<readonly ContactView[]> => {
    const memberships = await collected(subscribers.each({ contactId: found.map(({ _id }) => _id) }))
    const listIds = memberships.map((one) => one.subscriberListId)
    const lists = await recordsById(subscriberLists, projectId, listIds)
    return (await directory.settled(projectId, found)).map((contact) =>
      shown(
        contact,
        memberships.flatMap((one) =>
          one.contactId === contact._id ? (lists.get(one.subscriberListId)?.name ?? []) : [],
        ),
      ),
    )
  }

  const view = async (contact: Contact | undefined): Promise<ContactView> => {
    const [only] = contact ? await views(contact.projectId, [contact]) : []
    if (!only) throw notFound('Contact')
    return only
  }

  return {
    violations: {
      list: async ({ projectId }: Scope, query: SortAndFilterQuery) =>
        contactQueryViolations(query, await directory.fieldsOf(projectId)),
      create: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(ContactFields, input, await directory.fieldsOf(projectId)),
      update: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(ContactChanges, input, await directory.fieldsOf(projectId)),
    },

    /**
     * `filter`: fields, `_lists` (name or id), `subscriberListId` with `subscriberStatus`, `segmentId`, `segment` as JSON.
     * @throws Refusal `invalid`, `not-found`
     */
    list: async ({ projectId }: Scope, query: z.output<typeof ContactListQuery>): Promise<Page<ContactView>> => {
      const { items, count } = await page(projectId, query, await directory.fieldsOf(projectId))
      return { items: await views(projectId, items), count }
    },

    /** @throws Refusal `invalid`, `blocked` if the address bounced */
    create: async (scope: Scope, input: ContactFields): Promise<ContactView> => {
      const { contact, beside } = await directory.read(scope, ContactFields, input)
      return shown(await directory.add(scope.projectId, beside.email, contact, scope.requestId), [])
    },

    /** What an earlier attempt of the request created. */
    made: async ({ projectId, requestId }: Scope): Promise<ContactView | undefined> => {
      const contact = requestId === undefined ? undefined : await contacts.get({ _id: requestId, projectId })
      return contact && view(contact)
    },

    get: async ({ projectId }: Scope, email: string): Promise<ContactView> =>
      view(await directory.find(projectId, email)),

    /**
     * From a browser, a new address becomes unverified on lists with double opt-in.
     * @throws Refusal `invalid`, `not-found`, `blocked` if the address bounced or the mail cannot be sent
     */
    update: async (scope: Scope, email: string, input: ContactChanges): Promise<ContactView> => {
      const { projectId, caller } = scope
      const { contact: given } = await directory.read(scope, ContactChanges, input)
      const contact = await directory.find(projectId, email)
      const change = caller === 'origin' ? deps.changeForStranger : directory.change
      return view(contact && (await change(contact, given)))
    },

    /** @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope, email: string): Promise<ContactView> => {
      const contact = await directory.find(projectId, email)
      const last = await view(contact)
      if (!(await deps.membershipStore.removeContact({ _id: last._id, projectId }))) throw notFound('Contact')
      return last
    },

    bulk: bulkContacts(deps),
    import: importContacts,
    importBatches,
    export: contactExport(deps, views),
    act: contactBulkActions({ ...deps, importBatches }),
  }
}
