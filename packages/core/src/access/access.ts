import type { Contact } from '../contacts/contact.js'
import { isUrl } from '../kernel/is-url.js'
import type { Runtime } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { KeyScope, Scope } from '../kernel/scope.js'
import type { BrowserAccessLevel, BrowserAccessNeeded, Project } from '../projects/project.js'
import { provesAddress } from '../tokens/signed-token.js'
import { validToken } from '../tokens/tokens.js'
import { type ApiKey, keyUseRecorder } from './api-keys.js'
import { verifiedOperatorToken } from './json-web-token.js'

const isPreferencesOrigin = (
  { customSubscriptionPreferencesUrl: page }: { readonly customSubscriptionPreferencesUrl?: string },
  origin: string,
): boolean => page !== undefined && isUrl(page) && new URL(page).origin === origin

const hostOf = (origin: string): string | undefined => {
  const match = /^https?:\/\/([^/:@?#\s[\]]+)(?::\d{1,5})?$/i.exec(origin)
  return match?.[1]?.toLowerCase()
}

/**
 * Exact host, any port, no sub-domains (gaps.md, "Whitelisted Origin"). `null`, the Origin of sandboxed and local
 * pages, never matches.
 */
export const isWhitelistedOrigin = (whiteList: readonly string[], origin: string): boolean => {
  const host = hostOf(origin)
  return host !== undefined && whiteList.some((entry) => entry.toLowerCase() === host)
}

const isGranted = (browserAccess: BrowserAccessLevel, needed: BrowserAccessNeeded): boolean =>
  browserAccess === 'full' || (browserAccess === 'subscribe-only' && needed === 'subscribe-only')

const originAdmitted = (
  { whiteList, browserAccess }: { readonly whiteList: readonly string[]; readonly browserAccess: BrowserAccessLevel },
  origin: string,
  needed: BrowserAccessNeeded,
): boolean => isGranted(browserAccess, needed) && isWhitelistedOrigin(whiteList, origin)

export type RequestCredentials = { readonly bearer?: string | undefined; readonly origin?: string | undefined }

/** Credentials that an endpoint accepts besides a `full` API key. */
export type EndpointCredentials = {
  readonly keys?: readonly KeyScope[]
  /** Pages of a whitelisted Origin, if `browserAccess` is at least this. */
  readonly origin?: BrowserAccessNeeded | undefined
  readonly operator?: boolean
  readonly preferences?: boolean
}

/** @throws Refusal `forbidden`; names the required scopes, which only the holder of a key sees */
const assertOpens = ({ apiKey }: Scope, keys: readonly KeyScope[] = []): void => {
  if (!apiKey || apiKey.scope === 'full' || keys.includes(apiKey.scope)) return
  const needed = [...keys, 'full'].join(' or ')
  throw forbidden(`This API key has the scope ${apiKey.scope}; this takes a key with the scope ${needed}.`)
}

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'log'> & {
  readonly settings: { readonly publicUrl: string }
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; projects: Project; contacts: Contact }>
}

/** Every failure is the same refusal: no one learns which keys or projects exist. */
export const requestAuthorization = ({ repositories, secrets, clock, log, settings }: Deps) => {
  const { apiKeys, projects, contacts } = repositories
  const ownOrigin = new URL(settings.publicUrl).origin
  const noteUse = keyUseRecorder({ apiKeys, clock, log })

  const byKey = async (bearer: string | undefined): Promise<Scope> => {
    const found = bearer ? await apiKeys.get({ digest: secrets.digest(bearer) }) : undefined
    if (!found || found.revokedAt) throw forbidden()
    noteUse(found)
    return { projectId: found.projectId, caller: 'api-key', apiKey: { _id: found._id, scope: found.scope } }
  }

  const scopeOfPage = async (
    projectId: string | undefined,
    admits: (project: Project) => boolean,
  ): Promise<Scope | undefined> => {
    const project = projectId ? await projects.get({ _id: projectId }) : undefined
    if (!project || !admits(project)) return undefined
    return { projectId: project._id, caller: 'origin', keepsContacts: project.browserAccess === 'subscribe-only' }
  }

  const scopeOfOrigin = (projectId: string | undefined, origin: string, needed: BrowserAccessNeeded) =>
    scopeOfPage(projectId, (project) => originAdmitted(project, origin, needed))

  const byOperator = async (projectId: string | undefined, bearer: string): Promise<Scope | undefined> => {
    const claims = verifiedOperatorToken(secrets, bearer, clock())
    const project = claims && projectId ? await projects.get({ _id: projectId }) : undefined
    if (!claims || !project) return undefined
    const isTheirs = claims.role === 'admin' || claims.accountId === project.accountId
    return isTheirs ? { projectId: project._id, caller: 'operator' } : undefined
  }

  const byPreferences = async (bearer: string): Promise<Scope | undefined> => {
    const token = validToken(secrets, 'preferences', bearer, clock())
    const contact = token && (await contacts.get({ _id: token.c }))
    if (!contact) return undefined
    const isProven = provesAddress(secrets, contact, token)
    const { projectId, emailKey: address } = contact
    return { projectId, caller: 'preferences', address, isProven, dispatchId: token.d }
  }

  return {
    /** @throws Refusal `forbidden` */
    byKey: async (bearer: string | undefined, { keys }: Pick<EndpointCredentials, 'keys'> = {}): Promise<Scope> => {
      const scope = await byKey(bearer)
      assertOpens(scope, keys)
      return scope
    },
    /** Own pages need no whitelist entry. @throws Refusal `forbidden`, also without such a project */
    byOrigin: async (
      projectId: string | undefined,
      origin: string | undefined,
      needed: BrowserAccessNeeded,
    ): Promise<Scope> => {
      const admits = (project: Project) =>
        origin === ownOrigin
          ? isGranted(project.browserAccess, needed)
          : origin !== undefined && originAdmitted(project, origin, needed)
      const scope = await scopeOfPage(projectId, admits)
      if (!scope) throw forbidden('This form can only be sent from a page of a whitelisted Origin.')
      return scope
    },
    allowsOrigin: async (
      projectId: string | undefined,
      origin: string,
      needed: BrowserAccessNeeded,
    ): Promise<boolean> => (await scopeOfOrigin(projectId, origin, needed)) !== undefined,
    /** Only whether a page may read responses to a preferences token; grants no access. */
    allowsPreferencesFrom: async (projectId: string | undefined, origin: string): Promise<boolean> => {
      const project = projectId ? await projects.get({ _id: projectId }) : undefined
      if (!project) return false
      return isPreferencesOrigin(project, origin) || originAdmitted(project, origin, 'full')
    },
    isAdmin: (bearer: string): boolean => verifiedOperatorToken(secrets, bearer, clock())?.role === 'admin',
    /** A given bearer must be valid; an Origin does not replace it. @throws Refusal `forbidden` */
    authorize: async (
      projectId: string | undefined,
      { bearer, origin }: RequestCredentials,
      admits: EndpointCredentials,
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
