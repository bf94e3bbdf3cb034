import type { ApiKey } from '../access/access.js'
import type { Clock, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Webhook } from './webhook.js'
import { type WebhookSecret, webhookSecrets } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; webhooks: Webhook }>
  readonly secrets: Pick<Secrets, 'digest' | 'open'>
  readonly clock: Clock
}

export type Target = { readonly webhook: Webhook; readonly secret: Promise<WebhookSecret> }

/** In ms; and the number of cached projects. */
const targetTime = 5_000
const mostTargets = 1_000

export const webhookTargets = ({ repositories, secrets, clock }: Deps) => {
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const targets = new Map<string, { readonly target: Promise<Target | undefined>; readonly until: number }>()

  const readTarget = async (projectId: string): Promise<Target | undefined> => {
    const webhook = await repositories.webhooks.get({ projectId })
    if (!webhook) return undefined
    const secret = webhookSecret.of(webhook)
    // Callers that await the secret get its error.
    secret.catch(() => undefined)
    return { webhook, secret }
  }

  return {
    /** @throws the store's error */
    of: (projectId: string): Promise<Target | undefined> => {
      const now = clock().getTime()
      const known = targets.get(projectId)
      if (known && now < known.until) return known.target
      targets.delete(projectId)
      for (const oldest of targets.keys()) {
        if (targets.size < mostTargets) break
        targets.delete(oldest)
      }
      const target = readTarget(projectId)
      target.catch(() => targets.delete(projectId))
      targets.set(projectId, { target, until: now + targetTime })
      return target
    },
    forget: (projectId: string): void => void targets.delete(projectId),
  }
}

export type WebhookTargets = ReturnType<typeof webhookTargets>
