import { Success, TestWebhook, WebhookFields, WebhookView } from '@posthorn/core/ports'
import { route } from '../route.js'

const path = '/v1/projectId/{projectId}/webhook'

export const webhookRoutes = [
  route({
    id: 'getWebhook',
    summary: 'Where the project’s events are posted to; null where no webhook is configured',
    method: 'get',
    path,
    auth: 'api-key',
    keys: ['read', 'webhook'],
    success: [200, WebhookView.nullable()],
    fails: ['forbidden'],
    run: (core, { scope }) => core.webhooks.get(scope),
  }),
  route({
    id: 'setWebhook',
    summary: 'Configure the webhook: creates it, or replaces it whole',
    method: 'patch',
    path,
    auth: 'api-key',
    body: WebhookFields,
    alsoWrong: (core, { scope, body }) => core.webhooks.violations(scope, body),
    success: [200, WebhookView],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.webhooks.set(scope, body),
  }),
  route({
    id: 'deleteWebhook',
    summary: 'Remove the webhook; what still waits is not posted',
    method: 'delete',
    path,
    auth: 'api-key',
    success: [200, WebhookView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope }) => core.webhooks.remove(scope),
  }),
  route({
    id: 'testWebhook',
    summary: 'Post a synthetic event to the webhook, signed as real ones are',
    method: 'get',
    path: '/v1/projectId/{projectId}/test-webhook',
    auth: 'api-key',
    keys: [],
    query: TestWebhook,
    success: [200, Success],
    fails: ['invalid', 'forbidden', 'blocked', 'unavailable'],
    run: (core, { scope, query }) => core.webhooks.test(scope, query),
  }),
]
