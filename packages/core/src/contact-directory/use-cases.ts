import type { z } from 'zod'
import { type Contact, ContactChanges, ContactFields, ContactShape, type ContactView } from '../contacts/contact.js'
import { contactViolations } from '../contacts/contact-input.js'
import { collected, type FieldQuery, type ListQueryFields } from '../kernel/listing.js'
import { notFound } from '../kernel/refusal.js'
import type { Page } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Roster } from '../subscribers/roster.js'
import type { ContactDirectory } from './contact-directory.js'
import { type ContactListDeps, contactList, contactQueryViolations } from './contact-list.js'
import { contactExport } from './exporting.js'
import { type ContactImportDeps, contactImport } from './importing.js'

type Deps = ContactListDeps &
  ContactImportDeps & {
    readonly contactDirectory: ContactDirectory
    readonly roster: Pick<Roster, 'enrol' | 'removeContact'>
    /** Changes a contact as the directory does, for somebody who may be anybody: no confirmation goes along to another address. */
    readonly changeForStranger: ContactDirectory['change']
  }

/** Each field is named, so that nothing else is shown; a custom field gives way to what every contact shows under its name. */
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

/** Spec, "Contact". Addresses are kept as they are spelled and found in any spelling. */
export const contactUseCases = (deps: Deps) => {
  const { contacts, subscribers, subscriberLists } = deps.repositories
  const directory = deps.contactDirectory
  const page = contactList(deps)
  const { importContacts, importBatches } = contactImport(deps)

  /** The contacts as clients see them; the names of their lists come in two reads for all of them. */
  const views = async (projectId: string, found: readonly Contact[]): Promise<readonly ContactView[]> => {
    const memberships = await collected(subscribers.each({ contactId: found.map(({ _id }) => _id) }))
    const listIds = [...new Set(memberships.map((one) => one.subscriberListId))]
    const lists = await collected(subscriberLists.each({ _id: listIds, projectId }))
    const names = new Map(lists.map(({ _id, name }) => [_id, name]))
    return (await directory.settled(projectId, found)).map((contact) =>
      shown(
        contact,
        memberships.flatMap((one) => (one.contactId === contact._id ? (names.get(one.subscriberListId) ?? []) : [])),
      ),
    )
  }

  const view = async (contact: Contact | undefined): Promise<ContactView> => {
    const [only] = contact ? await views(contact.projectId, [contact]) : []
    if (!only) throw notFound('Contact')
    return only
  }

  return {
    /** All that is wrong with an input, before anything is done with it. */
    violations: {
      list: async ({ projectId }: Scope, query: FieldQuery) =>
        contactQueryViolations(query, await directory.fieldsOf(projectId)),
      create: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(ContactFields, input, await directory.fieldsOf(projectId)),
      update: async ({ projectId }: Scope, input: unknown) =>
        contactViolations(ContactChanges, input, await directory.fieldsOf(projectId)),
    },

    /**
     * `filter` takes built-in and custom fields (`tags`: carries that tag; `_lists`: on a list of that name or id), `subscriberListId`, with it `subscriberStatus`,
     * `segmentId`, and `segment` as JSON.
     * @throws Refusal `invalid`, `not-found` for a list or segment of another project
     */
    list: async ({ projectId }: Scope, query: z.output<typeof ListQueryFields>): Promise<Page<ContactView>> => {
      const { items, count } = await page(projectId, query, await directory.fieldsOf(projectId))
      return { items: await views(projectId, items), count }
    },

    /** @throws Refusal `invalid`, `blocked` for an address that bounced */
    create: async (scope: Scope, input: ContactFields): Promise<ContactView> => {
      const { contact, beside } = await directory.read(scope, ContactFields, input)
      return shown(await directory.add(scope.projectId, beside.email, contact, scope.requestId), [])
    },

    /** The contact that an earlier try of the request has made; undefined where it made none. */
    made: async ({ projectId, requestId }: Scope): Promise<ContactView | undefined> => {
      const contact = requestId === undefined ? undefined : await contacts.get({ _id: requestId, projectId })
      return contact && view(contact)
    },

    /** @throws Refusal `not-found` */
    get: async ({ projectId }: Scope, email: string): Promise<ContactView> =>
      view(await directory.find(projectId, email)),

    /**
     * Merges the given fields. From a browser, an address has to be confirmed anew where it was.
     * @throws Refusal `invalid`, `not-found`, `blocked` for an address that bounced, or when the mail cannot be sent
     */
    update: async (scope: Scope, email: string, input: ContactChanges): Promise<ContactView> => {
      const { projectId, caller } = scope
      const { contact: given } = await directory.read(scope, ContactChanges, input)
      const contact = await directory.find(projectId, email)
      const change = caller === 'origin' ? deps.changeForStranger : directory.change
      return view(contact && (await change(contact, given)))
    },

    /** Removes the contact, from every list too. @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope, email: string): Promise<ContactView> => {
      const contact = await directory.find(projectId, email)
      const last = await view(contact)
      if (!(await deps.roster.removeContact({ _id: last._id, projectId }))) throw notFound('Contact')
      return last
    },

    import: importContacts,
    importBatches,
    export: contactExport(deps, views),
  }
}
