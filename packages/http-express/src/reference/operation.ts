import { type Html, html } from '@posthorn/core/ports/transport'
import { exampleOfOperation } from '../examples/index.js'
import { browserAccessNeededFor, type Route, routeScopesBesidesFull } from '../route.js'
import { type CodeLanguage, codeLanguages, codeWithMarkedSamples, routeExampleCode } from './code.js'
import { prose, type Schema, schemaFieldsHtml, schemaTypeHtml } from './schema.js'

type Parameter = {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export type OpenApiOperation = {
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content; readonly $ref?: string }>
  >
}

export type Schemas = Readonly<Record<string, Schema>>

const who: Readonly<Record<Route['auth'], (row: Route) => string>> = {
  'api-key': (row) =>
    `An API key with the scope ${['full', ...routeScopesBesidesFull(row)].map((scope) => `\`${scope}\``).join(' or ')}`,
  'api-key-or-origin': (row) => `${who['api-key'](row)}; also pages of a whitelisted Origin`,
  'api-key-or-jwt': (row) => `${who['api-key'](row)}; also tokens of operators`,
  origin: () => 'Pages of a whitelisted Origin',
  token: () => 'Anybody with the signed token',
  person: () => 'a person of the console',
  operator: () => 'a person of the console',
  console: () => 'the console',
  none: () => 'Anybody',
}

const callers = (row: Route): string =>
  [
    who[row.auth](row),
    ...(browserAccessNeededFor(row) === 'subscribe-only' ? ['also if `browserAccess` is `subscribe-only`'] : []),
    ...(row.preferences ? ['the token of a preferences link, for its own address'] : []),
  ].join('; ')

const parametersOf = (title: string, parameters: readonly Parameter[]): Html | false =>
  parameters.length > 0 &&
  html`<h4>${title}</h4>${schemaFieldsHtml({
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  })}`

const filterPrefix = 'filter['

/** All filters work alike, so one sentence explains them. */
const filtersOf = (parameters: readonly Parameter[]): Html | false =>
  parameters.length > 0 &&
  html`<h4>Filters</h4><p class="soft">Items whose field equals the value, or contains it if it is a list. Several filters are combined by AND.</p>${schemaFieldsHtml(
    {
      properties: Object.fromEntries(
        parameters.map(({ name, schema: { description: _said, ...schema } }) => [name, schema]),
      ),
    },
  )}`

const resolved = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref ? (schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? schema) : schema

const bodyOf = ({ requestBody }: OpenApiOperation, schemas: Schemas): Html | undefined => {
  const [media] = Object.entries(requestBody?.content ?? {})
  if (!media) return undefined
  const [type, { schema }] = media
  return html`<h4>Body${type !== 'application/json' && html` <span class="type">${type}</span>`}</h4>${schemaFieldsHtml(resolved(schema, schemas))}`
}

const resultOf = (content: Content = {}): Html => {
  const [media] = Object.entries(content)
  if (!media) return html``
  const [type, { schema }] = media
  if (type !== 'application/json') return html`a file, <code>${type}</code>`
  const result = schema.properties?.result ?? {}
  const items = result.properties?.items
  return items ? html`${schemaTypeHtml(items)}, with <code>count</code> and <code>next</code>` : schemaTypeHtml(result)
}

const answersOf = ({ responses }: OpenApiOperation): Html => {
  const [first] = Object.entries(responses)
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return html`<h4>Responses</h4><p><code class="ok">${first?.[0]}</code> ${resultOf(first?.[1].content)}</p>
<p class="refusals">${refusals.map(
    ([status, { $ref = '' }]) =>
      html`<a href="#errors"><code>${status}</code> ${$ref.slice($ref.lastIndexOf('/') + 1)}</a> `,
  )}</p>`
}

const samplesOf = (row: Route, base: string): Html =>
  html`<div class="samples">${(Object.keys(codeLanguages) as CodeLanguage[]).map(
    (language) =>
      html`<figure class="code" data-language="${language}"><figcaption>${codeLanguages[language]}</figcaption><pre tabindex="0" aria-label="${codeLanguages[language]}: ${row.summary}"><code>${codeWithMarkedSamples(
        routeExampleCode[language](row, base),
        base,
      )}</code></pre></figure>`,
  )}<div class="try"></div></div>`

const olderPaths = ({ alsoAt = [] }: Route): Html | false =>
  alsoAt.length > 0 && html`<p class="soft">Also at ${alsoAt.map((path) => html`<code>${path}</code> `)}</p>`

export const operationSection = (row: Route, operation: OpenApiOperation, schemas: Schemas, base: string): Html => {
  const { parameters = [] } = operation
  const query = parameters.filter((one) => one.in === 'query')
  const makes = exampleOfOperation(row.id)?.makes
  return html`<article id="${row.id}" data-method="${row.method}" data-path="${row.path}"${makes ? html` data-makes="${makes}"` : ''}>
<div class="about"><h3><a href="#${row.id}">${row.summary}</a></h3>
<p class="route"><span class="method ${row.method}">${row.method.toUpperCase()}</span> <code>${row.path.split('/').map((part, n) => html`${n > 0 && html`/<wbr>`}${part}`)}</code></p>
<p>${prose(exampleOfOperation(row.id)?.description ?? operation.description)}</p>
${olderPaths(row)}<p class="soft">${prose(callers(row))}.</p>
${parametersOf(
  'Path',
  parameters.filter((one) => one.in === 'path' && one.name !== 'projectId'),
)}${parametersOf(
  'Query',
  query.filter(({ name }) => !name.startsWith(filterPrefix)),
)}${filtersOf(query.filter(({ name }) => name.startsWith(filterPrefix)))}${bodyOf(operation, schemas)}${answersOf(operation)}</div>
${samplesOf(row, base)}
</article>
`
}
