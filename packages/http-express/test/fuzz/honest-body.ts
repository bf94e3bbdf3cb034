import { z } from 'zod'
import type { Route } from '../../src/index.js'

type JsonSchema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
}

/** What a field of that name holds where any text will not do. */
const texts: Readonly<Record<string, string>> = {
  email: 'honest@example.com',
  replyTo: 'honest@example.com',
  document: '<p>Hello {{name}}</p>',
  type: 'html',
  timeZone: 'Europe/Berlin',
  scheduledTo: '2030-01-01T10:00:00Z',
  /** The fixed clock's time, at which the records were made and are changed. */
  basedOn: '2026-01-06T12:00:00.000Z',
  pausedUntil: '2030-01-01T10:00:00Z',
  url: 'https://example.com/feed',
  redirectLink: 'https://example.com/thanks',
  domain: 'example.com',
  region: 'eu-west-1',
  content: 'QQ==',
  filename: 'a.txt',
}

const resolved = (schema: JsonSchema, defs: JsonSchema['$defs']): JsonSchema =>
  schema.$ref === undefined ? schema : (defs?.[schema.$ref.slice('#/$defs/'.length)] ?? {})

const sampleOf = (schema: JsonSchema, defs: JsonSchema['$defs'], name: string, known: Known): unknown => {
  if (schema.$ref !== undefined) return sampleOf(resolved(schema, defs), defs, name, known)
  const { anyOf, oneOf, type, properties = {} } = schema
  const [choice] = anyOf ?? oneOf ?? []
  if (choice) return sampleOf(choice, defs, name, known)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, sampleOf(field, defs, key, known)]),
    )
  if (type === 'array') return schema.items ? [sampleOf(schema.items, defs, name.replace(/s$/, ''), known)] : []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return 1
  return known[name] ?? texts[name] ?? 'Honest'
}

/** Ids of records that exist, by the field that names them. */
export type Known = Readonly<Record<string, string>>

const describedBy = (body: z.ZodType) => z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Every field that the row's body knows, with a value of its type; `required` are the ones that it cannot do without. */
export const honestBody = ({ body }: Route, known: Known) => {
  const described = body ? describedBy(body) : {}
  const schema = resolved(described, described.$defs)
  const all = sampleOf({ ...schema, type: 'object' }, described.$defs, '', known) as Readonly<Record<string, unknown>>
  return { all, required: schema.required ?? [] }
}
