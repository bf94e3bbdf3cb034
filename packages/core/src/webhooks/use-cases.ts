import { z } from 'zod'
import type { ApiKey } from '../access/api-key.js'
import type { Account } from '../accounts/account.js'
import { found } from '../kernel/found.js'
import { type ListQueryFields, listPage } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed, parsedBy, type Rule, violationsBy } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { blocked, notFound, Refusal, unavailable } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken, type Page } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { standingAlone } from '../kernel/violation.js'
import type { Project } from '../projects/project.js'
import { batchOf } from './event-batch.js'
import { ownersIn } from './event-outbox.js'
import type { EventPoster } from './ports.js'
import { ReplayEvents, type ReplayedEvents, replaying } from './replaying.js'
import { sampleEvent, sampleList } from './sample-event.js'
import { signedPost } from './signing.js'
import { type Webhook, type WebhookEventType, WebhookFields, WebhookView, webhookEventTypes } from './webhook.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import { isAccepted, toldOutcome } from './webhook-delivery.js'
import { webhookEventOf } from './webhook-event.js'
import { logEntry, loggedEvent, type WebhookLogEntry, type WebhookLoggedEvent, WebhookLogView } from './webhook-log.js'
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
  /** Hears that a project's webhook is another now. */
  readonly changed: (projectId: string) => void
}

/** Which event `test-webhook` posts. */
export const TestWebhook = z.strictObject({
  type: z
    .enum([...webhookEventTypes, 'subscription'])
    .meta({ description: 'The event that is posted, filled with examples; `subscription` posts a `subscribe`' }),
})
export type TestWebhook = z.input<typeof TestWebhook>

/** Spec, "Webhook": one for each project. */
export const webhookUseCases = ({ repositories, eventPoster, secrets, clock, newId, changed }: Deps) => {
  const { webhooks, webhookDeliveries } = repositories
  const ownersOf = ownersIn(repositories)
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const replay = replaying({ webhookDeliveries, clock })

  /**
   * With its secret for those who may do everything, and for the holder of the key that it is. All others see the host alone of the
   * URL, because its query and its path often hold a secret of the receiver.
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

  /** The synthetic event, with everything that a real one has. */
  const sampleBody = async (projectId: string, type: WebhookEventType, at: string): Promise<string> => {
    const owners = await ownersOf(projectId)
    if (!owners) throw notFound('Project')
    const event = sampleEvent(type, { projectId, newId, at })
    return JSON.stringify(webhookEventOf(event, { ...owners, subscriberList: sampleList(newId()) }))
  }

  /** Posts again, whatever had switched it off: who configures it anew means it. */
  const afresh = (webhook: Webhook): Webhook => without(webhook, 'failing', 'switchedOff') as Webhook

  /** @throws Refusal `blocked` where no webhook is configured, or its key opens nothing any more */
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

    /** Removes the configuration, and answers it. What still waits is never posted. @throws Refusal `not-found` */
    remove: async (scope: Scope): Promise<WebhookView> => {
      const { projectId } = scope
      const removed = found(webhooks, await webhooks.remove({ projectId }))
      changed(projectId)
      await webhookDeliveries.removeAll({ projectId, state: 'pending' })
      return show(removed, scope)
    },

    /**
     * Posts one synthetic event, signed as real ones are.
     * @throws Refusal `invalid`, `blocked` where no webhook is configured or it is switched off, `unavailable` unless the receiver answers 2xx
     */
    test: async ({ projectId }: Scope, input: TestWebhook): Promise<{ success: true }> => {
      const { type } = parsed(TestWebhook, input)
      const { webhook, secret } = await usable(projectId)
      const at = clock()
      const body = await sampleBody(projectId, type === 'subscription' ? 'subscribe' : type, at.toISOString())
      const event = { _id: newId(), body }
      const post = webhook.batches ? batchOf([event], secrets) : { id: event._id, body }
      const outcome = await eventPoster.post(signedPost(webhook.url, { at, ...post }, secret, secrets))
      if (!isAccepted(outcome)) throw unavailable(`The webhook endpoint ${toldOutcome(outcome)}.`)
      return { success: true }
    },

    /**
     * Posts again to a webhook that was switched off as no post was taken. What was given up meanwhile can be replayed.
     * @throws Refusal `blocked` where none is configured, or its key was revoked
     */
    enable: async (scope: Scope): Promise<WebhookView> => {
      const { projectId } = scope
      const { webhook } = await usable(projectId)
      const enabled = (await webhooks.change({ _id: webhook._id, projectId }, afresh)) ?? webhook
      changed(projectId)
      return show(enabled, scope)
    },

    /** What was told to the webhook and what became of it, the newest first. @throws Refusal `invalid` for an unknown field */
    log: async ({ projectId }: Scope, query: z.output<typeof ListQueryFields>): Promise<Page<WebhookLogEntry>> => {
      const { items, count } = await listPage(webhookDeliveries, { projectId }, WebhookLogView, query)
      return { items: items.map(logEntry), count }
    },

    /** One event of the log, with what was posted. @throws Refusal `not-found` */
    logged: async ({ projectId }: Scope, id: string): Promise<WebhookLoggedEvent> =>
      loggedEvent(found(webhookDeliveries, await webhookDeliveries.get({ _id: id, projectId }))),

    /**
     * Has events of the log posted again, under the same ids: those that all that is given fits to, up to 10,000 at a time.
     * @throws Refusal `invalid`, `blocked` where no webhook is configured or it is switched off
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
