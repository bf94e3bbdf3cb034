import { z } from 'zod'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { blocked, invalid, notFound, unavailable } from '../kernel/refusal.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import type { EventPoster } from './ports.js'
import { sampleEvent, sampleList } from './sample-event.js'
import { signedPost } from './signing.js'
import { ownersIn } from './telling.js'
import { type Webhook, type WebhookEventType, WebhookFields, WebhookView, webhookEventTypes } from './webhook.js'
import { isAccepted, toldOutcome } from './webhook-delivery.js'
import { webhookEventOf } from './webhook-event.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'accounts' | 'apiKeys' | 'projects' | 'webhooks' | 'webhookDeliveries'>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open' | 'seal'>
  readonly clock: Clock
  readonly newId: NewId
}

/** Which event `test-webhook` posts. */
export const TestWebhook = z.strictObject({
  type: z.enum(webhookEventTypes).meta({ description: 'The event that is posted, filled with examples' }),
})

/** Spec, "Webhook": one for each project. */
export const webhookUseCases = ({ repositories, eventPoster, secrets, clock, newId }: Deps) => {
  const { apiKeys, webhooks, webhookDeliveries } = repositories
  const ownersOf = ownersIn(repositories)

  const show = (webhook: Webhook): WebhookView =>
    WebhookView.parse({ ...webhook, secretKey: secrets.open(webhook.secretKey) })

  const assertKeyOf = async (projectId: string, secretKey: string): Promise<void> => {
    const key = await apiKeys.get({ projectId, digest: secrets.digest(secretKey) })
    if (!key || key.revokedAt) throw invalid('secretKey: expected an API key of the project')
  }

  /** The synthetic event, with everything that a real one has. */
  const sampleBody = async (projectId: string, type: WebhookEventType, at: string): Promise<string> => {
    const owners = await ownersOf(projectId)
    if (!owners) throw notFound('Project')
    const event = sampleEvent(type, { projectId, newId, at })
    return JSON.stringify(webhookEventOf(event, { ...owners, subscriberList: sampleList(newId()) }))
  }

  return {
    /** The configuration; null where there is none. */
    get: async ({ projectId }: Scope): Promise<WebhookView | null> => {
      const webhook = await webhooks.get({ projectId })
      return webhook ? show(webhook) : null
    },

    /** Creates the configuration, or replaces it whole: a switch that is not given is off. @throws Refusal `invalid` */
    set: async ({ projectId }: Scope, input: unknown): Promise<WebhookView> => {
      const fields = parsed(WebhookFields, input)
      await assertKeyOf(projectId, fields.secretKey)
      const now = clock().toISOString()
      const written = { ...fields, secretKey: secrets.seal(fields.secretKey), updatedAt: now }
      const replace = () => webhooks.change({ projectId }, (current) => ({ ...current, ...written }))
      const webhook: Webhook = { _id: newId(), projectId, ...written, createdAt: now }
      if (!(await replace()))
        await webhooks.add(webhook).catch((error) => {
          if (error instanceof KeyTaken) return replace()
          throw error
        })
      return show(webhook)
    },

    /** Removes the configuration, and answers it. What still waits is never posted. @throws Refusal `not-found` */
    remove: async ({ projectId }: Scope): Promise<WebhookView> => {
      const removed = await webhooks.remove({ projectId })
      if (!removed) throw notFound('Webhook')
      await webhookDeliveries.removeAll({ projectId, state: 'pending' })
      return show(removed)
    },

    /**
     * Posts one synthetic event, signed as real ones are.
     * @throws Refusal `invalid`, `blocked` where no webhook is configured, `unavailable` unless the receiver answers 2xx
     */
    test: async ({ projectId }: Scope, input: unknown): Promise<{ success: true }> => {
      const { type } = parsed(TestWebhook, input)
      const webhook = await webhooks.get({ projectId })
      if (!webhook) throw blocked('No webhook is configured.')
      const at = clock()
      const body = await sampleBody(projectId, type, at.toISOString())
      const outcome = await eventPoster.post(signedPost(webhook, { id: newId(), at, body }, secrets))
      if (!isAccepted(outcome)) throw unavailable(`The webhook endpoint ${toldOutcome(outcome)}.`)
      return { success: true }
    },
  }
}
