import type { ApiKey } from '../access/api-keys.js'
import type { Account } from '../accounts/account.js'
import { expiringCachedLookup } from '../kernel/byte-bounded-cache.js'
import type { Clock, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'
import type { WebhookRef } from './ports.js'
import type { Webhook } from './webhook.js'
import type { WebhookEventContext } from './webhook-event.js'
import { type WebhookSigningSecret, webhookSecrets } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ accounts: Account; apiKeys: ApiKey; projects: Project; webhooks: Webhook }>
  readonly secrets: Pick<Secrets, 'digest' | 'open'>
  readonly clock: Clock
}

export type EventAccountAndProject = Pick<WebhookEventContext, 'account' | 'project'>

export type WebhookTarget = {
  readonly webhook: Webhook
  readonly owners: EventAccountAndProject | undefined
  readonly secret: Promise<WebhookSigningSecret>
}

/** Undefined if the account or project was deleted. */
export const eventOwnersLookup =
  ({ accounts, projects }: RepositoriesFor<{ accounts: Account; projects: Project }>) =>
  async (projectId: string): Promise<EventAccountAndProject | undefined> => {
    const project = await projects.get({ _id: projectId })
    const account = project && (await accounts.get({ _id: project.accountId }))
    return account && { account, project }
  }

/** Webhooks per project that are read; more than a project may have. */
const mostWebhooks = 1_000

/** Cached: a campaign can publish many events per second. */
export const projectWebhookLookup = ({ repositories, secrets, clock }: Deps) => {
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const ownersOf = eventOwnersLookup(repositories)
  const targets = expiringCachedLookup<readonly WebhookTarget[]>({ time: 2_000, most: 1_000, clock })

  const readTargets = async (projectId: string): Promise<readonly WebhookTarget[]> => {
    const sort = { by: '_id', order: 'asc' } as const
    const { items } = await repositories.webhooks.list({ where: { projectId }, sort, skip: 0, limit: mostWebhooks })
    if (items.length === 0) return []
    const owners = await ownersOf(projectId)
    return items.map((webhook) => {
      const secret = webhookSecret.of(webhook)
      // Callers that await the secret get its error.
      secret.catch(() => undefined)
      return { webhook, owners, secret }
    })
  }

  const of = (projectId: string) => targets.of(projectId, () => readTargets(projectId))

  return {
    /** @throws the store's error */
    of,
    /** Undefined if the webhook was deleted. @throws the store's error */
    one: async ({ projectId, webhookId }: WebhookRef): Promise<WebhookTarget | undefined> =>
      (await of(projectId)).find(({ webhook }) => webhook._id === webhookId),
    /** Call after this process changed a webhook of the project. */
    forget: targets.forget,
  }
}

export type WebhookTargetLookup = ReturnType<typeof projectWebhookLookup>
