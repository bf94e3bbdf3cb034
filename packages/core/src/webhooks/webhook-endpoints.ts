import { type ListQuery, listRecordsPage } from '../kernel/listing.js'
import { parsedBy, schemaViolationsOf } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../kernel/project-limits.js'
import { updated } from '../kernel/project-resource.js'
import { getOrNotFound, orNotFound, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { ReplayEvents, ReplayedEvents } from './event-replay.js'
import type { Webhook } from './webhook.js'
import { reenabledWebhook, type TestWebhook, type WebhookActions } from './webhook-actions.js'
import type { WebhookLogEntry, WebhookLoggedEvent } from './webhook-delivery.js'
import { WebhookEndpointChanges, WebhookEndpointFields, WebhookEndpointView } from './webhook-endpoint.js'
import { generatedWebhookSecret } from './webhook-secret.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook }>
  readonly actions: WebhookActions
  readonly secrets: Pick<Secrets, 'open' | 'random' | 'seal'>
  readonly changed: (projectId: string) => void
  readonly settings: { readonly limits: Pick<ProjectLimits, 'webhooks'> }
}

const byRequest = 'It was switched off by a request'

/** All webhooks of a project, with the specification's (gaps.md, "Webhook"). */
export const webhookEndpointUseCases = ({ repositories, actions, secrets, clock, newId, changed, settings }: Deps) => {
  const { webhooks } = repositories

  const stored = ({ projectId }: Scope, id: string): Promise<Webhook> => getOrNotFound(webhooks, { _id: id, projectId })

  const show = async (webhook: Webhook, scope: Scope): Promise<WebhookEndpointView> => {
    const { url, disabled } = await actions.shown(webhook, scope)
    const { secretKey: _, ...rest } = webhook
    return WebhookEndpointView.parse({ ...rest, url, enabled: disabled === undefined, ...(disabled && { disabled }) })
  }

  const showWithSecret = async (webhook: Webhook, scope: Scope): Promise<WebhookEndpointView> => ({
    ...(await show(webhook, scope)),
    secretKey: secrets.open(webhook.secretKey),
  })

  const switched = (webhook: Webhook, enabled: boolean | undefined, now: string): Webhook => {
    if (enabled === undefined || enabled === (webhook.switchedOff === undefined)) return webhook
    return enabled ? reenabledWebhook(webhook) : { ...webhook, switchedOff: { reason: byRequest, since: now } }
  }

  return {
    violations: {
      create: (scope: Scope, input: unknown) => schemaViolationsOf(WebhookEndpointFields, input, actions.fits(scope)),
      update: (scope: Scope, _id: string, input: unknown) =>
        schemaViolationsOf(WebhookEndpointChanges, input, actions.fits(scope)),
    },

    /** @throws Refusal `invalid` for an unknown field */
    list: async (scope: Scope, query: ListQuery): Promise<Page<WebhookEndpointView>> => {
      const { items, count } = await listRecordsPage(
        webhooks,
        { projectId: scope.projectId },
        WebhookEndpointView,
        query,
      )
      return { items: await Promise.all(items.map((one) => show(one, scope))), count }
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<WebhookEndpointView> => show(await stored(scope, id), scope),

    /** With its secret, which is not shown again. @throws Refusal `invalid` */
    create: async (scope: Scope, input: WebhookEndpointFields): Promise<WebhookEndpointView> => {
      const { projectId, requestId } = scope
      const { secretKey, enabled, ...fields } = await parsedBy(WebhookEndpointFields, input, actions.fits(scope))
      const now = clock().toISOString()
      const webhook: Webhook = {
        _id: requestId ?? newId(),
        projectId,
        ...fields,
        secretKey: secrets.seal(secretKey ?? generatedWebhookSecret(secrets)),
        ...stamps(now),
      }
      const made = switched(webhook, enabled, now)
      await webhooks
        .add(made, projectRecordLimit(projectId, settings.limits.webhooks))
        .catch(refuseIfLimitReached('webhooks'))
      changed(projectId)
      return showWithSecret(made, scope)
    },

    /** What an earlier attempt of the request created. */
    made: async (scope: Scope): Promise<WebhookEndpointView | undefined> => {
      const { projectId, requestId } = scope
      const webhook = requestId && (await webhooks.get({ _id: requestId, projectId }))
      return webhook ? showWithSecret(webhook, scope) : undefined
    },

    /** With its secret if that changes. Events that no longer fit are not posted. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: WebhookEndpointChanges): Promise<WebhookEndpointView> => {
      const { projectId } = scope
      const { secretKey, enabled, ...fields } = await parsedBy(WebhookEndpointChanges, input, actions.fits(scope))
      const now = clock().toISOString()
      const isNewSecret = secretKey !== undefined
      const sealed = isNewSecret ? { secretKey: secrets.seal(secretKey ?? generatedWebhookSecret(secrets)) } : {}
      const changes = { ...fields, ...sealed }
      const webhook = await webhooks.change({ _id: id, projectId }, (current) => {
        const after = updated(switched(current, enabled, now), changes, now)
        return after === current ? current : { ...after, updatedAt: now }
      })
      changed(projectId)
      const after = orNotFound(webhooks, webhook)
      return isNewSecret ? showWithSecret(after, scope) : show(after, scope)
    },

    /** Pending events are never posted. @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<WebhookEndpointView> => {
      const removed = orNotFound(webhooks, await webhooks.remove({ _id: id, projectId: scope.projectId }))
      await actions.dropPending(removed)
      return show(removed, scope)
    },

    /** @throws Refusal `invalid`, `not-found`, `blocked` if its key was revoked, `unavailable` unless the receiver responds with 2xx */
    test: async (scope: Scope, id: string, input: TestWebhook): Promise<{ success: true }> =>
      actions.test(() => stored(scope, id), input),

    /** Newest first. @throws Refusal `invalid`, `not-found` */
    log: async (scope: Scope, id: string, query: ListQuery): Promise<Page<WebhookLogEntry>> => {
      const page = await actions.log({ projectId: scope.projectId, webhookId: id }, query)
      await stored(scope, id)
      return page
    },

    /** @throws Refusal `not-found` */
    logged: async (scope: Scope, id: string, event: string): Promise<WebhookLoggedEvent> => {
      const { _id: webhookId, projectId } = await stored(scope, id)
      return actions.logged({ projectId, webhookId }, event)
    },

    /** @throws Refusal `invalid`, `not-found`, `blocked` if it is switched off */
    replay: async (scope: Scope, id: string, input: ReplayEvents): Promise<ReplayedEvents> =>
      actions.replay(() => stored(scope, id), input),
  }
}
