import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** How a token is made; a hostile provider changes it. */
export type TokenChanges = {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** Default: the key that the provider publishes. */
  readonly by?: 'another key' | 'nobody' | 'the client secret'
}

export type Visit = { readonly redirectUri: string; readonly state: string; readonly query: URLSearchParams }

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [own, foreign] = [keyPair(), keyPair()]

/**
 * An OpenID Connect provider that tests script: who signs in, what the tokens contain, and what fails. It checks the code, PKCE, and the
 * client's id, secret and redirect URI.
 */
export const oidcServer = async (
  clientId = 'posthorn',
  clientSecret = 'a secret of the client',
  description: Readonly<Record<string, unknown>> = {},
) => {
  const codes = new Map<string, { readonly visit: Visit; readonly claims: Readonly<Record<string, unknown>> }>()
  let changes: TokenChanges = {}
  let userInfo: Readonly<Record<string, unknown>> = {}
  let faults: Readonly<Record<string, number>> = {}
  let made = 0
  const asked: string[] = []

  const signatureOf = (text: string, key: KeyObject) => sign('sha256', Buffer.from(text), key).toString('base64url')
  const tokenOf = (claims: Readonly<Record<string, unknown>>): string => {
    const { header, claims: changed, by } = changes
    const text = `${part({ alg: 'RS256', kid: 'one', ...header })}.${part({ ...claims, ...changed })}`
    if (by === 'nobody') return `${text}.`
    if (by === 'the client secret')
      return `${text}.${createHmac('sha256', clientSecret).update(text).digest('base64url')}`
    return `${text}.${signatureOf(text, by === 'another key' ? foreign.privateKey : own.privateKey)}`
  }

  const isClient = ({ headers }: IncomingMessage, body: URLSearchParams): boolean => {
    const [, basic = ''] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
    const [id, secret] =
      basic === ''
        ? [body.get('client_id'), body.get('client_secret')]
        : Buffer.from(basic, 'base64')
            .toString()
            .split(':')
            .map((one) => decodeURIComponent(one.replace(/\+/g, ' ')))
    return id === clientId && secret === clientSecret
  }

  const tokens = async (request: IncomingMessage): Promise<readonly [number, object]> => {
    const body = await bodyOf(request)
    if (!isClient(request, body)) return [401, { error: 'invalid_client' }]
    const code = body.get('code') ?? ''
    const found = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      found &&
      found.visit.query.get('code_challenge') === challenge &&
      body.get('redirect_uri') === found.visit.redirectUri
    if (!isRight) return [400, { error: 'invalid_grant' }]
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const idToken = tokenOf({
      iss: base,
      aud: clientId,
      nonce: found.visit.query.get('nonce'),
      ...times,
      ...found.claims,
    })
    return [
      200,
      { access_token: `access ${code}`.replace(' ', '-'), token_type: 'Bearer', expires_in: 300, id_token: idToken },
    ]
  }

  const answers: Readonly<Record<string, (request: IncomingMessage) => Promise<readonly [number, object]>>> = {
    '/.well-known/openid-configuration': async () => [
      200,
      {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        userinfo_endpoint: `${base}/userinfo`,
        jwks_uri: `${base}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...description,
      },
    ],
    '/keys': async () => [
      200,
      { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    ],
    '/token': tokens,
    '/userinfo': async () => [200, userInfo],
  }

  const server = createServer((request, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    asked.push(path)
    const send = ([status, body]: readonly [number, object]) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          // RFC 6749 section 5.2.
          ...(status === 401 && { 'www-authenticate': 'Basic realm="clients", error="invalid_client"' }),
        })
        .end(JSON.stringify(body))
    const fault = faults[path]
    if (fault !== undefined) return void send([fault, { error: fault < 500 ? 'unauthorized_client' : 'server_error' }])
    const answer = answers[path] ?? (async () => [404, {}] as const)
    void answer(request).then(send)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // Nothing waits for it: the end of the process ends it.
  server.unref()
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const visitOf = (url: string): Visit => {
    const query = new URL(url).searchParams
    return { redirectUri: query.get('redirect_uri') ?? '', state: query.get('state') ?? '', query }
  }
  return {
    issuer: base,
    clientId,
    clientSecret,
    /** The paths of all requests so far. */
    asked: asked as readonly string[],
    /** How tokens are made from now on. */
    change: (next: TokenChanges) => {
      changes = next
    },
    /** What the UserInfo endpoint answers from now on. */
    inform: (claims: Readonly<Record<string, unknown>>) => {
      userInfo = claims
    },
    /** The status of paths that fail from now on. */
    fail: (next: Readonly<Record<string, number>>) => {
      faults = next
    },
    /** Somebody signs in at the URL: the query with which the browser comes back. */
    answer: (url: string, claims: Readonly<Record<string, unknown>>): string => {
      made += 1
      const visit = visitOf(url)
      codes.set(`code-${made}`, { visit, claims })
      return `?${String(new URLSearchParams({ code: `code-${made}`, state: visit.state }))}`
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
export type OidcServer = Awaited<ReturnType<typeof oidcServer>>
