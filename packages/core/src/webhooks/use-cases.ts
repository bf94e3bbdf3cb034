import { z } from 'zod'
import type { ApiKey } from '../access/api-key.js'
import type { Account } from '../accounts/account.js'
import { found } from '../kernel/found.js'
import { parsed, parsedBy, type Rule, violationsBy } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { blocked, notFound, Refusal, unavailable } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { standingAlone } from '../kernel/violation.js'
import type { Project } from '../projects/project.js'
import { ownersIn } from './event-outbox.js'
import type { EventPoster } from './ports.js'
import { sampleEvent, sampleList } from './sample-event.js'
import { signedPost } from './signing.js'
import { type Webhook, type WebhookEventType, WebhookFields, WebhookView, webhookEventTypes } from './webhook.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import { isAccepted, toldOutcome } from './webhook-delivery.js'
import { webhookEventOf } from './webhook-event.js'
import { webhookSecrets } from './webhook-secret.js'

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
}

/** Which event `test-webhook` posts. */
export const TestWebhook = z.strictObject({
  type: z
    .enum([...webhookEventTypes, 'subscription'])
    .meta({ description: 'The event that is posted, filled with examples; `subscription` posts a `subscribe`' }),
})
export type TestWebhook = z.input<typeof TestWebhook>

/** Spec, "Webhook": one for each project. */
export const webhookUseCases = ({ repositories, eventPoster, secrets, clock, newId }: Deps) => {
  const { webhooks, webhookDeliveries } = repositories
  const ownersOf = ownersIn(repositories)
  const webhookSecret = webhookSecrets({ repositories, secrets })

  /** With its secret for those who may do everything, and for the holder of the key that it is. */
  const show = async (webhook: Webhook, { apiKey }: Scope): Promise<WebhookView> => {
    const secret = await webhookSecret.of(webhook)
    const isTheirs = secret.kind === 'api-key' && secret.apiKeyId === apiKey?._id
    const { secretKey: _, ...rest } = webhook
    return WebhookView.parse({
      ...rest,
      ...((!apiKey || apiKey.scope === 'full' || isTheirs) && { secretKey: secret.text }),
      ...(secret.disabled && { disabled: secret.disabled }),
    })
  }

  /** The synthetic event, with everything that a real one has. */
  const sampleBody = async (projectId: string, type: WebhookEventType, at: string): Promise<string> => {
    const owners = await ownersOf(projectId)
    if (!owners) throw notFound('Project')
    const event = sampleEvent(type, { projectId, newId, at })
    return JSON.stringify(webhookEventOf(event, { ...owners, subscriberList: sampleList(newId()) }))
  }

  /** That the secret is the project's to use. */
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
    /** All that is wrong with an input, before anything is done with it. */
    violations: (scope: Scope, input: unknown) => violationsBy(WebhookFields, input, secretFits(scope)),

    /** The configuration, and why it is switched off where it is; null where there is none. */
    get: async (scope: Scope): Promise<WebhookView | null> => {
      const webhook = await webhooks.get({ projectId: scope.projectId })
      return webhook ? show(webhook, scope) : null
    },

    /** Creates the configuration, or replaces it whole: a switch that is not given is off. @throws Refusal `invalid` */
    set: async (scope: Scope, input: WebhookFields): Promise<WebhookView> => {
      const { projectId } = scope
      const fields = await parsedBy(WebhookFields, input, secretFits(scope))
      const now = clock().toISOString()
      const written = { ...fields, secretKey: secrets.seal(fields.secretKey), updatedAt: now }
      const replace = () => webhooks.change({ projectId }, (current) => ({ ...current, ...written }))
      const webhook: Webhook = { _id: newId(), projectId, ...written, createdAt: now }
      if (!(await replace()))
        await webhooks.add(webhook).catch((error) => {
          if (error instanceof KeyTaken) return replace()
          throw error
        })
      return show(webhook, scope)
    },

    /** Removes the configuration, and answers it. What still waits is never posted. @throws Refusal `not-found` */
    remove: async (scope: Scope): Promise<WebhookView> => {
      const { projectId } = scope
      const removed = found(webhooks, await webhooks.remove({ projectId }))
      await webhookDeliveries.removeAll({ projectId, state: 'pending' })
      return show(removed, scope)
    },

    /**
     * Posts one synthetic event, signed as real ones are.
     * @throws Refusal `invalid`, `blocked` where no webhook is configured or it is switched off, `unavailable` unless the receiver answers 2xx
     */
    test: async ({ projectId }: Scope, input: TestWebhook): Promise<{ success: true }> => {
      const { type } = parsed(TestWebhook, input)
      const webhook = await webhooks.get({ projectId })
      if (!webhook) throw blocked('No webhook is configured.')
      const secret = await webhookSecret.of(webhook)
      if (secret.disabled)
        throw blocked(
          `The webhook is switched off: ${secret.disabled.reason}. Please configure it with another secretKey.`,
        )
      const at = clock()
      const body = await sampleBody(projectId, type === 'subscription' ? 'subscribe' : type, at.toISOString())
      const outcome = await eventPoster.post(signedPost(webhook.url, { id: newId(), at, body }, secret, secrets))
      if (!isAccepted(outcome)) throw unavailable(`The webhook endpoint ${toldOutcome(outcome)}.`)
      return { success: true }
    },
  }
}
