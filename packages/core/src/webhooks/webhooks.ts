import { z } from 'zod'
import type { ApiKey } from '../access/access.js'
import type { Account } from '../accounts/account.js'
import { type ListQueryFields, listPage } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed, parsedBy, type Rule, violationsBy } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { blocked, notFound, Refusal, unavailable } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { found, KeyTaken, type Page } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { standingAlone } from '../kernel/violation.js'
import type { Project } from '../projects/project.js'
import { ownersIn } from './event-outbox.js'
import { batchOf, signedPost } from './event-posts.js'
import { ReplayEvents, type ReplayedEvents, replaying } from './event-replay.js'
import type { EventPoster } from './ports.js'
import { type Webhook, type WebhookEventType, WebhookFields, WebhookView, webhookEventTypes } from './webhook.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import {
  isAccepted,
  logEntry,
  loggedEvent,
  outcomeText,
  type WebhookLogEntry,
  type WebhookLoggedEvent,
  WebhookLogView,
} from './webhook-delivery.js'
import { sampleEvent, sampleList, webhookEventOf } from './webhook-event.js'
import { disabledBy, webhookSecrets } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    apiKeys: ApiKey
    projects: Project
    webhooks: Webhook
    webhookDeliveries: WebhookDelivery
  }>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open' | 'seal'>
  readonly clock: Clock
  readonly newId: NewId
  readonly changed: (projectId: string) => void
}

export const TestWebhook = z.strictObject({
  type: z
    .enum([...webhookEventTypes, 'subscription'])
    .meta({ description: 'The type of the sample event; `subscription` posts a `subscribe`' }),
})
export type TestWebhook = z.input<typeof TestWebhook>

/** Spec, "Webhook": one per project. */
export const webhookUseCases = ({ repositories, eventPoster, secrets, clock, newId, changed }: Deps) => {
  const { webhooks, webhookDeliveries } = repositories
  const ownersOf = ownersIn(repositories)
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const replay = replaying({ webhookDeliveries, clock })

  /**
   * Only callers with full access and the holder of the secret see it. Others see only the host of the URL, because
   * its path and query often contain a secret.
   */
  const show = async (webhook: Webhook, { apiKey }: Scope): Promise<WebhookView> => {
    const secret = await webhookSecret.of(webhook)
    const isTheirs = secret.kind === 'api-key' && secret.apiKeyId === apiKey?._id
    const mayKnow = !apiKey || apiKey.scope === 'full' || isTheirs
    const { secretKey: _, url, ...rest } = webhook
    const disabled = disabledBy(webhook, secret)
    return WebhookView.parse({
      ...rest,
      url: mayKnow ? url : new URL(url).origin,
      ...(mayKnow && { secretKey: secret.text }),
      ...(disabled && { disabled }),
    })
  }

  const sampleBody = async (projectId: string, type: WebhookEventType, at: string): Promise<string> => {
    const owners = await ownersOf(projectId)
    if (!owners) throw notFound('Project')
    const event = sampleEvent(type, { projectId, newId, at })
    return JSON.stringify(webhookEventOf(event, { ...owners, subscriberList: sampleList(newId()) }))
  }

  /** Also switches it on. */
  const afresh = (webhook: Webhook): Webhook => without(webhook, 'failing', 'switchedOff') as Webhook

  /** @throws Refusal `blocked` if no webhook is configured, or its key was revoked */
  const usable = async (projectId: string) => {
    const webhook = await webhooks.get({ projectId })
    if (!webhook) throw blocked('No webhook is configured.')
    const secret = await webhookSecret.of(webhook)
    if (secret.disabled)
      throw blocked(
        `The webhook is switched off: ${secret.disabled.reason}. Please configure it with another secretKey.`,
      )
    return { webhook, secret }
  }

  const secretFits =
    ({ projectId }: Scope): Rule<z.output<typeof WebhookFields>> =>
    async ({ secretKey }) => {
      try {
        if (secretKey !== undefined) await webhookSecret.read(projectId, secretKey)
        return []
      } catch (error) {
        if (error instanceof Refusal) return [standingAlone('secretKey', error.message)]
        throw error
      }
    }

  return {
    /** Has no side effects. */
    violations: (scope: Scope, input: unknown) => violationsBy(WebhookFields, input, secretFits(scope)),

    /** Null without a webhook. */
    get: async (scope: Scope): Promise<WebhookView | null> => {
      const webhook = await webhooks.get({ projectId: scope.projectId })
      return webhook ? show(webhook, scope) : null
    },

    /** Replaces all: an omitted switch is off. @throws Refusal `invalid` */
    set: async (scope: Scope, input: WebhookFields): Promise<WebhookView> => {
      const { projectId } = scope
      const fields = await parsedBy(WebhookFields, input, secretFits(scope))
      const now = clock().toISOString()
      const written = { ...fields, secretKey: secrets.seal(fields.secretKey), updatedAt: now }
      const replace = () => webhooks.change({ projectId }, (current) => ({ ...afresh(current), ...written }))
      const webhook: Webhook = { _id: newId(), projectId, ...written, createdAt: now }
      if (!(await replace()))
        await webhooks.add(webhook).catch((error) => {
          if (error instanceof KeyTaken) return replace()
          throw error
        })
      changed(projectId)
      return show(webhook, scope)
    },

    /** Pending events are never posted. @throws Refusal `not-found` */
    remove: async (scope: Scope): Promise<WebhookView> => {
      const { projectId } = scope
      const removed = found(webhooks, await webhooks.remove({ projectId }))
      changed(projectId)
      await webhookDeliveries.removeAll({ projectId, state: 'pending' })
      return show(removed, scope)
    },

    /**
     * @throws Refusal `invalid`, `blocked` if none is configured or it is switched off, `unavailable` unless the
     * receiver responds with 2xx
     */
    test: async ({ projectId }: Scope, input: TestWebhook): Promise<{ success: true }> => {
      const { type } = parsed(TestWebhook, input)
      const { webhook, secret } = await usable(projectId)
      const at = clock()
      const body = await sampleBody(projectId, type === 'subscription' ? 'subscribe' : type, at.toISOString())
      const event = { _id: newId(), body }
      const post = webhook.batches ? batchOf([event], secrets) : { id: event._id, body }
      const outcome = await eventPoster.post(signedPost(webhook.url, { at, ...post }, secret, secrets))
      if (!isAccepted(outcome)) throw unavailable(`The webhook endpoint ${outcomeText(outcome)}.`)
      return { success: true }
    },

    /** @throws Refusal `blocked` if none is configured, or its key was revoked */
    enable: async (scope: Scope): Promise<WebhookView> => {
      const { projectId } = scope
      const { webhook } = await usable(projectId)
      const enabled = (await webhooks.change({ _id: webhook._id, projectId }, afresh)) ?? webhook
      changed(projectId)
      return show(enabled, scope)
    },

    /** Newest first. @throws Refusal `invalid` for an unknown field */
    log: async ({ projectId }: Scope, query: z.output<typeof ListQueryFields>): Promise<Page<WebhookLogEntry>> => {
      const { items, count } = await listPage(webhookDeliveries, { projectId }, WebhookLogView, query)
      return { items: items.map(logEntry), count }
    },

    /** With the posted body. @throws Refusal `not-found` */
    logged: async ({ projectId }: Scope, id: string): Promise<WebhookLoggedEvent> =>
      loggedEvent(found(webhookDeliveries, await webhookDeliveries.get({ _id: id, projectId }))),

    /**
     * Queues matching events of the log with the same ids; examines up to 10,000 per call.
     * @throws Refusal `invalid`, `blocked` if none is configured or it is switched off
     */
    replay: async ({ projectId }: Scope, input: ReplayEvents): Promise<ReplayedEvents> => {
      const wish = parsed(ReplayEvents, input)
      const { webhook } = await usable(projectId)
      if (webhook.switchedOff)
        throw blocked(`The webhook is switched off: ${webhook.switchedOff.reason}. Please switch it on first.`)
      return replay(projectId, wish)
    },
  }
}
