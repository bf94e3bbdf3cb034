import { type JsonSchema, nameOfRef, type Schemas } from './json-schema.js'

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>
type Parameter = {
  readonly in: string
  readonly name: string
  readonly description?: string
  readonly schema: JsonSchema
  readonly required?: boolean
}
type Described = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly 'x-has-effect'?: true
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** What the generator reads of an OpenAPI document. */
export type Document = {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Schemas }
}

export type Operation = {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly tag: string
  /** In capitals. */
  readonly method: string
  /** Below the project, or from `/v1` on. */
  readonly path: string
  readonly parameters: readonly Pick<Parameter, 'name' | 'description'>[]
  readonly keyScopes: readonly string[]
  readonly query: readonly Parameter[]
  readonly body?: { readonly schema: JsonSchema; readonly isRequired: boolean; readonly isForm: boolean }
  /** Undefined for a file. */
  readonly result: JsonSchema | undefined
  /** Though it is a GET. */
  readonly hasEffect: boolean
  /** HTTP statuses of refusals. */
  readonly fails: readonly number[]
}

const project = '/v1/projectId/{projectId}'

const resultOf = ({ responses }: Described): JsonSchema | undefined => {
  const [content] = Object.entries(responses).flatMap(([status, one]) => (status.startsWith('2') ? [one.content] : []))
  return content?.['application/json']?.schema?.properties?.result
}

const bodyOf = ({ requestBody }: Described): Operation['body'] => {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!media?.schema) return undefined
  return { schema: media.schema, isRequired: requestBody?.required === true, isForm: type === 'multipart/form-data' }
}

/** Unpaged lists take the keys of the others and ignore them. */
const isIgnored = ({ description }: Parameter) => description?.startsWith('Accepted and ignored') === true

const operationOf = (path: string, method: string, described: Described): Operation => {
  const { operationId: id, summary, description = '', tags, parameters = [], responses, security = [] } = described
  const body = bodyOf(described)
  return {
    id,
    summary,
    description,
    tag: tags[0] ?? '',
    method: method.toUpperCase(),
    path: path.startsWith(project) ? path.slice(project.length) : path,
    parameters: parameters.filter((one) => one.in === 'path' && one.name !== 'projectId'),
    keyScopes: security.flatMap(({ apiKey = [] }) => apiKey),
    query: parameters.filter((one) => one.in === 'query' && !isIgnored(one)),
    ...(body && { body }),
    result: resultOf(described),
    hasEffect: described['x-has-effect'] === true,
    fails: Object.keys(responses)
      .map(Number)
      .filter((status) => status >= 400),
  }
}

/** One for each row, at its own path. */
export const operationsOf = ({ paths }: Document): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !operationId.endsWith('Legacy'))
      .map(([method, described]) => operationOf(path, method, described)),
  )

/** Follows a reference. */
export const resolved = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  schema.$ref === undefined ? schema : { ...schemas[nameOfRef(schema.$ref)], ...schema }
