import { type ContactTag, ContactTagChanges, ContactTagFields, ContactTagView } from '../contacts/contact-tag.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { ifLimitReached, type ProjectLimits, roomFor } from '../kernel/project-limits.js'
import { projectResource } from '../kernel/project-resource.js'
import { duplicate } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { ContactChanges } from './contact-changes.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ contactTags: ContactTag }>
  readonly contactChanges: Pick<ContactChanges, 'begin' | 'freeTags'>
  readonly clock: Clock
  readonly newId: NewId
  readonly settings: { readonly limits: Pick<ProjectLimits, 'contactTags'> }
}

const exists = () => duplicate('This tag exists already.')

const taken = (error: unknown): never => {
  throw error instanceof KeyTaken ? exists() : error
}

/** Spec, "Contact tag". Changing a tag also changes the contacts that have it. */
export const contactTagUseCases = ({ repositories, contactChanges, clock, newId, settings }: Deps) => {
  const { contactTags } = repositories
  const resource = projectResource(contactTags, ContactTagView)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `duplicate` */
    create: async ({ projectId }: Scope, input: ContactTagFields): Promise<ContactTagView> => {
      const { value } = parsed(ContactTagFields, input)
      const now = clock().toISOString()
      const tag: ContactTag = { _id: newId(), projectId, value, ...stamps(now) }
      await contactTags
        .add(tag, roomFor(projectId, settings.limits.contactTags))
        .catch(ifLimitReached('tags'))
        .catch(taken)
      return resource.show(tag)
    },

    /**
     * Renames the tag, also on contacts and in segments. Takes effect for all readers at once; contacts are updated later.
     * @throws Refusal `invalid`, `not-found`, `duplicate`
     */
    update: async (scope: Scope, id: string, input: ContactTagChanges): Promise<ContactTagView> => {
      const { value } = parsed(ContactTagChanges, input)
      const { projectId } = scope
      const before = await resource.stored(scope, id)
      if (value === undefined || value === before.value) return resource.show(before)
      if (await contactTags.get({ projectId, value })) throw exists()
      await contactChanges.freeTags(projectId, [before.value, value])
      const renaming = { kind: 'tag-replaced', tagId: id, tag: before.value, replacement: value } as const
      await contactChanges.begin(projectId, renaming).catch(taken)
      return resource.get(scope, id)
    },

    /** Removes the tag, also from contacts. @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<ContactTagView> => {
      const tag = await resource.stored(scope, id)
      await contactChanges.freeTags(scope.projectId, [tag.value])
      await contactChanges.begin(scope.projectId, { kind: 'tag-replaced', tagId: id, tag: tag.value })
      return resource.show(tag)
    },
  }
}
