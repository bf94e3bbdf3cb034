import type { Core, Scope } from '@posthorn/core'
import { blocked, forbidden, unauthenticated } from '@posthorn/core/ports/runtime'
import {
  type OpenedSession,
  type PersonView,
  providerSignInTimeout,
  type RoleMembership,
  type SignedInPerson,
} from '@posthorn/core/ports/transport'
import type { Request, Response } from 'express'
import { clientBlock } from '../admission/owner.js'
import { isLoopback } from '../operator-access.js'
import type { Route } from '../route.js'
import type { ConsoleRequest } from '../visit.js'

/** A person that the embedding program has signed in. */
export type HostUser = Pick<PersonView, 'email' | 'name'> &
  Partial<Pick<PersonView, 'language' | 'theme' | 'operator'>> & {
    /** Stable and unique: the audit log names it. */
    readonly id: string
    readonly memberships: readonly RoleMembership[]
  }

/** Undefined if nobody is signed in. Replaces the console's own sign-in. */
export type AuthenticateHostUser = (request: Request) => Promise<HostUser | undefined>

type ConsoleAccessOptions = {
  readonly core: Core
  readonly publicUrl: string
  readonly authenticate?: AuthenticateHostUser | undefined
}

/** `__Host-` binds the cookie to this host and to https. The port separates servers on one machine, as cookies do not. */
const cookieOf = ({ protocol, hostname, port }: URL) => {
  if (protocol === 'https:') return { name: '__Host-posthorn', attributes: 'Secure; ' }
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) ? { name: `posthorn-${port || '80'}`, attributes: '' } : undefined
}

const cookieValue = ({ headers }: Request, name: string): string | undefined => {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

const principalOf = ({ id, memberships, ...given }: HostUser): SignedInPerson => ({
  person: { language: 'en', theme: 'system', operator: false, ...given, _id: id, totp: false, external: false },
  memberships,
})

/** The only place that reads cookies. */
export const consoleAuthentication = ({ core: { people }, publicUrl, authenticate }: ConsoleAccessOptions) => {
  const url = new URL(publicUrl)
  const cookie = cookieOf(url)
  const flowName = `${cookie?.name}-sign-in`

  /** Browsers send `Sec-Fetch-Site` for https and localhost; others must send the Origin. @throws Refusal `forbidden` */
  const assertSameOrigin = ({ headers }: Request): void => {
    const site = headers['sec-fetch-site']
    if (site === 'same-origin' || (site === undefined && headers.origin === url.origin)) return
    throw forbidden('Requests to the console’s API must come from its own pages.')
  }

  const setCookie = (response: Response, name: string, value: string, more: string): void => {
    if (cookie) response.append('Set-Cookie', `${name}=${value}; HttpOnly; ${cookie.attributes}${more}; Path=/`)
  }
  const setSession = (response: Response, value: string, more = '') =>
    setCookie(response, cookie?.name ?? '', value, `SameSite=Lax${more}`)
  /** Only pages of the console bring it, after the provider has sent the browser to one. */
  const setFlow = (response: Response, value: string, seconds: number) =>
    setCookie(response, flowName, value, `SameSite=Strict; Max-Age=${seconds}`)

  const assertOwnSignIn = (): void => {
    if (authenticate) throw blocked('The application that embeds Posthorn signs people in.')
    if (!cookie) throw blocked('The console needs https, or the address localhost. Set POSTHORN_PUBLIC_URL.')
  }

  /** @throws Refusal `forbidden` for requests of other sites */
  const visit = (request: Request, response: Response): ConsoleRequest => {
    assertSameOrigin(request)
    const token = cookie && cookieValue(request, cookie.name)
    const client = { addressBlock: clientBlock(request), userAgent: request.get('User-Agent') ?? '' }
    const session = async (): Promise<OpenedSession> => {
      assertOwnSignIn()
      const opened = token === undefined ? undefined : await people.open(token)
      if (!opened) throw unauthenticated()
      return opened
    }
    const signOut = async () => {
      if (token !== undefined) await people.signOut(token)
    }
    return {
      client,
      session,
      principal: async () => {
        if (!authenticate) return session()
        const person = await authenticate(request)
        if (!person) throw unauthenticated()
        return principalOf(person)
      },
      begin: async (open) => {
        assertOwnSignIn()
        const opened = await open()
        await signOut()
        setSession(response, opened.token)
        return opened
      },
      end: async () => {
        assertOwnSignIn()
        await signOut()
        setSession(response, '', '; Max-Age=0')
      },
      leave: (flow) => {
        assertOwnSignIn()
        setFlow(response, flow, providerSignInTimeout / 1000)
      },
      comeBack: () => {
        assertOwnSignIn()
        setFlow(response, '', 0)
        return cookieValue(request, flowName)
      },
    }
  }

  /** @throws Refusal `unauthenticated`, `forbidden` without the permission, or the mark, of the row */
  const scopeOf = async (row: Route, { principal }: ConsoleRequest, projectId: string | undefined): Promise<Scope> => {
    if (row.auth === 'console') return { projectId: '', caller: 'person' }
    const who = await principal()
    if (row.auth === 'operator' && !who.person.operator) throw forbidden('Only for operators of this installation.')
    if (projectId !== undefined) return people.scopeIn(who, projectId, row.permission)
    const { _id, name } = who.person
    return { projectId: '', caller: 'person', person: { _id, name, permissions: [] } }
  }

  return { visit, scopeOf }
}
export type ConsoleAuthentication = ReturnType<typeof consoleAuthentication>
