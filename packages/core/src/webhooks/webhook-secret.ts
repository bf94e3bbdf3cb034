import { type ApiKey, scopeOfKey } from '../access/api-key.js'
import { bytesOfBase64 } from '../kernel/base64url.js'
import type { Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { KeyScope } from '../kernel/scope.js'
import type { Webhook } from './webhook.js'

/** How Standard Webhooks marks a secret that is only for signing. */
const ownPrefix = 'whsec_'
const leastOwnBytes = 24

/** The bytes that a secret of the webhook's own signs with; undefined for what is none. */
const ownBytes = (text: string): Uint8Array | undefined => {
  const bytes = text.startsWith(ownPrefix) ? bytesOfBase64(text.slice(ownPrefix.length)) : undefined
  return bytes && bytes.length >= leastOwnBytes ? bytes : undefined
}

/** What a webhook's posts are signed with. */
export type SigningSecret =
  /** A key of the project: sent as bearer, too, and itself the key of the signature. */
  | { readonly kind: 'api-key'; readonly text: string; readonly apiKeyId: string }
  /** A secret of the webhook's own (Standard Webhooks): signs, and is never sent. */
  | { readonly kind: 'own'; readonly text: string; readonly bytes: Uint8Array }

/** Why nothing is posted any more, and since when. */
export type Disabled = { readonly reason: string; readonly since: string }

/** What a stored webhook has: `disabled` where its key opens nothing any more, so that nothing may be posted. */
export type WebhookSecret = SigningSecret & { readonly disabled?: Disabled | undefined }

/** Why nothing is posted to the webhook, where that is so. */
export const disabledBy = (
  { switchedOff }: Pick<Webhook, 'switchedOff'>,
  { disabled }: Pick<WebhookSecret, 'disabled'>,
): Disabled | undefined => disabled ?? switchedOff

/** The scopes of the keys that may be a webhook's secret. */
const secretScopes: readonly KeyScope[] = ['webhook', 'full']

const expected = (what: string) => invalid(`secretKey: expected ${what}`)

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey }>
  readonly secrets: Pick<Secrets, 'digest' | 'open'>
}

/** Gaps.md, "Webhook secret". A revoked key is known by its record alone, so every process knows it at once. */
export const webhookSecrets = ({ repositories: { apiKeys }, secrets }: Deps) => {
  const keyOf = (projectId: string, text: string): Promise<ApiKey | undefined> =>
    apiKeys.get({ projectId, digest: secrets.digest(text) })

  return {
    /** @throws Refusal `invalid` for what is no living key of the project for this use, nor a secret of the webhook's own */
    read: async (projectId: string, text: string): Promise<SigningSecret> => {
      const apiKey = await keyOf(projectId, text)
      if (apiKey && !apiKey.revokedAt) {
        if (secretScopes.includes(scopeOfKey(apiKey))) return { kind: 'api-key', text, apiKeyId: apiKey._id }
        throw expected(`an API key with the scope ${secretScopes.join(' or ')}`)
      }
      const bytes = ownBytes(text)
      if (bytes) return { kind: 'own', text, bytes }
      if (text.startsWith(ownPrefix))
        throw expected(`${ownPrefix} to be followed by the base64 of ${leastOwnBytes} bytes or more`)
      throw expected(`an API key of the project, or ${ownPrefix} and base64`)
    },

    /** The secret of a stored webhook, with what has become of its key. @throws Error where it cannot be opened */
    of: async ({ projectId, secretKey, updatedAt }: Webhook): Promise<WebhookSecret> => {
      const text = secrets.open(secretKey)
      const apiKey = await keyOf(projectId, text)
      const bytes = apiKey ? undefined : ownBytes(text)
      if (bytes) return { kind: 'own', text, bytes }
      const since = apiKey ? apiKey.revokedAt : updatedAt
      const reason = `The API key …${text.slice(-4)} was revoked`
      return { kind: 'api-key', text, apiKeyId: apiKey?._id ?? '', disabled: since ? { reason, since } : undefined }
    },
  }
}
export type WebhookSecrets = ReturnType<typeof webhookSecrets>
