import { BrowserAccessLevel, RetentionView } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { browserAccessNeededFor, route } from '../route.js'
import { routes } from '../routes/index.js'

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
