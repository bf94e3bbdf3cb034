import { z } from 'zod'
import type { Contact } from '../contacts/contact.js'
import { found, foundIn } from '../kernel/found.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId, Secrets } from '../kernel/ports.js'
import { duplicate, forbidden } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken } from '../kernel/repository.js'
import { type KeyScope, keyScopes, type Scope } from '../kernel/scope.js'
import { Id, Instant, stamps } from '../kernel/shapes.js'
import type { BrowserAccessNeeded } from '../projects/browser-access.js'
import type { Project } from '../projects/project.js'
import { provesAddress } from '../tokens/address-mark.js'
import { openToken } from '../tokens/tokens.js'
import { type ApiKey, scopeOfKey } from './api-key.js'
import { readOperatorToken } from './json-web-token.js'
import { isPreferencesOrigin, originAdmitted } from './origin.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; projects: Project }>
  readonly secrets: Secrets
  readonly clock: Clock
  readonly newId: NewId
}

/** What the operator sees of an API key: never the key itself. */
export const ApiKeyView = z
  .object({
    _id: Id,
    name: z.string(),
    scope: z.enum(keyScopes),
    lastFour: z.string(),
    createdAt: Instant,
    revokedAt: Instant.optional(),
  })
  .meta({ id: 'ApiKey', description: 'A project’s API key, without the key' })
export type ApiKeyView = z.output<typeof ApiKeyView>

const NewApiKey = z.strictObject({
  name: z.string().min(1).max(100).default('API key'),
  scope: z.enum(keyScopes).default('full'),
  /** For automation that must know the key beforehand. */
  key: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'expected 20 to 200 visible ASCII characters')
    .refine((key) => !key.startsWith('whsec_'), 'must not begin with whsec_, as a webhook’s own secret does')
    .optional(),
})
/** What the operator says of a new API key. */
export type NewApiKey = z.input<typeof NewApiKey>

const view = (apiKey: ApiKey): ApiKeyView => ApiKeyView.parse({ ...apiKey, scope: scopeOfKey(apiKey) })

/** The operator's side: API keys are never managed through the API itself (spec, "Authentication" 2). */
export const apiKeyUseCases = ({ repositories: { apiKeys, projects }, secrets, clock, newId }: Deps) => ({
  /** A new key of the project, shown this once. @throws Refusal `not-found`, `invalid`, `duplicate` for a given key in use */
  create: async (projectId: string, input: NewApiKey): Promise<{ apiKey: ApiKeyView; key: string }> => {
    const { name, scope, key = `ph_${secrets.random(32)}` } = parsed(NewApiKey, input)
    await foundIn(projects, { _id: projectId })
    const now = clock().toISOString()
    const apiKey: ApiKey = {
      _id: newId(),
      projectId,
      name,
      scope,
      digest: secrets.digest(key),
      lastFour: key.slice(-4),
      ...stamps(now),
    }
    try {
      await apiKeys.add(apiKey)
    } catch (error) {
      if (error instanceof KeyTaken) throw duplicate('This API key is in use already.')
      throw error
    }
    return { apiKey: view(apiKey), key }
  },

  list: async (projectId: string): Promise<readonly ApiKeyView[]> => {
    await foundIn(projects, { _id: projectId })
    return (await collected(apiKeys.each({ projectId }))).map(view)
  },

  /** From now on the key opens nothing. Revoking it again changes nothing. @throws Refusal `not-found` */
  revoke: async (projectId: string, id: string): Promise<ApiKeyView> => {
    const revokedAt = clock().toISOString()
    const revoked = found(
      apiKeys,
      await apiKeys.change({ _id: id, projectId }, (key) =>
        key.revokedAt ? key : { ...key, revokedAt, updatedAt: revokedAt },
      ),
    )
    return view(revoked)
  },
})

export type Credentials = { readonly bearer?: string | undefined; readonly origin?: string | undefined }

/** What an endpoint takes beside a `full` API key: keys of other scopes, a whitelisted Origin, a JWT of an operator, the preferences token of an address. */
export type Admits = {
  readonly keys?: readonly KeyScope[]
  /** Pages of a whitelisted Origin, where the project's `browserAccess` is at least this. */
  readonly origin?: BrowserAccessNeeded | undefined
  readonly operator?: boolean
  readonly preferences?: boolean
}

/** @throws Refusal `forbidden`, which names the scopes that are needed: only who holds a key of the project is told */
const assertOpens = ({ apiKey }: Scope, keys: readonly KeyScope[] = []): void => {
  if (!apiKey || apiKey.scope === 'full' || keys.includes(apiKey.scope)) return
  const needed = [...keys, 'full'].join(' or ')
  throw forbidden(`This API key has the scope ${apiKey.scope}; this takes a key with the scope ${needed}.`)
}

type AccessDeps = Pick<Deps, 'secrets' | 'clock'> & {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; projects: Project; contacts: Contact }>
}

/** Who may do what. Every failure is the same refusal, so that nobody learns which keys or projects exist. */
export const accessUseCases = ({ repositories, secrets, clock }: AccessDeps) => {
  const { apiKeys, projects, contacts } = repositories

  const byKey = async (bearer: string | undefined): Promise<Scope> => {
    const found = bearer ? await apiKeys.get({ digest: secrets.digest(bearer) }) : undefined
    if (!found || found.revokedAt) throw forbidden()
    return { projectId: found.projectId, caller: 'api-key', apiKey: { _id: found._id, scope: scopeOfKey(found) } }
  }

  const scopeOfOrigin = async (
    projectId: string | undefined,
    origin: string,
    needed: BrowserAccessNeeded,
  ): Promise<Scope | undefined> => {
    const project = projectId ? await projects.get({ _id: projectId }) : undefined
    if (!project || !originAdmitted(project, origin, needed)) return undefined
    return { projectId: project._id, caller: 'origin', keepsContacts: project.browserAccess === 'subscribe-only' }
  }

  const byOperator = async (projectId: string | undefined, bearer: string): Promise<Scope | undefined> => {
    const claims = readOperatorToken(secrets, bearer, clock())
    const project = claims && projectId ? await projects.get({ _id: projectId }) : undefined
    if (!claims || !project) return undefined
    const isTheirs = claims.role === 'admin' || claims.accountId === project.accountId
    return isTheirs ? { projectId: project._id, caller: 'operator' } : undefined
  }

  const byPreferences = async (bearer: string): Promise<Scope | undefined> => {
    const token = openToken(secrets, 'preferences', bearer, clock())
    const contact = token && (await contacts.get({ _id: token.c }))
    if (!contact) return undefined
    const isProven = provesAddress(secrets, contact, token)
    const { projectId, emailKey: address } = contact
    return { projectId, caller: 'preferences', address, isProven, dispatchId: token.d }
  }

  return {
    /** The scope that a key alone opens: its project's. @throws Refusal `forbidden` */
    byKey: async (bearer: string | undefined, { keys }: Pick<Admits, 'keys'> = {}): Promise<Scope> => {
      const scope = await byKey(bearer)
      assertOpens(scope, keys)
      return scope
    },
    /** The scope that a whitelisted Origin opens by itself. @throws Refusal `forbidden`, for no project, too */
    byOrigin: async (
      projectId: string | undefined,
      origin: string | undefined,
      needed: BrowserAccessNeeded,
    ): Promise<Scope> => {
      const scope = origin && (await scopeOfOrigin(projectId, origin, needed))
      if (!scope) throw forbidden('This form can only be sent from a page of a whitelisted Origin.')
      return scope
    },
    /** Whether a browser page of that Origin may call those endpoints of the project that need so much of its `browserAccess`. */
    allowsOrigin: async (
      projectId: string | undefined,
      origin: string,
      needed: BrowserAccessNeeded,
    ): Promise<boolean> => (await scopeOfOrigin(projectId, origin, needed)) !== undefined,
    /**
     * Whether a browser page of that Origin may read what a preferences token opens: the project's own page for preferences, and
     * pages that may do everything with its contacts. It opens nothing by itself.
     */
    allowsPreferencesFrom: async (projectId: string | undefined, origin: string): Promise<boolean> => {
      const project = projectId ? await projects.get({ _id: projectId }) : undefined
      if (!project) return false
      return isPreferencesOrigin(project, origin) || originAdmitted(project, origin, 'full')
    },
    /** Whether a bearer is the token of an admin of the server (`posthorn token --role admin`). */
    isAdmin: (bearer: string): boolean => readOperatorToken(secrets, bearer, clock())?.role === 'admin',
    /**
     * The scope for that project: by a key of it or by what else the endpoint admits. A bearer that is given must be right: a
     * wrong one is not made up for by an Origin.
     * @throws Refusal `forbidden`
     */
    authorize: async (
      projectId: string | undefined,
      { bearer, origin }: Credentials,
      admits: Admits,
    ): Promise<Scope> => {
      const page =
        !bearer && origin && admits.origin ? await scopeOfOrigin(projectId, origin, admits.origin) : undefined
      if (page) return page
      const scope =
        (bearer && admits.preferences && (await byPreferences(bearer))) ||
        (bearer && admits.operator && (await byOperator(projectId, bearer))) ||
        (await byKey(bearer))
      if (scope.projectId !== projectId) throw forbidden()
      assertOpens(scope, admits.keys)
      return scope
    },
  }
}
