import type { z } from 'zod'
import type { ListQueryFields } from '../kernel/listing.js'
import { changesOf } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource } from '../kernel/project-resource.js'
import { duplicate } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { type ContactTag, ContactTagFields, ContactTagView } from './contact-tag.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'contactTags' | 'contacts'>
  readonly clock: Clock
  readonly newId: NewId
}

const taken = (error: unknown): never => {
  if (error instanceof KeyTaken) throw duplicate('This tag exists already.')
  throw error
}

/** Spec, "Contact tag". A tag and the contacts that carry it change together. */
export const contactTagUseCases = ({ repositories: { contactTags, contacts }, clock, newId }: Deps) => {
  const resource = projectResource('Contact tag', contactTags, ContactTagView)

  const onContacts = async (projectId: string, tag: string, change: (tags: readonly string[]) => readonly string[]) => {
    for await (const { _id } of contacts.each({ projectId, tags: tag }))
      await contacts.change({ _id, projectId }, (contact) => ({ ...contact, tags: [...new Set(change(contact.tags))] }))
  }

  return {
    list: async (scope: Scope, query: z.output<typeof ListQueryFields>): Promise<Listed<ContactTagView>> =>
      resource.list(scope, query),
    get: async (scope: Scope, id: string): Promise<ContactTagView> => resource.get(scope, id),

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
      const { value } = parsed(changesOf(ContactTagFields), input)
      const before = await resource.stored(scope, id)
      if (value === undefined || value === before.value) return resource.show(before)
      const after = await resource
        .change(scope, id, (tag) => ({ ...tag, value, updatedAt: clock().toISOString() }))
        .catch(taken)
      await onContacts(scope.projectId, before.value, (tags) => tags.map((tag) => (tag === before.value ? value : tag)))
      return after
    },

    /** Removes the tag, from contacts too. @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<ContactTagView> => {
      const removed = await resource.remove(scope, id)
      await onContacts(scope.projectId, removed.value, (tags) => tags.filter((tag) => tag !== removed.value))
      return removed
    },
  }
}
