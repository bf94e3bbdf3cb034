import type { z } from 'zod'
import { type InputRule, parsed, parsedBy, schemaViolationsOf } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../../kernel/project-limits.js'
import { projectResource } from '../../kernel/project-resource.js'
import { duplicate, refusalOfViolations } from '../../kernel/refusal.js'
import {
  getOrNotFound,
  ifKeyTaken,
  type Page,
  type RepositoriesFor,
  refuseIfKeyTaken,
} from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { stamps } from '../../kernel/shapes.js'
import { type Violation, wrongFieldViolation } from '../../kernel/violation.js'
import { type ContactTag, ContactTagChanges, ContactTagFields, ContactTagView } from '../contact.js'
import {
  type CustomField,
  CustomFieldFields,
  type CustomFieldsOfProject,
  CustomFieldView,
  fieldApiName,
  fieldKey,
  fieldNameProblem,
} from '../custom-field.js'
import type { ChangesOfAllContacts } from './contact-changes.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ customFields: CustomField }>
  readonly contactChanges: Pick<ChangesOfAllContacts, 'begin' | 'freeField' | 'fieldsChanged'>
  readonly fieldsOf: CustomFieldsOfProject
  readonly settings: { readonly limits: Pick<ProjectLimits, 'customFields'> }
}

/** Spec, "Custom contact field". */
export const customFieldUseCases = (deps: Deps) => {
  const { repositories, contactChanges, fieldsOf, clock, newId, settings } = deps
  const { customFields } = repositories
  const taken = (name: string) => wrongFieldViolation('name', `a field ${name} exists already`)

  const namesake = (projectId: string, name: string) => customFields.get({ projectId, key: fieldKey(name) })

  /** `name` means the built-in field. */
  const nameFits =
    ({ projectId }: Scope): InputRule<z.output<typeof CustomFieldFields>> =>
    async ({ name: given, type }): Promise<readonly Violation[]> => {
      if (given === undefined) return []
      const name = fieldApiName(given)
      const problem = fieldNameProblem(given, name)
      if (problem) return [wrongFieldViolation('name', problem)]
      if (name === 'name')
        return type === 'string' || type === undefined
          ? []
          : [wrongFieldViolation('name', 'the built-in field name is of type string')]
      const other = await namesake(projectId, name)
      return other ? [taken(other.name)] : []
    }

  return {
    list: async ({ projectId }: Scope): Promise<Page<CustomFieldView>> => {
      const items = (await fieldsOf(projectId)).map((field) => CustomFieldView.parse(field))
      return { items, count: items.length }
    },

    violations: {
      create: (scope: Scope, input: unknown) => schemaViolationsOf(CustomFieldFields, input, nameFits(scope)),
    },

    /** A field named `name` of type string means the built-in one. @throws Refusal `invalid`, also for a name in use */
    create: async (scope: Scope, input: CustomFieldFields): Promise<CustomFieldView> => {
      const { projectId } = scope
      const given = await parsedBy(CustomFieldFields, input, nameFits(scope))
      const name = fieldApiName(given.name)
      if (name === 'name') return CustomFieldView.parse({ name, type: given.type })
      const field: CustomField = {
        _id: newId(),
        projectId,
        name,
        key: fieldKey(name),
        type: given.type,
        ...stamps(clock().toISOString()),
      }
      await contactChanges.freeField(projectId, (other) => fieldKey(other) === field.key)
      const refuseTaken = async (): Promise<never> => {
        throw refusalOfViolations([taken((await namesake(projectId, name))?.name ?? name)])
      }
      await customFields
        .add(field, projectRecordLimit(projectId, settings.limits.customFields))
        .catch(refuseIfLimitReached('custom fields'))
        .catch(ifKeyTaken(refuseTaken))
      await contactChanges.fieldsChanged(projectId)
      return CustomFieldView.parse(field)
    },

    /** Takes effect at once; contacts are updated later. @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope, name: string): Promise<CustomFieldView> => {
      const field = await getOrNotFound(customFields, { projectId, key: fieldKey(name), name })
      await contactChanges.begin(projectId, { kind: 'field-removed', fieldId: field._id, name })
      return CustomFieldView.parse(field)
    },
  }
}

type TagDeps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ contactTags: ContactTag }>
  readonly contactChanges: Pick<ChangesOfAllContacts, 'begin' | 'freeTags'>
  readonly settings: { readonly limits: Pick<ProjectLimits, 'contactTags'> }
}

const exists = () => duplicate('This tag exists already.')
const refuseTagTaken = refuseIfKeyTaken(exists)

/** Spec, "Contact tag". */
export const contactTagUseCases = ({ repositories, contactChanges, clock, newId, settings }: TagDeps) => {
  const { contactTags } = repositories
  const resource = projectResource(contactTags, ContactTagView)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `duplicate` */
    create: async ({ projectId }: Scope, input: ContactTagFields): Promise<ContactTagView> => {
      const { value } = parsed(ContactTagFields, input)
      const tag: ContactTag = { _id: newId(), projectId, value, ...stamps(clock().toISOString()) }
      await contactTags
        .add(tag, projectRecordLimit(projectId, settings.limits.contactTags))
        .catch(refuseIfLimitReached('tags'))
        .catch(refuseTagTaken)
      return resource.show(tag)
    },

    /**
     * Takes effect at once, also in segments; contacts are updated later.
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
      await contactChanges.begin(projectId, renaming).catch(refuseTagTaken)
      return resource.get(scope, id)
    },

    remove: async (scope: Scope, id: string): Promise<ContactTagView> => {
      const tag = await resource.stored(scope, id)
      await contactChanges.freeTags(scope.projectId, [tag.value])
      await contactChanges.begin(scope.projectId, { kind: 'tag-replaced', tagId: id, tag: tag.value })
      return resource.show(tag)
    },
  }
}
