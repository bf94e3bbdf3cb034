import type { Core, Scope } from '@posthorn/core'
import { forbidden } from '@posthorn/core/ports/runtime'
import {
  QueuedTestEmail,
  RenderedPreview,
  RenderPreview,
  SendAnswer,
  SendTransactional,
  SendTriggered,
  TestEmail,
} from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const fails = ['invalid', 'forbidden', 'not-found', 'blocked'] as const

const idIn = (body: unknown, key: string): string => {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' ? value : ''
}

/** Legacy paths name no project: the key's counts. */
const assertSame = (project: string | undefined, ofKey: string) => {
  if (project !== undefined && project !== ofKey) throw forbidden()
}

const ofSends = {
  method: 'post',
  auth: 'api-key',
  keys: ['send'],
  fails,
  made: (core: Core, { scope }: { readonly scope: Scope }) => core.sends.made(scope),
} as const
const transactional = {
  ...ofSends,
  body: SendTransactional,
  withAttachments: true,
  success: [200, SendAnswer],
} as const
const triggered = { ...transactional, body: SendTriggered } as const

export const sendingRoutes = [
  route({
    ...transactional,
    id: 'sendTransactional',
    summary: 'Send a transactional email',
    path: '/v1/projectId/{projectId}/send-transactional',
    run: (core, { scope, body }) => core.sends.transactional(scope, body),
  }),
  route({
    ...triggered,
    id: 'sendTriggered',
    summary: 'Send a triggered email',
    path: '/v1/projectId/{projectId}/send-triggered',
    run: (core, { scope, body }) => core.sends.triggered(scope, body),
  }),
  route({
    ...transactional,
    id: 'sendTransactionalByEmail',
    summary: 'Send a transactional email (legacy path)',
    path: '/v1/send-transactional',
    run: async (core, { scope, body }) => {
      assertSame(await core.sends.projectOfTransactional(idIn(body, 'transactionalId')), scope.projectId)
      return core.sends.transactional(scope, body)
    },
  }),
  route({
    ...triggered,
    id: 'sendTriggeredByEmail',
    summary: 'Send a triggered email (legacy path)',
    path: '/v1/send-triggered',
    run: async (core, { scope, body }) => {
      assertSame(await core.sends.projectOfTriggered(idIn(body, 'triggeredId')), scope.projectId)
      return core.sends.triggered(scope, body)
    },
  }),
  route({
    ...ofSends,
    id: 'sendTestEmail',
    summary: 'Send a test email',
    path: '/v1/projectId/{projectId}/test-email/{id}',
    body: TestEmail,
    success: [200, QueuedTestEmail],
    run: (core, { scope, params, body }) => core.sends.test(scope, params.id, body),
  }),
  route({
    id: 'renderPreview',
    summary: 'Render a preview',
    method: 'post',
    path: '/v1/projectId/{projectId}/render-preview/{id}',
    auth: 'api-key',
    keys: ['send'],
    body: RenderPreview,
    success: [200, RenderedPreview],
    fails,
    weight: () => 5,
    run: (core, { scope, params, body }) => core.sends.preview(scope, params.id, body),
  }),
]
