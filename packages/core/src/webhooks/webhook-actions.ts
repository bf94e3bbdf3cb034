import { z } from 'zod'
import { type ListQuery, listRecordsPage } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { type InputRule, parsed } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import { blocked, ifRefused, notFound, unavailable } from '../kernel/refusal.js'
import { orNotFound, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { standaloneViolation, wrongFieldViolation } from '../kernel/violation.js'
import { batchPostOf, signedPost } from './event-posts.js'
import { ReplayEvents, type ReplayedEvents, webhookEventReplay } from './event-replay.js'
import type { EventPoster, WebhookRef } from './ports.js'
import type { EventAccountAndProject } from './targets.js'
import { type Webhook, type WebhookEventType, webhookEventTypes } from './webhook.js'
import {
  isPostAccepted,
  loggedEvent,
  postOutcomeText,
  type WebhookDelivery,
  type WebhookLogEntry,
  type WebhookLoggedEvent,
  WebhookLogView,
  webhookLogEntry,
} from './webhook-delivery.js'
import { sampleEvent, sampleEventSubscriberList, webhookEventOf } from './webhook-event.js'
import { disabledBy, type WebhookSecrets, type WebhookSigningSecret } from './webhook-secret.js'

export const TestWebhook = z.strictObject({
  type: z
    .enum([...webhookEventTypes, 'subscription'])
    .describe('The type of the sample event; `subscription` posts a `subscribe`'),
})
export type TestWebhook = z.input<typeof TestWebhook>

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook; webhookDeliveries: WebhookDelivery }>
  readonly webhookSecret: WebhookSecrets
  readonly ownersOf: (projectId: string) => Promise<EventAccountAndProject | undefined>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac'>
  readonly changed: (projectId: string) => void
}

const notPublic = 'expected a URL on the public internet: this server posts nothing to its own machine or network'

/** Also switches it on. */
export const reenabledWebhook = (webhook: Webhook): Webhook => without(webhook, 'failing', 'switchedOff')

export const webhookActions = (deps: Deps) => {
  const { repositories, webhookSecret, ownersOf, eventPoster, secrets, clock, newId, changed } = deps
  const { webhooks, webhookDeliveries } = repositories
  const replay = webhookEventReplay({ webhookDeliveries, clock })

  const sampleBody = async (projectId: string, type: WebhookEventType, at: string): Promise<string> => {
    const owners = await ownersOf(projectId)
    if (!owners) throw notFound('Project')
    const event = sampleEvent(type, { projectId, newId, at })
    return JSON.stringify(webhookEventOf(event, { ...owners, subscriberList: sampleEventSubscriberList(newId()) }))
  }

  const usableSecret = async (webhook: Webhook): Promise<WebhookSigningSecret> => {
    const secret = await webhookSecret.of(webhook)
    if (secret.disabled)
      throw blocked(
        `The webhook is switched off: ${secret.disabled.reason}. Please configure it with another secretKey.`,
      )
    return secret
  }

  return {
    fits:
      ({ projectId }: Scope): InputRule<Partial<Record<'url' | 'secretKey', string | null | undefined>>> =>
      async ({ url, secretKey }) => {
        const isRefused = typeof url === 'string' && eventPoster.refuses?.(url)
        const misplaced = isRefused ? [wrongFieldViolation('url', notPublic)] : []
        if (typeof secretKey !== 'string') return misplaced
        return webhookSecret.read(projectId, secretKey).then(
          () => misplaced,
          ifRefused(({ message }) => [...misplaced, standaloneViolation('secretKey', message)]),
        )
      },

    /**
     * Shows the secret only to programs with full access and to its holder: who had stolen a person's session could sign
     * posts after it ended. Callers without full access see only the host of the URL: path and query often contain a secret.
     */
    shown: async (webhook: Webhook, { apiKey, caller }: Scope) => {
      const secret = await webhookSecret.of(webhook)
      const isTheirs = secret.kind === 'api-key' && secret.apiKeyId === apiKey?._id
      const mayKnow = !apiKey || apiKey.scope === 'full' || isTheirs
      const disabled = disabledBy(webhook, secret)
      return {
        url: mayKnow ? webhook.url : new URL(webhook.url).origin,
        secretKey: mayKnow && caller !== 'person' ? secret.text : undefined,
        ...(disabled && { disabled }),
      }
    },

    /** @throws Refusal `invalid`, `blocked` if its key was revoked, `unavailable` unless the receiver responds with 2xx */
    test: async (stored: () => Promise<Webhook>, input: TestWebhook): Promise<{ success: true }> => {
      const { type } = parsed(TestWebhook, input)
      const webhook = await stored()
      const secret = await usableSecret(webhook)
      const at = clock()
      const body = await sampleBody(webhook.projectId, type === 'subscription' ? 'subscribe' : type, at.toISOString())
      const event = { _id: newId(), body }
      const post = webhook.batches ? batchPostOf([event], secrets) : { id: event._id, body }
      const outcome = await eventPoster.post(signedPost(webhook.url, { at, ...post }, secret, secrets))
      if (!isPostAccepted(outcome)) throw unavailable(`The webhook endpoint ${postOutcomeText(outcome)}.`)
      return { success: true }
    },

    /** @throws Refusal `blocked` if its key was revoked */
    enable: async (webhook: Webhook): Promise<Webhook> => {
      await usableSecret(webhook)
      const { _id, projectId } = webhook
      const enabled = (await webhooks.change({ _id, projectId }, reenabledWebhook)) ?? webhook
      changed(projectId)
      return enabled
    },

    /** Pending events are never posted. */
    dropPending: async ({ _id: webhookId, projectId }: Webhook): Promise<void> => {
      changed(projectId)
      await webhookDeliveries.removeAll({ projectId, webhookId, state: 'pending' })
    },

    /** Newest first. @throws Refusal `invalid` for an unknown field */
    log: async ({ projectId, webhookId }: WebhookRef, query: ListQuery): Promise<Page<WebhookLogEntry>> => {
      const { items, count } = await listRecordsPage(webhookDeliveries, { projectId, webhookId }, WebhookLogView, query)
      return { items: items.map(webhookLogEntry), count }
    },

    /** With the posted body. @throws Refusal `not-found` */
    logged: async ({ projectId, webhookId }: WebhookRef, id: string): Promise<WebhookLoggedEvent> =>
      loggedEvent(orNotFound(webhookDeliveries, await webhookDeliveries.get({ _id: id, projectId, webhookId }))),

    /**
     * Queues matching events of the log with the same ids; examines up to 10,000 per call.
     * @throws Refusal `invalid`, `blocked` if it is switched off
     */
    replay: async (stored: () => Promise<Webhook>, input: ReplayEvents): Promise<ReplayedEvents> => {
      const wish = parsed(ReplayEvents, input)
      const webhook = await stored()
      await usableSecret(webhook)
      const { _id: webhookId, projectId, switchedOff } = webhook
      if (switchedOff) throw blocked(`The webhook is switched off: ${switchedOff.reason}. Please switch it on first.`)
      return replay({ projectId, webhookId }, wish)
    },
  }
}
export type WebhookActions = ReturnType<typeof webhookActions>
