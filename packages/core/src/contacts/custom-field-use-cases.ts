import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import type { ContactChanges } from './contact-changes.js'
import {
  apiName,
  type CustomField,
  CustomFieldFields,
  CustomFieldView,
  fieldKey,
  nameViolation,
} from './custom-field.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'customFields'>
  readonly contactChanges: Pick<ContactChanges, 'begin' | 'freeField'>
  readonly clock: Clock
  readonly newId: NewId
}

/** Spec, "Custom contact field". */
export const customFieldUseCases = ({ repositories: { customFields }, contactChanges, clock, newId }: Deps) => {
  /** @throws Refusal `invalid` where another field has that name, whatever the case */
  const assertAlone = async ({ _id, projectId, name }: CustomField): Promise<void> => {
    for await (const other of customFields.each({ projectId }))
      if (other._id !== _id && fieldKey(other.name) === fieldKey(name))
        throw invalid(`name: a field ${other.name} exists already`)
  }

  return {
    list: async ({ projectId }: Scope): Promise<Listed<CustomFieldView>> => {
      const items = (await collected(customFields.each({ projectId }))).map((field) => CustomFieldView.parse(field))
      return { items, count: items.length }
    },

    /** A field called `name` of type string means the built-in one. @throws Refusal `invalid`, also for a name in use */
    create: async ({ projectId }: Scope, input: unknown): Promise<CustomFieldView> => {
      const given = parsed(CustomFieldFields, input)
      const name = apiName(given.name)
      const violation = nameViolation(given.name, name)
      if (violation) throw invalid(violation)
      if (name === 'name') {
        if (given.type !== 'string') throw invalid('name: the built-in field name is of type string')
        return CustomFieldView.parse({ name, type: given.type })
      }
      const now = clock().toISOString()
      const field: CustomField = { _id: newId(), projectId, name, type: given.type, createdAt: now, updatedAt: now }
      await assertAlone(field)
      await contactChanges.freeField(projectId, (other) => fieldKey(other) === fieldKey(name))
      await customFields.add(field).catch((error) => {
        if (error instanceof KeyTaken) throw invalid(`name: a field ${name} exists already`)
        throw error
      })
      // Of two that are made at once in another case, at most one stays.
      await assertAlone(field).catch(async (error) => {
        await customFields.remove({ _id: field._id })
        throw error
      })
      return CustomFieldView.parse(field)
    },

    /** Removes the field and its values: at once for all who look, though the contacts follow. @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope, name: string): Promise<CustomFieldView> => {
      const field = await customFields.get({ projectId, name })
      if (!field) throw notFound('Custom field')
      await contactChanges.begin(projectId, { kind: 'field-removed', fieldId: field._id, name })
      return CustomFieldView.parse(field)
    },
  }
}
