import { pathsOf, type Route } from '../route.js'
import { audienceExamples } from './audience.js'
import { emailExamples } from './emails.js'
import { type Example, exampleIds } from './example.js'
import { projectExamples } from './projects.js'

export { type Example, exampleIds, sampleToken } from './example.js'

const examples: ReadonlyMap<string, Example> = new Map(
  Object.entries({ ...emailExamples, ...audienceExamples, ...projectExamples }),
)

export const exampleOf = (id: string): Example | undefined => examples.get(id)

export const parametersOf = ({ id }: Pick<Route, 'id'>): Readonly<Record<string, string | number>> => {
  const { params = {}, query = {} } = exampleOf(id) ?? {}
  return { projectId: exampleIds.project, ...params, ...query }
}

export const exampleUrl = (row: Route, spelling = 0): string => {
  const samples = parametersOf(row)
  const path = (pathsOf(row)[spelling] ?? row.path).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(samples[name] ?? '')),
  )
  const query = Object.entries(exampleOf(row.id)?.query ?? {}).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  )
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}
