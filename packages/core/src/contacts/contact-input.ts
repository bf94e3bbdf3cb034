import { z } from 'zod'
import { changesOf } from '../kernel/merged.js'
import { parsed, violations } from '../kernel/parsed.js'
import { invalid } from '../kernel/refusal.js'
import { ContactFields, type FieldValue } from './contact.js'
import { type CustomField, fieldValue } from './custom-field.js'

/** A contact's fields as given: custom fields by API name, `null` for those to clear; undefined: not given. */
export type ContactInput = {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly customFields: Readonly<Record<string, FieldValue | null>>
}

const { email, name, tags, data } = ContactFields.shape
const changes = changesOf(z.strictObject({ email, name, tags }))
const ContactChanges = z.looseObject({ ...changes.shape, data })

const builtIn = new Set(Object.keys(ContactFields.shape))

/** Schema of the body of a PATCH, for the API's description. */
export { ContactChanges }

/**
 * Reads a contact's fields, custom ones flat or inside `data`.
 * @throws Refusal `invalid` with every violation together: built-in, custom and unexpected fields
 */
export const readContact = (
  input: unknown,
  fields: readonly CustomField[],
  mode: 'create' | 'change',
): ContactInput => {
  const schema = mode === 'create' ? ContactFields : ContactChanges
  const byName = new Map(fields.map((field) => [field.name, field]))
  const given =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? (input as Record<string, unknown>)
      : undefined
  const wrong = [...violations(schema, input)]
  const nested = typeof given?.['data'] === 'object' && given['data'] !== null ? Object.entries(given['data']) : []
  const flat = Object.entries(given ?? {}).filter(([key]) => !builtIn.has(key))
  const values: [string, FieldValue | null][] = []
  let nameInData: string | undefined
  for (const [key, value] of [...nested, ...flat]) {
    const field = byName.get(key)
    if (key === 'name' && typeof value === 'string') nameInData = value
    else if (!field) wrong.push(`Unexpected field: ${key}`)
    else if (value === null) values.push([key, null])
    else {
      const kept = fieldValue(field.type, value)
      if (kept === undefined) wrong.push(`${key}: expected a ${field.type}`)
      else values.push([key, kept])
    }
  }
  if (wrong.length > 0) throw invalid(...new Set(wrong))
  const built = parsed(schema, input)
  const lower = built.tags && [...new Set(built.tags.map((tag) => tag.toLowerCase()))]
  return {
    email: built.email,
    name: given?.['name'] === undefined ? (nameInData ?? built.name) : built.name,
    tags: lower,
    customFields: Object.fromEntries(values),
  }
}

/** The custom fields with the given ones merged in, and those given as null gone. */
export const mergedCustomFields = (
  current: Readonly<Record<string, FieldValue>>,
  given: ContactInput['customFields'],
): Readonly<Record<string, FieldValue>> =>
  Object.fromEntries(
    Object.entries({ ...current, ...given }).filter((entry): entry is [string, FieldValue] => entry[1] !== null),
  )
