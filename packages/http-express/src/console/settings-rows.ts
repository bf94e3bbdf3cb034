import {
  BrowserAccessLevel,
  ProjectChanges,
  Reauthentication,
  RetentionView,
  unparsed,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { browserAccessNeededFor, type Route, route } from '../route.js'
import { routes } from '../routes/index.js'
import { withProvenPassword } from '../visit.js'

const project = '/console/api/projectId/{projectId}' as const

const BrowserCall = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  needs: BrowserAccessLevel.exclude(['none']).meta({ description: 'The least browserAccess that opens it' }),
})

const calls = routes.flatMap((row) => {
  const needs = browserAccessNeededFor(row)
  return needs === undefined ? [] : [{ id: row.id, method: row.method, path: row.path, needs }]
})

export const settingsRoutes = [
  route('get', `${project}/browser-calls`, {
    id: 'listBrowserCalls',
    success: [200, z.object({ items: z.array(BrowserCall) })],
    run: async () => ({ items: calls }),
  }),
  route('get', `${project}/retention`, {
    id: 'getRetention',
    success: [200, RetentionView],
    run: async ({ retention }) => retention,
  }),
]

const ProvenProjectChanges = ProjectChanges.extend(Reauthentication.shape)

/** What differs from the API: with browser access, the thief of a session would keep access after it ends. */
export const updateProjectInConsole: Pick<Route, 'body' | 'run'> = {
  body: ProvenProjectChanges,
  run: async (core, { scope, visit, body }) => {
    const { password, ...changes } = unparsed<z.input<typeof ProvenProjectChanges>>(body)
    if (await core.projects.widensBrowserAccess(scope, changes)) await withProvenPassword(core, visit, { password })
    return core.projects.update(scope, changes)
  },
}
