import type { Stage } from './scene.js'

type Operation = { readonly requestBody?: unknown }
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** Every path and method that the server describes. */
export const operations = async ({ client }: Stage) => {
  const { text } = await client.ask('GET', '/v1/openapi.json')
  const { paths } = JSON.parse(text) as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'patch', 'delete'].includes(method))
      .map((method) => ({ path, method: method.toUpperCase() })),
  )
}
