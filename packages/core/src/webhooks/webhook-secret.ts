import type { ApiKey } from '../access/api-keys.js'
import { bytesOfBase64 } from '../kernel/encoding.js'
import type { Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { KeyScope } from '../kernel/scope.js'
import type { Webhook } from './webhook.js'

/** Of Standard Webhooks, for secrets that only sign. */
const ownPrefix = 'whsec_'
const leastOwnBytes = 24

/** In bytes; base64 of a multiple of three needs no padding. */
const generatedBytes = 33

export const generatedWebhookSecret = ({ random }: Pick<Secrets, 'random'>): string =>
  ownPrefix + random(generatedBytes).replaceAll('-', '+').replaceAll('_', '/')

/** Undefined if the text is no secret of the webhook's own. */
const ownBytes = (text: string): Uint8Array | undefined => {
  const bytes = text.startsWith(ownPrefix) ? bytesOfBase64(text.slice(ownPrefix.length)) : undefined
  return bytes && bytes.length >= leastOwnBytes ? bytes : undefined
}

export type SigningSecret =
  /** It signs, and is also sent as bearer token. */
  | { readonly kind: 'api-key'; readonly text: string; readonly apiKeyId: string }
  /** It signs, and is never sent (Standard Webhooks). */
  | { readonly kind: 'own'; readonly text: string; readonly bytes: Uint8Array }

type WebhookDisabled = { readonly reason: string; readonly since: string }

/** `disabled` if its key was revoked: nothing may be posted. */
export type WebhookSigningSecret = SigningSecret & { readonly disabled?: WebhookDisabled | undefined }

export const disabledBy = (
  { switchedOff }: Pick<Webhook, 'switchedOff'>,
  { disabled }: Pick<WebhookSigningSecret, 'disabled'>,
): WebhookDisabled | undefined => disabled ?? switchedOff

const secretScopes: readonly KeyScope[] = ['webhook', 'full']

const expected = (what: string) => invalid(`secretKey: expected ${what}`)

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey }>
  readonly secrets: Pick<Secrets, 'digest' | 'open'>
}

/** gaps.md, "Webhook secret". The stored key shows its revocation: every process notices it at once. */
export const webhookSecrets = ({ repositories: { apiKeys }, secrets }: Deps) => {
  const keyOf = (projectId: string, text: string): Promise<ApiKey | undefined> =>
    apiKeys.get({ projectId, digest: secrets.digest(text) })

  return {
    /** @throws Refusal `invalid` unless a suitable key of the project or a secret of the webhook's own */
    read: async (projectId: string, text: string): Promise<SigningSecret> => {
      const apiKey = await keyOf(projectId, text)
      if (apiKey && !apiKey.revokedAt) {
        if (secretScopes.includes(apiKey.scope)) return { kind: 'api-key', text, apiKeyId: apiKey._id }
        throw expected(`an API key with the scope ${secretScopes.join(' or ')}`)
      }
      const bytes = ownBytes(text)
      if (bytes) return { kind: 'own', text, bytes }
      if (text.startsWith(ownPrefix))
        throw expected(`${ownPrefix} to be followed by the base64 of ${leastOwnBytes} bytes or more`)
      throw expected(`an API key of the project, or ${ownPrefix} and base64`)
    },

    /** @throws Error if the secret cannot be decrypted */
    of: async ({
      projectId,
      secretKey,
      updatedAt,
    }: Pick<Webhook, 'projectId' | 'secretKey' | 'updatedAt'>): Promise<WebhookSigningSecret> => {
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
