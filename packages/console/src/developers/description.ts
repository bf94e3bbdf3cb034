export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly example?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Parameter = {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema: Schema
}

type Media = { readonly schema: Schema; readonly example?: unknown }

type Response = {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}

type Described = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

export type Operation = Described & { readonly method: string; readonly path: string; readonly tag: string }

export type OpenApi = {
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

export type ApiDescription = Pick<OpenApi, 'tags' | 'components'> & { readonly operations: readonly Operation[] }

const methods = ['get', 'post', 'put', 'patch', 'delete']

export const descriptionOf = ({ tags, paths, components }: OpenApi): ApiDescription => ({
  tags,
  components,
  operations: Object.entries(paths).flatMap(([path, at]) =>
    methods.flatMap((method) => {
      const described = at[method]
      return described ? [{ ...described, method, path, tag: described.tags?.[0] ?? '' }] : []
    }),
  ),
})

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

export const schemaOf = ({ components }: ApiDescription, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...components.schemas[nameIn(schema.$ref)], ...schema }

/** A reference to a schema is its name. */
export const typeOf = ({ $ref, type, anyOf, items, ...schema }: Schema): string => {
  if ($ref !== undefined) return nameIn($ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (type === 'array') return `${typeOf(items ?? {})}[]`
  return type ?? (anyOf ? anyOf.map(typeOf).join(' | ') : 'any')
}

export const responsesOf = ({ components }: ApiDescription, { responses }: Operation) =>
  Object.entries(responses).map(([status, { $ref, description, content = {} }]) => {
    const named = $ref === undefined ? undefined : components.responses[nameIn($ref)]
    const [type, media] = Object.entries(content)[0] ?? []
    const result = media?.schema.properties?.result
    return {
      status,
      name: $ref === undefined ? '' : nameIn($ref),
      text: named?.description ?? description ?? '',
      type: result ? typeOf(result) : (type ?? ''),
    }
  })

/** Words in any order, of the summary, the path, the id and the part. */
export const found = (operations: readonly Operation[], search: string): readonly Operation[] => {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return operations.filter(({ summary, path, operationId, tag }) => {
    const text = `${summary} ${path} ${operationId} ${tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
