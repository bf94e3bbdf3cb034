import {
  type IdentityProvider,
  IdentityProviderFailure,
  type ProviderSignInChecks,
  type ProviderSignInFailureReason,
} from '@posthorn/core/ports/runtime'

type Account = { readonly subject: string; readonly claims?: Readonly<Record<string, unknown>> }

/** Accepts each code once, with the checks of its own visit. */
export const fakeIdentityProvider = ({ issuer = 'https://id.example' }: { readonly issuer?: string } = {}) => {
  const codes = new Map<string, { readonly account: Account; readonly checks: ProviderSignInChecks }>()
  const visits = new Map<string, ProviderSignInChecks>()
  let given = 0
  let failure: ProviderSignInFailureReason | undefined
  const mayFail = () => {
    if (failure) throw new IdentityProviderFailure(failure, `The fake provider is set to be ${failure}`)
  }
  const provider: IdentityProvider = {
    authorizationUrl: async (redirectUri, checks) => {
      mayFail()
      visits.set(checks.state, checks)
      return `${issuer}/authorize?${String(new URLSearchParams({ redirect_uri: redirectUri, state: checks.state }))}`
    },
    claimsOf: async (answer, checks) => {
      mayFail()
      const query = new URL(answer).searchParams
      if (query.has('error')) throw new IdentityProviderFailure('denied', String(query.get('error')))
      const code = query.get('code') ?? ''
      const found = codes.get(code)
      codes.delete(code)
      if (!found || JSON.stringify(found.checks) !== JSON.stringify(checks))
        throw new IdentityProviderFailure('invalid', 'The code is unknown, was used already, or is of another visit')
      const { subject, claims = {} } = found.account
      return { issuer, subject, claims }
    },
  }
  return {
    ...provider,
    issuer,
    /** Makes everything fail until it gets undefined. */
    fail: (reason: ProviderSignInFailureReason | undefined) => {
      failure = reason
    },
    /** Signs in; returns the query with which the browser comes back. */
    answer: (url: string, account: Account): string => {
      const state = new URL(url).searchParams.get('state') ?? ''
      const checks = visits.get(state)
      if (!checks) throw new Error('Nobody was sent here with this state')
      given += 1
      const code = `code-${given}`
      codes.set(code, { account, checks })
      return `?${String(new URLSearchParams({ code, state }))}`
    },
  }
}
