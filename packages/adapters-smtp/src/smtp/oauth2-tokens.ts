import type { OAuth2Settings } from './smtp-settings.js'

/** No access token: the message names the cause, and neither token nor secret. */
export class NoAccessToken extends Error {
  override readonly name = 'NoAccessToken'
}

/** In ms before expiry; a shorter life counts by half. */
const renewBefore = 60_000
/** In s. RFC 6749, 5.1: `expires_in` may be absent. */
const assumedLife = 300
/** In ms: connections share a failure, to spare the endpoint. */
const failureTtl = 5_000
const mostBytes = 64 * 1024
const timeout = 15_000

type Answer = { readonly status: number; readonly body: string }

/** A POST of a form. @throws Error with the reason */
export type PostForm = (url: string, form: Readonly<Record<string, string>>) => Promise<Answer>

/** No redirects, limited in time and size. The operator chose the URL, so it may be in a private network. */
const guardedPost: PostForm = async (url, form) => {
  const { guardedRequest } = await import('@posthorn/adapters-node/guarded-request')
  return guardedRequest(
    url,
    { allowPrivate: true, timeoutMs: timeout },
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
    },
    async (response) => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>)
        if (body.length < mostBytes) body += chunk
      return { status: response.statusCode ?? 0, body }
    },
  )
}

/** RFC 6749, 5.1 and 5.2, or malformed. */
type TokenAnswer = {
  readonly access_token?: unknown
  readonly expires_in?: unknown
  readonly refresh_token?: unknown
  readonly error?: unknown
  readonly error_description?: unknown
}

const objectIn = (body: string): TokenAnswer => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** In characters; the first line of what the endpoint says. */
const longestCause = 200

const causeOf = ({ status, body }: Answer, secrets: readonly string[]): string => {
  const { error, error_description: description } = objectIn(body)
  if (typeof error !== 'string') return `it answered ${status} without a token`
  const said = typeof description === 'string' ? ` (${description.split(/[\r\n]/)[0]?.slice(0, longestCause)})` : ''
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), `${error.slice(0, longestCause)}${said}`)
}

const formOf = ({ clientId, clientSecret, scope }: OAuth2Settings, refreshToken: string | undefined) => ({
  ...(refreshToken === undefined
    ? { grant_type: 'client_credentials' }
    : { grant_type: 'refresh_token', refresh_token: refreshToken }),
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  ...(scope !== undefined && { scope }),
})

type Token = { readonly text: string; readonly renewAt: number }

/** Refresh-token or client-credentials grant (RFC 6749, 6 and 4.4), cached until shortly before expiry. Connections share one request. */
export const oauth2Tokens = (settings: OAuth2Settings, now: () => number = Date.now, post: PostForm = guardedPost) => {
  const { tokenUrl, clientSecret } = settings
  let { refreshToken } = settings
  let current: Token | undefined
  let failed: { readonly error: NoAccessToken; readonly until: number } | undefined
  let asking: Promise<Token> | undefined

  const asked = async (): Promise<Token> => {
    const fail = (cause: string) => new NoAccessToken(`No access token from ${new URL(tokenUrl).host}: ${cause}`)
    const answer = await post(tokenUrl, formOf(settings, refreshToken)).catch((error: Error) => {
      throw fail(error.message)
    })
    const { access_token: text, expires_in: given, refresh_token: another } = objectIn(answer.body)
    const secrets = [clientSecret, refreshToken].filter((one): one is string => one !== undefined && one !== '')
    if (answer.status !== 200 || typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
      throw fail(causeOf(answer, secrets))
    // Providers that rotate refresh tokens accept only the last.
    if (typeof another === 'string' && another !== '' && refreshToken !== undefined) refreshToken = another
    const life = 1_000 * (Number(given) > 0 ? Number(given) : assumedLife)
    return { text, renewAt: now() + Math.max(life - renewBefore, life / 2) }
  }

  const renew = (): Promise<Token> => {
    if (failed && now() < failed.until) return Promise.reject(failed.error)
    asking ??= asked()
      .then(
        (token) => {
          current = token
          failed = undefined
          return token
        },
        (error: NoAccessToken) => {
          failed = { error, until: now() + failureTtl }
          throw error
        },
      )
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  return {
    /** @throws NoAccessToken */
    token: async (): Promise<string> => (current && now() < current.renewAt ? current : await renew()).text,
    /** After the relay refused that token. @throws NoAccessToken */
    after: async (refused: string): Promise<string> =>
      (current && current.text !== refused ? current : await renew()).text,
  }
}
export type OAuth2TokenSource = ReturnType<typeof oauth2Tokens>
