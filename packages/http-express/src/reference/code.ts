import { Html, html } from '@posthorn/core/ports/transport'
import { exampleIds, exampleOfOperation, exampleUrlOf } from '../examples/index.js'
import { downloadTypesOf } from '../response.js'
import type { Route } from '../route.js'

export const codeLanguages = { curl: 'curl', typescript: 'TypeScript' } as const
export type CodeLanguage = keyof typeof codeLanguages

const needsKey = ({ auth }: Route) => auth.startsWith('api-key')

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const fileOf = ({ id }: Route) => exampleOfOperation(id)?.file ?? { name: 'logo.png', type: 'image/png' }

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const curlBody = (row: Route): readonly string[] => {
  const { upload } = row
  const body = exampleOfOperation(row.id)?.body
  if (upload)
    return [
      `-F ${quoted(`${upload.part}=@${fileOf(row).name}`)}`,
      ...Object.entries(body ?? {}).map(([name, value]) => `-F ${quoted(`${name}=${textOf(value)}`)}`),
    ]
  return body === undefined
    ? []
    : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]
}

/** Without `-g`, curl takes brackets for a range. */
const curlStart = (row: Route, base: string): string => {
  const url = `${base}${exampleUrlOf(row)}`
  const method = row.method === 'get' || (row.method === 'post' && row.body) ? '' : ` -X ${row.method.toUpperCase()}`
  return `curl -s${url.includes('[') ? 'g' : ''}${method} ${quoted(url)}`
}

const curlOf = (row: Route, base: string): string =>
  [
    curlStart(row, base),
    ...(needsKey(row) ? [`-H "Authorization: Bearer $KEY"`] : []),
    ...Object.entries(exampleOfOperation(row.id)?.headers ?? {}).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...curlBody(row),
  ].join(' \\\n  ')

const formLines = (row: Route): readonly string[] => {
  const { id, upload } = row
  const { name: file, type } = fileOf(row)
  return upload
    ? [
        `const { openAsBlob } = await import('node:fs')`,
        'const form = new FormData()',
        `form.append('${upload.part}', await openAsBlob('${file}', { type: '${type}' }), '${file}')`,
        ...Object.entries(exampleOfOperation(id)?.body ?? {}).map(
          ([name, value]) => `form.append('${name}', '${textOf(value)}')`,
        ),
      ]
    : []
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')

const fetchOptions = (row: Route): readonly string[] => {
  const { body, headers = {} } = exampleOfOperation(row.id) ?? {}
  const sent = [
    ...(needsKey(row) ? [`    Authorization: \`Bearer \${process.env.KEY}\`,`] : []),
    ...Object.entries(headers).map(([name, value]) => `    ${name}: '${value}',`),
    ...(body && !row.upload ? [`    'Content-Type': 'application/json',`] : []),
  ]
  return [
    ...(row.method === 'get' ? [] : [`  method: '${row.method.toUpperCase()}',`]),
    ...(sent.length === 0 ? [] : ['  headers: {', ...sent, '  },']),
    ...(row.upload ? ['  body: form,'] : []),
    ...(body && !row.upload ? [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`] : []),
  ]
}

const typescriptOf = (row: Route, base: string): string => {
  const options = fetchOptions(row)
  const url = `'${base}${exampleUrlOf(row)}'`
  return [
    ...formLines(row),
    ...(options.length === 0
      ? [`const response = await fetch(${url})`]
      : [`const response = await fetch(${url}, {`, ...options, '})']),
    downloadTypesOf(row.success[1]).length > 0
      ? 'const file = await response.text()'
      : 'const { result, error } = await response.json()',
  ].join('\n')
}

/** The environment variable `KEY` holds an API key. */
export const routeExampleCode: Readonly<Record<CodeLanguage, (row: Route, base: string) => string>> = {
  curl: curlOf,
  typescript: typescriptOf,
}

const samples = new Set<string>(Object.values(exampleIds))

/** The page replaces sample ids and the server's URL. */
export const codeWithMarkedSamples = (code: string, base: string): Html => {
  const parts = code.split(/([0-9a-f]{24})/)
  const marked = parts.map((part) => {
    if (samples.has(part)) return html`<var data-sample="${part}">${part}</var>`
    const [before = '', ...after] = part.split(base)
    return html`${before}${after.map((rest) => html`<span data-base>${base}</span>${rest}`)}`
  })
  return new Html(marked.map(({ text }) => text).join(''))
}
