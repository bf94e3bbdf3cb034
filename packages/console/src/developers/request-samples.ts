import type { ApiDescription, Operation } from './description.js'
import { schemaOf } from './description.js'

/** Samples read the key from the environment: keys do not belong in programs. */
const keyName = 'POSTHORN_KEY'

type Called = {
  readonly description: ApiDescription
  readonly operation: Operation
  readonly baseUrl: string
  readonly projectId: string
}

/** Of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const urlOf = ({ description, operation, baseUrl, projectId }: Called): string => {
  const partOf = (name: string): string => {
    if (name === 'projectId') return projectId
    const parameter = operation.parameters?.find((one) => one.in === 'path' && one.name === name)
    const example = parameter?.example ?? (parameter && schemaOf(description, parameter.schema).example)
    return typeof example === 'string' || typeof example === 'number' ? `${example}` : `{${name}}`
  }
  return baseUrl + operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(partOf(name)))
}

const bodyOf = ({ requestBody }: Operation): unknown => requestBody?.content['application/json']?.example

const isWithKey = ({ security = [] }: Operation) => security.some((way) => 'apiKey' in way)

const indented = (text: string) => text.replaceAll('\n', '\n  ')

export const requestSamples = {
  curl: (called: Called): string => {
    const { operation } = called
    const body = bodyOf(operation)
    const lines = [
      `curl --fail-with-body${operation.method === 'get' ? '' : ` --request ${operation.method.toUpperCase()}`} ${quoted(urlOf(called))}`,
      ...(isWithKey(operation) ? [`--header "Authorization: Bearer $${keyName}"`] : []),
      ...(body === undefined
        ? []
        : [`--header 'Content-Type: application/json'`, `--data ${quoted(JSON.stringify(body, null, 2))}`]),
    ]
    return `${lines.join(' \\\n  ')}\n`
  },
  typescript: (called: Called): string => {
    const { operation } = called
    const body = bodyOf(operation)
    const headers = [
      ...(isWithKey(operation) ? [`    Authorization: \`Bearer \${process.env.${keyName}}\`,`] : []),
      ...(body === undefined ? [] : [`    'Content-Type': 'application/json',`]),
    ]
    const options = [
      `  method: '${operation.method.toUpperCase()}',`,
      ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
      ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
    ]
    return `const response = await fetch(${JSON.stringify(urlOf(called))}, {\n${options.join('\n')}\n})\nconst { result, error } = await response.json()\n`
  },
} as const
