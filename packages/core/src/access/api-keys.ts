import { z } from 'zod'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Log, Runtime } from '../kernel/ports.js'
import { duplicate } from '../kernel/refusal.js'
import {
  getOrNotFound,
  orNotFound,
  type RepositoriesFor,
  type Repository,
  refuseIfKeyTaken,
} from '../kernel/repository.js'
import { type KeyScope, keyScopes } from '../kernel/scope.js'
import { Id, type InProject, Instant, stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'

/** The key is shown once; only its SHA-256 and last four characters are stored. */
export type ApiKey = InProject & {
  readonly name: string
  readonly digest: string
  readonly lastFour: string
  readonly scope: KeyScope
  readonly revokedAt?: string
  /** Written at most once an hour. */
  readonly lastUsedAt?: string
}

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; projects: Project }>
}

/** Never the key itself. */
export const ApiKeyView = z
  .object({
    _id: Id,
    name: z.string(),
    scope: z.enum(keyScopes),
    lastFour: z.string(),
    createdAt: Instant,
    revokedAt: Instant.optional(),
    lastUsedAt: Instant.optional().describe('To the hour; absent for a key that was never used'),
  })
  .meta({ id: 'ApiKey', description: 'A project’s API key, without the key' })
export type ApiKeyView = z.output<typeof ApiKeyView>

const NewApiKey = z.strictObject({
  name: z.string().trim().min(1).max(100).default('API key'),
  scope: z.enum(keyScopes).default('full'),
  /** For automation that must know the key in advance. */
  key: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'expected 20 to 200 visible ASCII characters')
    .refine((key) => !key.startsWith('whsec_'), 'must not begin with whsec_, as a webhook’s own secret does')
    .optional(),
})
type NewApiKey = z.input<typeof NewApiKey>

/** What people choose in the console; the key itself is generated. */
export const ApiKeyFields = NewApiKey.omit({ key: true })

/** The only response that shows the key. */
export const CreatedApiKey = z.object({ apiKey: ApiKeyView, key: z.string() })

const view = (apiKey: ApiKey): ApiKeyView => ApiKeyView.parse(apiKey)

/** API keys are never managed through the API itself (spec, "Authentication" 2): people do so in the console. */
export const apiKeyUseCases = ({ repositories: { apiKeys, projects }, secrets, clock, newId }: Deps) => ({
  /** @throws Refusal `not-found`, `invalid`, `duplicate` if a given key is in use */
  create: async (projectId: string, input: NewApiKey): Promise<{ apiKey: ApiKeyView; key: string }> => {
    const { name, scope, key = `ph_${secrets.random(32)}` } = parsed(NewApiKey, input)
    await getOrNotFound(projects, { _id: projectId })
    const apiKey: ApiKey = {
      _id: newId(),
      projectId,
      name,
      scope,
      digest: secrets.digest(key),
      lastFour: key.slice(-4),
      ...stamps(clock().toISOString()),
    }
    await apiKeys.add(apiKey).catch(refuseIfKeyTaken(() => duplicate('This API key is in use already.')))
    return { apiKey: view(apiKey), key }
  },

  list: async (projectId: string): Promise<readonly ApiKeyView[]> => {
    await getOrNotFound(projects, { _id: projectId })
    return (await collected(apiKeys.each({ projectId }))).map(view)
  },

  /** At once; idempotent. @throws Refusal `not-found` */
  revoke: async (projectId: string, id: string): Promise<ApiKeyView> => {
    const revokedAt = clock().toISOString()
    const revoked = orNotFound(
      apiKeys,
      await apiKeys.change({ _id: id, projectId }, (key) =>
        key.revokedAt ? key : { ...key, revokedAt, updatedAt: revokedAt },
      ),
    )
    return view(revoked)
  },
})

/** In ms. */
const precision = 60 * 60_000
/** Above this, the process forgets all keys and may repeat writes. */
const mostKeys = 10_000

type KeyUseDeps = { readonly apiKeys: Pick<Repository<ApiKey>, 'change'>; readonly clock: Clock; readonly log: Log }

/** Writes at most once an hour, without delaying the request. */
export const keyUseRecorder = ({ apiKeys, clock, log }: KeyUseDeps) => {
  const noted = new Map<string, number>()
  return ({ _id, lastUsedAt }: ApiKey): void => {
    const now = clock()
    const isRecent = (time: number | undefined) => time !== undefined && now.getTime() - time < precision
    if (isRecent(noted.get(_id)) || (lastUsedAt !== undefined && isRecent(Date.parse(lastUsedAt)))) return
    if (noted.size >= mostKeys) noted.clear()
    noted.set(_id, now.getTime())
    apiKeys
      .change({ _id }, (key) =>
        key.lastUsedAt !== undefined && isRecent(Date.parse(key.lastUsedAt))
          ? key
          : { ...key, lastUsedAt: now.toISOString() },
      )
      .catch((error: unknown) => log('warn', 'The last use of an API key could not be stored', { key: _id, error }))
  }
}
