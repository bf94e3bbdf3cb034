import type { Core, RefusalKind, Scope } from '@posthorn/core'
import { forbidden } from '@posthorn/core/ports/runtime'
import {
  BatchAnswer,
  CancelAnswer,
  DirectSend,
  DirectSendAnswer,
  QueuedTestEmail,
  RenderedPreview,
  RenderPreview,
  SendAnswer,
  SendBatch,
  SendTransactional,
  SendTriggered,
  TestEmail,
} from '@posthorn/core/ports/transport'
import { httpErrorsByKind } from '../errors.js'
import { route } from '../route.js'

const idIn = (body: unknown, key: string): string => {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' ? value : ''
}

/** Legacy paths name no project: the key's counts. */
const assertSame = (project: string | undefined, ofKey: string) => {
  if (project !== undefined && project !== ofKey) throw forbidden()
}

const ofSends = {
  keys: ['send'],
  fails: ['blocked'],
  made: (core: Core, { scope }: { readonly scope: Scope }) => core.sends.made(scope),
} as const
const transactional = {
  ...ofSends,
  body: SendTransactional,
  fails: ['not-found', 'blocked'],
  withAttachments: true,
  success: [200, SendAnswer],
} as const
const triggered = { ...transactional, body: SendTriggered } as const

/** The error's name as in a response. */
const named = (result: BatchAnswer['results'][number]) => {
  const { error } = result
  return error ? { ...result, error: { ...error, name: httpErrorsByKind[error.name as RefusalKind].name } } : result
}

/** Addresses of a send that count as one request: a full one counts as much as a batch. */
const addressesPerRequest = 10

export const sendingRoutes = [
  route('post', '/v1/projectId/{projectId}/send', {
    id: 'sendMail',
    permission: 'emails.send',
    summary: 'Send an email without storing it',
    keys: ['send'],
    body: DirectSend,
    withAttachments: true,
    bodyWeight: ({ to }) => (Array.isArray(to) ? Math.ceil(to.length / addressesPerRequest) : 1),
    success: [200, DirectSendAnswer],
    fails: ['not-found', 'blocked'],
    run: (core, { scope, body }) => core.sends.direct(scope, body),
    made: (core, { scope }) => core.sends.directMade(scope),
  }),
  route('post', '/v1/projectId/{projectId}/send/{dispatchId}/cancel', {
    id: 'cancelSend',
    permission: 'emails.send',
    summary: 'Cancel a send',
    keys: ['send'],
    success: [200, CancelAnswer],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.sends.cancel(scope, params.dispatchId),
  }),
  route('post', '/v1/projectId/{projectId}/send-transactional', {
    ...transactional,
    id: 'sendTransactional',
    permission: 'emails.send',
    summary: 'Send a transactional email',
    run: (core, { scope, body }) => core.sends.transactional(scope, body),
  }),
  route('post', '/v1/projectId/{projectId}/send-transactional/batch', {
    id: 'sendBatch',
    permission: 'emails.send',
    summary: 'Send transactional emails in a batch',
    keys: ['send'],
    body: SendBatch,
    withAttachments: true,
    success: [200, BatchAnswer],
    weight: () => 5,
    run: async (core, { scope, body }) => {
      const { results, ...answer } = await core.sends.batch(scope, body)
      return { ...answer, results: results.map(named) }
    },
  }),
  route('post', '/v1/projectId/{projectId}/send-triggered', {
    ...triggered,
    id: 'sendTriggered',
    permission: 'emails.send',
    summary: 'Send a triggered email',
    run: (core, { scope, body }) => core.sends.triggered(scope, body),
  }),
  route('post', '/v1/send-transactional', {
    ...transactional,
    id: 'sendTransactionalByEmail',
    summary: 'Send a transactional email (legacy path)',
    run: async (core, { scope, body }) => {
      assertSame(await core.sends.projectOfTransactional(idIn(body, 'transactionalId')), scope.projectId)
      return core.sends.transactional(scope, body)
    },
  }),
  route('post', '/v1/send-triggered', {
    ...triggered,
    id: 'sendTriggeredByEmail',
    summary: 'Send a triggered email (legacy path)',
    run: async (core, { scope, body }) => {
      assertSame(await core.sends.projectOfTriggered(idIn(body, 'triggeredId')), scope.projectId)
      return core.sends.triggered(scope, body)
    },
  }),
  route('post', '/v1/projectId/{projectId}/test-email/{id}', {
    ...ofSends,
    id: 'sendTestEmail',
    permission: 'emails.test',
    body: TestEmail,
    success: [200, QueuedTestEmail],
    run: (core, { scope, params, body }) => core.sends.test(scope, params.id, body),
  }),
  route('post', '/v1/projectId/{projectId}/render-preview/{id}', {
    id: 'renderPreview',
    permission: 'addresses.read',
    keys: ['send'],
    body: RenderPreview,
    success: [200, RenderedPreview],
    fails: ['blocked'],
    weight: () => 5,
    run: (core, { scope, params, body }) => core.sends.preview(scope, params.id, body),
  }),
]
