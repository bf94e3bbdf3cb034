import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { duplicate } from '../kernel/refusal.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { type ContactTag, ContactTagChanges, ContactTagFields, ContactTagView } from './contact-tag.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'contactTags' | 'contacts'>
  readonly clock: Clock
  readonly newId: NewId
}

const exists = () => duplicate('This tag exists already.')

const taken = (error: unknown): never => {
  throw error instanceof KeyTaken ? exists() : error
}

/** Spec, "Contact tag". A tag and the contacts that carry it change together. */
export const contactTagUseCases = ({ repositories: { contactTags, contacts }, clock, newId }: Deps) => {
  const resource = projectResource('Contact tag', contactTags, ContactTagView)

  /**
   * Changes the tag on its contacts, the tag itself, and then the contacts that took it on meanwhile: a crash in between leaves a
   * tag whose change can be asked for again.
   */
  const throughout = async (
    projectId: string,
    tag: string,
    replacement: readonly string[],
    changeTag: () => Promise<ContactTagView>,
  ): Promise<ContactTagView> => {
    const replaced = (tags: readonly string[]) => [
      ...new Set(tags.flatMap((one) => (one === tag ? replacement : [one]))),
    ]
    const onContacts = async () => {
      const now = clock().toISOString()
      for await (const { _id } of contacts.each({ projectId, tags: tag }))
        await contacts.change({ _id, projectId }, (contact) => updated(contact, { tags: replaced(contact.tags) }, now))
    }
    await onContacts()
    const changed = await changeTag()
    await onContacts()
    return changed
  }

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `duplicate` */
    create: async ({ projectId }: Scope, input: unknown): Promise<ContactTagView> => {
      const { value } = parsed(ContactTagFields, input)
      const now = clock().toISOString()
      const tag: ContactTag = { _id: newId(), projectId, value, createdAt: now, updatedAt: now }
      await contactTags.add(tag).catch(taken)
      return resource.show(tag)
    },

    /** Renames the tag, on contacts too. @throws Refusal `invalid`, `not-found`, `duplicate` */
    update: async (scope: Scope, id: string, input: unknown): Promise<ContactTagView> => {
      const { value } = parsed(ContactTagChanges, input)
      const { projectId } = scope
      const before = await resource.stored(scope, id)
      if (value === undefined || value === before.value) return resource.show(before)
      if (await contactTags.get({ projectId, value })) throw exists()
      const now = clock().toISOString()
      return throughout(projectId, before.value, [value], () =>
        resource.change(scope, id, (tag) => updated(tag, { value }, now)).catch(taken),
      )
    },

    /** Removes the tag, from contacts too. @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<ContactTagView> => {
      const { value } = await resource.stored(scope, id)
      return throughout(scope.projectId, value, [], () => resource.remove(scope, id))
    },
  }
}
