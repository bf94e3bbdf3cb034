import { docOf, isNamed, type JsonSchema, keyOf, nameOfRef, type Schemas, typesOf } from './json-schema.js'
import { duplicates, type Name, namesOf, resourceDocs } from './names.js'
import { type Document, type Operation, operationsOf, resolved } from './operations.js'

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const refsIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(refsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [nameOfRef(part)] : refsIn(part),
  )
}

/** Names of all schemas that these need, in the document's order. */
const neededBy = (roots: readonly unknown[], schemas: Schemas): readonly string[] => {
  const needed = new Set<string>()
  const add = (value: unknown) => {
    for (const name of refsIn(value))
      if (!needed.has(name)) {
        needed.add(name)
        add(schemas[name])
      }
  }
  for (const root of roots) add(root)
  return Object.keys(schemas).filter((name) => needed.has(name))
}

/**
 * Requests and responses of the same shape have one name: `AccountOutput` is `Account` unless its fields differ. Gives the final name of
 * each schema.
 */
const mergedNames = (names: readonly string[], schemas: Schemas): ((name: string) => string) => {
  const twins = new Set(names.filter((name) => name.endsWith('Output') && names.includes(name.slice(0, -6))))
  const rename = (name: string) => (twins.has(name) ? name.slice(0, -6) : name)
  const { typeOf } = typesOf(schemas, rename)
  const textOf = (name: string) => typeOf(schemas[name] ?? {})
  for (let changed = true; changed; ) {
    changed = false
    for (const name of twins)
      if (textOf(name) !== textOf(name.slice(0, -6))) {
        twins.delete(name)
        changed = true
      }
  }
  return rename
}

const errorNames: Readonly<Record<number, string>> = {
  403: 'AuthorizationError',
  404: 'NotFoundError',
  405: 'BlockedError',
  409: 'ConflictError',
  413: 'PayloadTooLargeError',
}

/** `filter[status]` and the like become one object. */
const queryMembers = (operation: Operation, isOpen: boolean, typeOf: (schema: JsonSchema) => string): string => {
  const single = operation.query.filter(({ name }) => !name.startsWith('filter['))
  const filters = operation.query.filter(({ name }) => name.startsWith('filter['))
  const members = single.map(({ name, required, schema, description }) => {
    const standard = schema.default === undefined ? '' : `. Default: \`${JSON.stringify(schema.default)}\``
    const doc = docOf(`${description ?? schema.description ?? ''}${standard}`)
    return `${doc}${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`
  })
  if (filters.length === 0) return members.join('\n')
  const fields = filters.map(({ name, schema }) => `${keyOf(name.slice(7, -1))}?: ${typeOf(schema)} | undefined`)
  const others = isOpen ? ['/** Custom fields. */\n[field: string]: string | number | boolean | undefined'] : []
  const doc = docOf('Items whose fields equal these values, or contain them if they are lists; all must hold')
  return [...members, `${doc}filter?: {\n${[...fields, ...others].join('\n')}\n} | undefined`].join('\n')
}

type Call = {
  readonly name: Name
  readonly operation: Operation
  /** Of the interface. */
  readonly signature: string
  /** Of the table. */
  readonly endpoint: string
}

type Declared = Map<string, string>

const generator = (
  { components: { schemas } }: Document,
  needed: readonly string[],
  names: ReadonlyMap<string, Name>,
) => {
  const rename = mergedNames(needed, schemas)
  const { typeOf, declarationOf } = typesOf(schemas, rename)
  /** Interfaces of shapes without a name in the document. */
  const own: Declared = new Map()

  const named = (schema: JsonSchema, name: string): string => {
    if (schema.$ref !== undefined || !schema.properties || Object.keys(schema.properties).length === 0)
      return typeOf(schema)
    own.set(name, declarationOf(name, schema))
    return name
  }

  const isList = ({ properties }: JsonSchema) => properties?.items?.type === 'array' && properties.next !== undefined

  const listType = (result: JsonSchema, id: string): string => {
    const { items, count, next, ...others } = result.properties ?? {}
    if (!count || !next || !result.required?.includes('count')) return named(result, `${upperFirst(id)}Result`)
    const page = `Page<${named(items?.items ?? {}, `${upperFirst(id)}Item`)}>`
    return Object.keys(others).length === 0 ? page : `${page} & ${typeOf({ ...result, properties: others })}`
  }

  /** Descriptions name operations of the API by their ids. */
  const inClient = (description: string): string =>
    description.replace(/`(\w+)`/g, (text, id: string) => {
      const name = names.get(id)
      return name ? `\`${name.resource}.${name.method}\`` : text
    })

  const callOf = (operation: Operation): Call => {
    const name = names.get(operation.id) as Name
    const { id, summary, description, method, path, parameters, query, body, result, fails, keyScopes, hasEffect } =
      operation
    const Id = upperFirst(id)
    const shape = result && resolved(result, schemas)
    const list = shape && isList(shape) ? shape : undefined
    const flags: string[] = []
    const args = parameters.map((one) => `${one.name}: string`)
    if (body) {
      flags.push(body.isForm ? 'form' : 'body')
      const type = named(body.schema, `${Id}Body`)
      args.push(`body${body.isRequired || method === 'PATCH' ? '' : '?'}: ${type}`)
    }
    if (query.length > 0) {
      flags.push('query')
      const item = list?.properties?.items?.items
      const isOpen = item !== undefined && typeof resolved(item, schemas).additionalProperties === 'object'
      own.set(`${Id}Query`, `export interface ${Id}Query {\n${queryMembers(operation, isOpen, typeOf)}\n}`)
      args.push(`query${query.some(({ required }) => required) ? '' : '?'}: ${Id}Query`)
    }
    const limit = query.find((one) => one.name === 'limit')
    if (list) flags.push('pages', ...(limit ? ['limit'] : []))
    if (result === undefined) flags.push('file')
    if (hasEffect) flags.push('effect')
    const type =
      result === undefined
        ? 'Promise<DownloadedFile>'
        : list
          ? `Pages<${listType(list, id)}>`
          : `Promise<${named(result, `${Id}Result`)}>`
    const errors = fails.flatMap((status) => errorNames[status] ?? [])
    const doc = docOf(
      `${summary}.${description === '' ? '' : ` ${inClient(description)}`}`,
      [
        keyScopes.length > 0 ? `Key scopes: ${keyScopes.map((scope) => `\`${scope}\``).join(', ')}.` : '',
        ...parameters.map((one) => `@param ${one.name} ${one.description ?? ''}`),
        errors.length > 0 ? `@throws ${errors.join(', ')}` : '',
      ]
        .filter((line) => line !== '')
        .join('\n'),
    )
    return {
      name,
      operation,
      signature: `${doc}${keyOf(name.method)}(${[...args, 'options?: RequestOptions'].join(', ')}): ${type}`,
      endpoint: `[${[method, path, ...flags].map((part) => JSON.stringify(part)).join(', ')}]`,
    }
  }

  const components = () =>
    needed
      .filter((name) => isNamed(schemas[name] ?? {}) && rename(name) === name)
      .map((name) => declarationOf(name, schemas[name] ?? {}))

  return { callOf, components, own }
}

const interfaceOf = (resource: string, calls: readonly Call[], doc: string): string =>
  `${docOf(doc)}export interface ${upperFirst(resource)}Calls {\n${calls.map(({ signature }) => signature).join('\n\n')}\n}`

const head = `// Generated from the endpoint rows by \`npm run docs\` (scripts/client). Do not edit.
import type { DownloadedFile, FileInput } from './files.js'
import type { Page, Pages } from './pages.js'
import type { RequestOptions } from './transport.js'
`

/**
 * The TypeScript of the client's calls: what each takes and returns, as interfaces, and a table of the endpoints behind them. Rows that do
 * the same as another row are left out.
 */
export const clientSource = (document: Document): string => {
  const operations = operationsOf(document).filter(({ id }) => !duplicates.includes(id))
  const roots = operations.map(({ body, query, result }) => [body, query, result])
  const events = ['WebhookEvent', 'WebhookBatch'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const needed = neededBy([...roots, ...events], document.components.schemas)
  const { callOf, components, own } = generator(document, needed, namesOf(operations))
  const calls = operations.map(callOf)
  const resources = [...new Set(calls.map(({ name }) => name.resource))].map((resource) => {
    const those = calls.filter(({ name }) => name.resource === resource)
    const tag = document.tags.find(({ name }) => name === those[0]?.operation.tag)
    return { resource, those, doc: resourceDocs[resource] ?? tag?.description ?? '' }
  })
  return [
    head,
    `/** Every endpoint as \`resource.verb\`. */\nexport interface Api {\n${resources
      .map(({ resource, doc }) => `${docOf(doc)}readonly ${resource}: ${upperFirst(resource)}Calls`)
      .join('\n')}\n}`,
    ...resources.map(({ resource, those, doc }) => interfaceOf(resource, those, doc)),
    ...own.values(),
    ...components(),
    `/**
 * Method, path and what the call takes and returns. A path that does not begin with \`/v1\` is below the project. \`limit\`: the query has the
 * size of a page.
 */
export const endpoints = {\n${resources
      .map(
        ({ resource, those }) =>
          `${resource}: {\n${those.map(({ name, endpoint }) => `${keyOf(name.method)}: ${endpoint},`).join('\n')}\n},`,
      )
      .join('\n')}\n} as const`,
  ].join('\n\n')
}
