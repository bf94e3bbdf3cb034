import { pathsOfRoute, type Route } from '../route.js'
import { audienceRouteExamples } from './audience.js'
import { emailExamples } from './emails.js'
import { type Example, exampleIds } from './example.js'
import { projectExamples } from './projects.js'

export { type Example, exampleIds, exampleUnsubscribeToken } from './example.js'

const examples: ReadonlyMap<string, Example> = new Map(
  Object.entries({ ...emailExamples, ...audienceRouteExamples, ...projectExamples }),
)

export const exampleOfOperation = (id: string): Example | undefined => examples.get(id)

export const exampleParametersOf = ({ id }: Pick<Route, 'id'>): Readonly<Record<string, string | number>> => {
  const { params = {}, query = {} } = exampleOfOperation(id) ?? {}
  return { projectId: exampleIds.project, ...params, ...query }
}

export const exampleUrlOf = (row: Route, spelling = 0): string => {
  const samples = exampleParametersOf(row)
  const path = (pathsOfRoute(row)[spelling] ?? row.path).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(samples[name] ?? '')),
  )
  const query = Object.entries(exampleOfOperation(row.id)?.query ?? {}).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  )
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}
