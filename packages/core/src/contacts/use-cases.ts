import { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { collected, type ListQueryFields, listed } from '../kernel/listing.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { refuseBounced } from '../suppressions/suppression.js'
import { type Contact, ContactView } from './contact.js'
import { type ContactInput, mergedCustomFields, readContact } from './contact-input.js'
import type { fieldTypes } from './custom-field.js'

export type ContactDeps = {
  readonly repositories: Pick<
    Repositories,
    'contacts' | 'customFields' | 'contactTags' | 'subscribers' | 'subscriberLists' | 'suppressions'
  >
  readonly clock: Clock
  readonly newId: NewId
}

const taken = (error: unknown): never => {
  if (error instanceof KeyTaken) throw invalid('Email already exists.')
  throw error
}

const typeOfField = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  date: z.string(),
} as const satisfies Record<(typeof fieldTypes)[number], z.ZodType>

/** Spec, "Contact". Addresses are kept as they are spelled and found in any spelling. */
export const contactUseCases = ({ repositories, clock, newId }: ContactDeps) => {
  const { contacts, customFields, contactTags, subscribers, subscriberLists, suppressions } = repositories

  const fieldsOf = (projectId: string) => collected(customFields.each({ projectId }))

  /** The contacts as clients see them; the names of their lists come in two reads for all of them. */
  const views = async (projectId: string, page: readonly Contact[]): Promise<readonly ContactView[]> => {
    const memberships = await collected(subscribers.each({ contactId: page.map(({ _id }) => _id) }))
    const listIds = [...new Set(memberships.map((one) => one.subscriberListId))]
    const names = new Map(
      (await collected(subscriberLists.each({ _id: listIds, projectId }))).map(({ _id, name }) => [_id, name]),
    )
    const listsOf = new Map(page.map(({ _id }) => [_id, [] as string[]]))
    for (const { contactId, subscriberListId } of memberships) {
      const name = names.get(subscriberListId)
      if (name !== undefined) listsOf.get(contactId)?.push(name)
    }
    return page.map(({ customFields: values, projectId: _, emailKey: __, ...contact }) =>
      ContactView.parse({ ...values, ...contact, _lists: listsOf.get(contact._id) }),
    )
  }

  const view = async (contact: Contact | undefined): Promise<ContactView> => {
    if (!contact) throw notFound('Contact')
    const [only] = await views(contact.projectId, [contact])
    return only as ContactView
  }

  const keepTags = async (projectId: string, tags: readonly string[]) => {
    const now = clock().toISOString()
    await Promise.all(
      tags.map((value) =>
        contactTags.add({ _id: newId(), projectId, value, createdAt: now, updatedAt: now }).catch((error) => {
          if (!(error instanceof KeyTaken)) throw error
        }),
      ),
    )
  }

  const changed = (contact: Contact, { email, name, tags, customFields: values }: ContactInput): Contact => ({
    ...contact,
    ...(email !== undefined && { email, emailKey: addressKey(email) }),
    ...(name !== undefined && { name }),
    ...(tags !== undefined && { tags }),
    customFields: mergedCustomFields(contact.customFields, values),
    updatedAt: clock().toISOString(),
  })

  const byAddress = (projectId: string, email: string) => contacts.get({ projectId, emailKey: addressKey(email) })

  /** Adds a contact of checked input. @throws Refusal `invalid` when there is one of that address, `blocked` for a bounced address */
  const add = async (projectId: string, given: ContactInput, _id = newId()): Promise<Contact> => {
    const email = given.email ?? ''
    await refuseBounced(suppressions, projectId, email)
    const now = clock().toISOString()
    const blank: Contact = {
      _id,
      projectId,
      email,
      emailKey: addressKey(email),
      name: '',
      tags: [],
      customFields: {},
      createdAt: now,
      updatedAt: now,
    }
    const contact = changed(blank, given)
    await contacts.add(contact).catch(taken)
    await keepTags(projectId, contact.tags)
    return contact
  }

  const change = async (projectId: string, id: string, given: ContactInput): Promise<Contact | undefined> => {
    const after = await contacts.change({ _id: id, projectId }, (contact) => changed(contact, given)).catch(taken)
    if (given.tags) await keepTags(projectId, given.tags)
    return after
  }

  return {
    /** `filter` takes built-in and custom fields; `tags` means "carries that tag". @throws Refusal `invalid` */
    list: async ({ projectId }: Scope, query: z.output<typeof ListQueryFields>): Promise<Listed<ContactView>> => {
      const fields = await fieldsOf(projectId)
      const { filter: { email, ...filter } = {}, ...rest } = query
      const names = new Map(fields.map(({ name }) => [name, `customFields.${name}`]))
      const custom = Object.fromEntries(fields.map(({ name, type }) => [`customFields.${name}`, typeOfField[type]]))
      const { _lists: _, ...shown } = ContactView.shape
      const where = { projectId, ...(email !== undefined && { emailKey: addressKey(email) }) }
      const asked = Object.entries(filter).map(([key, value]) => [
        names.get(key) ?? key,
        key === 'tags' ? value.toLowerCase() : value,
      ])
      const page = await listed(contacts, where, z.object({ ...shown, ...custom }), {
        ...rest,
        filter: Object.fromEntries(asked),
      })
      return { items: await views(projectId, page.items), count: page.count }
    },

    /** @throws Refusal `invalid`, `blocked` for an address that bounced */
    create: async ({ projectId }: Scope, input: unknown): Promise<ContactView> =>
      view(await add(projectId, readContact(input, await fieldsOf(projectId), 'create'))),

    /** @throws Refusal `not-found` */
    get: async ({ projectId }: Scope, email: string): Promise<ContactView> => view(await byAddress(projectId, email)),

    /** Merges the given fields. @throws Refusal `invalid`, `not-found`, `blocked` for an address that bounced */
    update: async ({ projectId }: Scope, email: string, input: unknown): Promise<ContactView> => {
      const given = readContact(input, await fieldsOf(projectId), 'change')
      const contact = await byAddress(projectId, email)
      if (!contact) throw notFound('Contact')
      if (given.email !== undefined && addressKey(given.email) !== contact.emailKey)
        await refuseBounced(suppressions, projectId, given.email)
      return view(await change(projectId, contact._id, given))
    },

    /** Removes the contact, from every list too. @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope, email: string): Promise<ContactView> => {
      const contact = await byAddress(projectId, email)
      const shown = await view(contact)
      await contacts.remove({ projectId, emailKey: addressKey(email) })
      await subscribers.removeAll({ contactId: shown._id })
      return shown
    },

    /** For other features: the contact of that address, made, with that id, where there is none. @throws Refusal `blocked` */
    ensure: async (projectId: string, given: ContactInput, id?: string): Promise<Contact> => {
      const found = await byAddress(projectId, given.email ?? '')
      if (!found) return add(projectId, given, id)
      const { email: _, ...changes } = given
      const nothing =
        changes.name === undefined && changes.tags === undefined && Object.keys(changes.customFields).length === 0
      return nothing ? found : ((await change(projectId, found._id, changes)) ?? found)
    },
    find: byAddress,
    change,
    fieldsOf,
  }
}
export type Contacts = ReturnType<typeof contactUseCases>
