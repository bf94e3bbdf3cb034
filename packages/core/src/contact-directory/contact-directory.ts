import type { Contact } from '../contacts/contact.js'
import { settled } from '../contacts/contact-change.js'
import { type ContactInput, changedContact, newContact } from '../contacts/contact-input.js'
import type { ContactTag } from '../contacts/contact-tag.js'
import type { CustomField } from '../contacts/custom-field.js'
import { addressKey } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { invalid, Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { ifKeyTaken, KeyTaken } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { Suppression } from '../suppressions/suppression.js'
import { refuseBounced } from '../suppressions/suppression.js'
import type { ContactChanges } from './contact-changes.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    customFields: CustomField
    contactTags: ContactTag
    suppressions: Suppression
  }>
  readonly contactChanges: Pick<ContactChanges, 'freeTags' | 'pending'>
  readonly clock: Clock
  readonly newId: NewId
}

const taken = (error: unknown): never => {
  if (error instanceof KeyTaken) throw invalid('Email already exists.')
  throw error
}

/** A project's contacts by address, for the features that write them: contacts, subscriptions, imports. Input is read already. */
export const contactDirectory = ({ repositories, contactChanges, clock, newId }: Deps) => {
  const { contacts, customFields, contactTags, suppressions } = repositories
  const iso = () => clock().toISOString()

  const find = (projectId: string, email: string) => contacts.get({ projectId, emailKey: addressKey(email) })

  /** Makes those of the tags that the project does not have yet. */
  const keepTags = async (projectId: string, tags: readonly string[] = []): Promise<void> => {
    if (tags.length === 0) return
    const known = new Set((await collected(contactTags.each({ projectId, value: tags }))).map(({ value }) => value))
    const now = iso()
    for (const value of new Set(tags))
      if (!known.has(value))
        await contactTags.add({ _id: newId(), projectId, value, ...stamps(now) }).catch(ifKeyTaken(() => undefined))
  }

  /** @throws Refusal `invalid` when there is a contact of that address, `blocked` for an address that bounced */
  const add = async (projectId: string, email: string, given: ContactInput, _id = newId()): Promise<Contact> => {
    await refuseBounced(suppressions, projectId, email)
    await contactChanges.freeTags(projectId, given.tags)
    const contact = newContact({ _id, projectId, email }, given, iso())
    await contacts.add(contact).catch(taken)
    await keepTags(projectId, given.tags)
    return contact
  }

  /** Merges the fields; undefined where the contact is gone. @throws Refusal `invalid` for another's address, `blocked` for one that bounced */
  const change = async (contact: Contact, given: ContactInput): Promise<Contact | undefined> => {
    const { _id, projectId } = contact
    if (given.email !== undefined && addressKey(given.email) !== contact.emailKey)
      await refuseBounced(suppressions, projectId, given.email)
    await contactChanges.freeTags(projectId, given.tags)
    const now = iso()
    const after = await contacts
      .change({ _id, projectId }, (current) => changedContact(current, given, now))
      .catch(taken)
    await keepTags(projectId, given.tags)
    return after
  }

  /** The contact of that address with the fields merged in, made where there is none. @throws Refusal `blocked` */
  const ensure = async (projectId: string, email: string, given: ContactInput): Promise<Contact> => {
    const merge = async () => {
      const found = await find(projectId, email)
      return found && change(found, { ...given, email: undefined })
    }
    try {
      return (await merge()) ?? (await add(projectId, email, given))
    } catch (error) {
      // Somebody else may just have made it: then it is merged after all.
      const theirs = error instanceof Refusal && error.kind === 'invalid' ? await merge() : undefined
      if (!theirs) throw error
      return theirs
    }
  }

  return {
    find,
    keepTags,
    /** The contacts as they are once the changes that are under way are done. */
    settled: async (projectId: string, found: readonly Contact[]): Promise<readonly Contact[]> => {
      const changes = await contactChanges.pending(projectId)
      return found.map((contact) => settled(contact, changes))
    },
    add,
    change,
    ensure,
    fieldsOf: (projectId: string): Promise<readonly CustomField[]> => collected(customFields.each({ projectId })),
  }
}
export type ContactDirectory = ReturnType<typeof contactDirectory>
