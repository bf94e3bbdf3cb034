import {
  BrowserAccessLevel,
  ProjectChanges,
  Reauthentication,
  RetentionView,
  uncheckedInput,
  WebhookEndpointChanges,
  WebhookEndpointFields,
  WebhookFields,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { browserAccessNeededFor, type ParamsOf, type Route, route } from '../route.js'
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
const ProvenWebhook = WebhookFields.extend(Reauthentication.shape)
const ProvenEndpoint = WebhookEndpointFields.extend(Reauthentication.shape)
const ProvenEndpointChanges = WebhookEndpointChanges.extend(Reauthentication.shape)

type OfConsole = Pick<Route, 'body' | 'run'>

const updateProject: OfConsole = {
  body: ProvenProjectChanges,
  run: async (core, { scope, visit, body }) => {
    const { password, ...changes } = uncheckedInput<z.input<typeof ProvenProjectChanges>>(body)
    if (await core.projects.givesLastingAccess(scope, changes)) await withProvenPassword(core, visit, { password })
    return core.projects.update(scope, changes)
  },
}

const setWebhook: OfConsole = {
  body: ProvenWebhook,
  run: async (core, { scope, visit, body }) =>
    core.webhooks.set(
      scope,
      await withProvenPassword(core, visit, uncheckedInput<z.input<typeof ProvenWebhook>>(body)),
    ),
}

const createWebhook: OfConsole = {
  body: ProvenEndpoint,
  run: async (core, { scope, visit, body }) =>
    core.webhooks.endpoints.create(
      scope,
      await withProvenPassword(core, visit, uncheckedInput<z.input<typeof ProvenEndpoint>>(body)),
    ),
}

const updateWebhook: OfConsole = {
  body: ProvenEndpointChanges,
  run: async (core, { scope, visit, params, body }) => {
    const { id } = params as ParamsOf<'{id}'>
    const { password, ...changes } = uncheckedInput<z.input<typeof ProvenEndpointChanges>>(body)
    const { url, secretKey } = changes
    if (secretKey !== undefined || (url !== undefined && url !== (await core.webhooks.endpoints.get(scope, id)).url))
      await withProvenPassword(core, visit, { password })
    return core.webhooks.endpoints.update(scope, id, changes)
  },
}

/**
 * What differs from the API, by the id of its row: what would give the thief of a session access, or people's data,
 * after it ends takes the password again (docs/security.md, "The password again").
 */
export const reauthenticatedRoutes: Readonly<Record<string, OfConsole>> = {
  ...{ updateProject, setWebhook, createWebhook, updateWebhook },
}
