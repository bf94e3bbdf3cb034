import type { ApiKey } from '../access/api-keys.js'
import type { Account } from '../accounts/account.js'
import type { ListQuery } from '../kernel/listing.js'
import { parsedBy, schemaViolationsOf } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import type { ProjectLimits } from '../kernel/project-limits.js'
import { blocked } from '../kernel/refusal.js'
import { ifKeyTaken, orNotFound, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Project } from '../projects/project.js'
import type { ReplayEvents, ReplayedEvents } from './event-replay.js'
import type { EventPoster } from './ports.js'
import { eventOwnersLookup } from './targets.js'
import { eventTypesOfSwitches, switchesOfEventTypes, type Webhook, WebhookFields, WebhookView } from './webhook.js'
import { reenabledWebhook, type TestWebhook, webhookActions } from './webhook-actions.js'
import type { WebhookDelivery, WebhookLogEntry, WebhookLoggedEvent } from './webhook-delivery.js'
import { webhookEndpointUseCases } from './webhook-endpoints.js'
import { webhookSecrets } from './webhook-secret.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    apiKeys: ApiKey
    projects: Project
    webhooks: Webhook
    webhookDeliveries: WebhookDelivery
  }>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open' | 'random' | 'seal'>
  readonly changed: (projectId: string) => void
  readonly settings: { readonly limits: Pick<ProjectLimits, 'webhooks'> }
}

const refOf = ({ projectId }: Scope) => ({ projectId, webhookId: projectId })
const whereOf = ({ projectId }: Scope) => ({ _id: projectId, projectId })

/** Spec, "Webhook": one per project, whose `_id` is the project's; `endpoints` has all. */
export const webhookUseCases = (deps: Deps) => {
  const { repositories, secrets, clock, changed } = deps
  const { webhooks } = repositories
  const actions = webhookActions({
    ...deps,
    webhookSecret: webhookSecrets(deps),
    ownersOf: eventOwnersLookup(repositories),
  })

  const show = async (webhook: Webhook, scope: Scope): Promise<WebhookView> =>
    WebhookView.parse({ ...webhook, ...switchesOfEventTypes(webhook), ...(await actions.shown(webhook, scope)) })

  const configured = async (scope: Scope): Promise<Webhook> => {
    const webhook = await webhooks.get(whereOf(scope))
    if (!webhook) throw blocked('No webhook is configured.')
    return webhook
  }

  return {
    endpoints: webhookEndpointUseCases({ ...deps, actions }),

    violations: (scope: Scope, input: unknown) => schemaViolationsOf(WebhookFields, input, actions.fits(scope)),

    get: async (scope: Scope): Promise<WebhookView | null> => {
      const webhook = await webhooks.get(whereOf(scope))
      return webhook ? show(webhook, scope) : null
    },

    /** Replaces all: an omitted switch is off. @throws Refusal `invalid` */
    set: async (scope: Scope, input: WebhookFields): Promise<WebhookView> => {
      const { projectId } = scope
      const { url, secretKey, batches, ...switches } = await parsedBy(WebhookFields, input, actions.fits(scope))
      const now = clock().toISOString()
      const written = {
        url,
        secretKey: secrets.seal(secretKey),
        batches,
        types: eventTypesOfSwitches(switches),
        updatedAt: now,
      }
      const replace = () => webhooks.change(whereOf(scope), (current) => ({ ...reenabledWebhook(current), ...written }))
      const webhook: Webhook = { _id: projectId, projectId, description: '', ...written, createdAt: now }
      if (!(await replace())) await webhooks.add(webhook).catch<unknown>(ifKeyTaken(replace))
      changed(projectId)
      return show(webhook, scope)
    },

    /** Pending events are never posted. @throws Refusal `not-found` */
    remove: async (scope: Scope): Promise<WebhookView> => {
      const removed = orNotFound(webhooks, await webhooks.remove(whereOf(scope)))
      await actions.dropPending(removed)
      return show(removed, scope)
    },

    /**
     * @throws Refusal `invalid`, `blocked` if none is configured or its key was revoked, `unavailable` unless the
     * receiver responds with 2xx
     */
    test: async (scope: Scope, input: TestWebhook): Promise<{ success: true }> =>
      actions.test(() => configured(scope), input),

    /** @throws Refusal `blocked` if none is configured, or its key was revoked */
    enable: async (scope: Scope): Promise<WebhookView> => show(await actions.enable(await configured(scope)), scope),

    /** Newest first. @throws Refusal `invalid` for an unknown field */
    log: (scope: Scope, query: ListQuery): Promise<Page<WebhookLogEntry>> => actions.log(refOf(scope), query),

    /** With the posted body. @throws Refusal `not-found` */
    logged: (scope: Scope, id: string): Promise<WebhookLoggedEvent> => actions.logged(refOf(scope), id),

    /** @throws Refusal `invalid`, `blocked` if none is configured or it is switched off */
    replay: async (scope: Scope, input: ReplayEvents): Promise<ReplayedEvents> =>
      actions.replay(() => configured(scope), input),
  }
}
