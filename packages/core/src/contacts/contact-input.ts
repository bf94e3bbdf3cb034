import type { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { parsed, violationsOf } from '../kernel/parsed.js'
import { updated } from '../kernel/project-resource.js'
import { refusalOfViolations } from '../kernel/refusal.js'
import { oncePerField, unexpectedViolation, type Violation, wrongFieldViolation } from '../kernel/violation.js'
import type { Contact, FieldValue } from './contact.js'
import { type CustomField, parseFieldValue, wrongFieldValueMessage } from './custom-field.js'

/** By API name: `null` clears a field. */
export type ContactInput = {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly customFields: Readonly<Record<string, FieldValue | null>>
}

export type ContactSchema = z.ZodType<{
  email?: string | undefined
  name?: string | undefined
  tags?: string[] | undefined
  data?: Record<string, unknown> | undefined
}> & { readonly shape: Readonly<Record<string, z.ZodType>> }

export type ParsedContactInput<S extends ContactSchema> = {
  readonly contact: ContactInput
  readonly beside: z.output<S>
}

type Given = Readonly<Record<string, unknown>>

export const asRecord = (input: unknown): Given =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Given) : {}

/** The legacy `data` may contain the name. */
const withNameFromData = (input: unknown): unknown => {
  const { name } = asRecord(asRecord(input).data)
  return name === undefined || asRecord(input).name !== undefined ? input : { ...asRecord(input), name }
}

const customValues = (entries: readonly (readonly [string, unknown])[], fields: readonly CustomField[]) => {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const values: Record<string, FieldValue | null> = {}
  const wrong: Violation[] = []
  for (const [key, given] of entries) {
    const type = types.get(key)
    const value = type && given !== null ? parseFieldValue(type, given) : null
    if (!type) wrong.push(unexpectedViolation(key))
    else if (value === undefined) wrong.push(wrongFieldViolation(key, wrongFieldValueMessage(type, given)))
    else values[key] = value
  }
  return { values, wrong }
}

const split = (schema: ContactSchema, input: unknown, fields: readonly CustomField[]) => {
  const nested = Object.entries(asRecord(asRecord(input).data)).filter(([key]) => key !== 'name')
  const flat = Object.entries(asRecord(input)).filter(([key]) => !Object.hasOwn(schema.shape, key))
  return { whole: withNameFromData(input), ...customValues([...nested, ...flat], fields) }
}

export const contactViolations = (
  schema: ContactSchema,
  input: unknown,
  fields: readonly CustomField[],
): readonly Violation[] => {
  const { whole, wrong } = split(schema, input, fields)
  return oncePerField([...violationsOf(schema, whole), ...wrong])
}

/**
 * Custom fields are flat or inside `data`; `beside`: what the schema names.
 * @throws Refusal `invalid` with all violations, including `alsoWrong`
 */
export const parseContact = <S extends ContactSchema>(
  schema: S,
  input: unknown,
  fields: readonly CustomField[],
  alsoWrong: readonly Violation[] = [],
): ParsedContactInput<S> => {
  const { whole, values, wrong } = split(schema, input, fields)
  if (wrong.length + alsoWrong.length > 0)
    throw refusalOfViolations(oncePerField([...contactViolations(schema, input, fields), ...alsoWrong]))
  const beside = parsed(schema, whole)
  const { email, name, tags } = beside
  return { contact: { email, name, tags: tags && [...new Set(tags)], customFields: values }, beside }
}

const withoutNull = (customFields: ContactInput['customFields']): Contact['customFields'] =>
  Object.keys(customFields).some((field) => customFields[field] === null)
    ? Object.fromEntries(
        Object.entries(customFields).filter((entry): entry is [string, FieldValue] => entry[1] !== null),
      )
    : (customFields as Contact['customFields'])

/** The same object if nothing differs. */
export const changedContact = (
  contact: Contact,
  { email, name, tags, customFields }: ContactInput,
  now: string,
): Contact => {
  const emailKey = email === undefined ? undefined : addressKey(email)
  return updated(
    contact,
    { email, emailKey, name, tags, customFields: withoutNull({ ...contact.customFields, ...customFields }) },
    now,
  )
}

export const newContact = (
  {
    _id,
    projectId,
    email,
    emailKey = addressKey(email),
  }: Pick<Contact, '_id' | 'projectId' | 'email'> & Partial<Pick<Contact, 'emailKey'>>,
  { name = '', tags = [], customFields }: ContactInput,
  now: string,
): Contact => ({
  _id,
  projectId,
  email,
  emailKey,
  name,
  tags,
  customFields: withoutNull(customFields),
  createdAt: now,
  updatedAt: now,
})
