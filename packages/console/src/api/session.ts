import { request } from './client.js'

export type Person = {
  readonly _id: string
  readonly email: string
  readonly name: string
  readonly language?: string
  readonly theme?: string
  readonly operator: boolean
  readonly totp: boolean
  /** An identity provider signs the person in: there is no password here. */
  readonly external?: boolean
}

export type ProjectOfPerson = {
  readonly _id: string
  readonly name: string
  readonly accountId: string
  readonly accountName: string
  readonly role: string
  readonly permissions: readonly string[]
  /** An operator reads the project of others until then. */
  readonly viewUntil?: string
}

export type Session = {
  readonly person: Person
  /** Another application signs people in, and gives them their roles. */
  readonly embedded?: boolean
  readonly projects: readonly ProjectOfPerson[]
}

/** @throws PosthornError with status 401 if nobody is signed in */
export const getSession = async (signal?: AbortSignal): Promise<Session> =>
  (await request('get', '/session', { signal })) as Session

export type SignInFields = { readonly email: string; readonly password: string; readonly code?: string }

export const signIn = (body: SignInFields): Promise<unknown> => request('post', '/session', { body })
export const signOut = (): Promise<unknown> => request('delete', '/session')

export const setUp = (body: {
  readonly token: string
  readonly email: string
  readonly name: string
  readonly password: string
}): Promise<unknown> => request('post', '/setup', { body })

export const signInByLink = (token: string): Promise<unknown> => request('post', '/link', { body: { token } })

export const acceptInvitation = (body: {
  readonly token: string
  readonly name: string
  readonly password: string
  readonly code?: string
}): Promise<unknown> => request('post', '/invitations/accept', { body })

export const resetPassword = (body: {
  readonly token: string
  readonly password: string
  readonly code?: string
}): Promise<unknown> => request('post', '/reset', { body })

/** `mails`: whether this server mails such links. */
export const requestReset = async (email: string): Promise<{ readonly mails: boolean }> =>
  (await request('post', '/reset-request', { body: { email } })) as { readonly mails: boolean }

export type SignInOptions = { readonly passwords: boolean; readonly provider?: string }

export const getSignInOptions = async (signal?: AbortSignal): Promise<SignInOptions> =>
  (await request('get', '/sign-in', { signal })) as SignInOptions

const leave = async (path: string): Promise<void> => {
  const { url } = (await request('post', path)) as { readonly url: string }
  window.location.assign(url)
}

/** The identity provider sends the browser back to `/console/sign-in/callback`. */
export const signInByProvider = (): Promise<void> => leave('/sign-in/provider')
/** The same, to be signed in by the provider from then on. */
export const connectProvider = (): Promise<void> => leave('/me/provider')

/** `answer`: the query with which the provider sent the browser back. */
export const finishProviderSignIn = (answer: string): Promise<unknown> =>
  request('post', '/sign-in/callback', { body: { answer } })

export type OwnSession = {
  readonly _id: string
  readonly createdAt: string
  readonly seenAt: string
  readonly userAgent: string
  readonly addressBlock: string
  readonly current: boolean
}

export const getSessions = async (signal?: AbortSignal): Promise<readonly OwnSession[]> =>
  ((await request('get', '/sessions', { signal })) as { readonly items: readonly OwnSession[] }).items

export const revokeSession = (id: string): Promise<unknown> => request('delete', `/sessions/${encodeURIComponent(id)}`)

export const changeMe = (body: {
  readonly name?: string
  readonly language?: string
  readonly theme?: string
}): Promise<unknown> => request('patch', '/me', { body })

export const changePassword = (body: { readonly password: string; readonly newPassword: string }): Promise<unknown> =>
  request('post', '/me/password', { body })

export type TotpAnswer = {
  readonly secret?: string
  readonly uri?: string
  readonly recoveryCodes?: readonly string[]
}

export const setUpTotp = async (body: { readonly password: string; readonly code?: string }): Promise<TotpAnswer> =>
  (await request('post', '/me/totp', { body })) as TotpAnswer

export const removeTotp = (body: { readonly password: string }): Promise<unknown> =>
  request('delete', '/me/totp', { body })

/** The 401 of a person with a second factor. */
export const secondFactorRequiredCode = 'second-factor-required'
