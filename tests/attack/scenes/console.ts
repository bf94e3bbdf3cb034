import { type Permission, rolePermissions, roles } from '@posthorn/core/ports/transport'
import { type OidcServer, oidcServer, type TokenChanges } from '../../../packages/adapters-oidc/test/oidc-server.js'
import { consoleApiRoutes } from '../../../packages/http-express/src/console/rows.js'
import type { Answer } from '../client.js'
import { type Scene, type Stage, unless } from '../scene.js'

const api = '/console/api'
const password = 'correct horse battery'
const ownPage = { 'sec-fetch-site': 'same-origin' }

/** The server believes the tests' proxy, so that each visitor has an address of its own; they all share this object, and one server. */
const behindProxy = { POSTHORN_TRUST_PROXY: 'loopback' }

let visitors = 0
const fromElsewhere = () => {
  visitors += 1
  return { 'x-forwarded-for': `203.0.${Math.floor(visitors / 250)}.${(visitors % 250) + 1}` }
}

const cookieIn = ({ headers }: Answer): string => headers['set-cookie']?.[0]?.split(';')[0] ?? ''

/** Somebody with a role in the attacker’s account, signed in: the cookie. @throws Error if signing in fails */
const signedIn = async ({ client, target, attacker }: Stage, email: string, role: string): Promise<string> => {
  const where = ['--role', role, '--account', attacker.accountId]
  const { url } = (await target.command('person', 'create', email, ...where)) as { readonly url: string }
  const body = { token: url.split('#')[1], password }
  const answer = await client.ask('POST', `${api}/reset`, { body, headers: { ...ownPage, ...fromElsewhere() } })
  const cookie = cookieIn(answer)
  if (cookie === '') throw new Error(`${email} could not sign in: ${answer.status} ${answer.text}`)
  return cookie
}

const foreignPages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'another site': { 'sec-fetch-site': 'cross-site' },
  'another host of the site': { 'sec-fetch-site': 'same-site' },
  'another Origin': { origin: 'https://evil.example' },
  'the Origin null': { origin: 'null' },
  'no header at all': {},
}
/** What a form of another site can send without a preflight. */
const simpleTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

const crossSite = async (stage: Stage): Promise<readonly string[]> => {
  const { client, attacker } = stage
  const cookie = await signedIn(stage, 'victim-of-pages@example.com', 'owner')
  const lists = `${api}/projectId/${attacker.projectId}/subscriber-lists`
  const count = async () =>
    (await client.ask('GET', lists, { headers: { cookie, ...ownPage } })).text.match(/"count":(\d+)/)?.[1]
  const before = await count()
  const broken: string[] = []
  const body = JSON.stringify({ name: 'Forged' })
  for (const [name, page] of Object.entries(foreignPages))
    for (const type of ['application/json', ...simpleTypes]) {
      const headers = { cookie, 'content-type': type, ...page }
      const { status, headers: answered } = await client.ask('POST', lists, { body, headers })
      broken.push(...unless(status === 403, `POST of ${name} as ${type}: ${status}`))
      broken.push(...unless(answered['access-control-allow-origin'] === undefined, `${name} may read the answer`))
    }
  const writing = consoleApiRoutes.filter(({ method }) => method !== 'get')
  for (const { method, path } of writing) {
    const at = path.replace('{projectId}', attacker.projectId).replace(/\{\w+\}/g, 'none')
    const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }
    const { status } = await client.ask(method.toUpperCase(), at, { body: '{}', headers })
    broken.push(...unless(status === 403, `${method} ${at} of another site: ${status}`))
  }
  for (const type of simpleTypes) {
    const { status } = await client.ask('POST', lists, { body, headers: { cookie, 'content-type': type, ...ownPage } })
    broken.push(...unless(status >= 400 && status < 500, `POST as ${type}: ${status}`))
  }
  for (const page of Object.values(foreignPages)) {
    await client.ask('DELETE', `${api}/session`, { headers: { cookie, ...page } })
    await client.ask('GET', lists, { headers: { cookie, ...page } })
  }
  return [...broken, ...unless((await count()) === before, 'a foreign page changed something, or ended the session')]
}

const chosenSession = async (stage: Stage): Promise<readonly string[]> => {
  const { client } = stage
  const email = 'victim-of-fixation@example.com'
  const first = await signedIn(stage, email, 'analyst')
  const [name = ''] = first.split('=')
  const open = async (cookie: string) =>
    (await client.ask('GET', `${api}/session`, { headers: { cookie, ...ownPage } })).status
  const signIn = (cookie: string) =>
    client.ask('POST', `${api}/session`, {
      body: { email, password },
      headers: { cookie, ...ownPage, ...fromElsewhere() },
    })
  const chosen = `${name}=${'A'.repeat(43)}`
  const fresh = cookieIn(await signIn(chosen))
  const rotated = cookieIn(await signIn(first))
  return [
    ...unless((await open(chosen)) === 401 && fresh !== chosen, 'a session that the attacker chose was opened'),
    ...unless((await open(first)) === 401 && rotated !== first, 'signing in again kept the session'),
    ...unless((await open(rotated)) === 200, 'the new session does not open'),
  ]
}

const headersOfResponses = async (stage: Stage): Promise<readonly string[]> => {
  const { client, attacker } = stage
  const cookie = await signedIn(stage, 'victim-of-frames@example.com', 'owner')
  const reads = consoleApiRoutes.filter(({ method }) => method === 'get').map(({ path }) => path)
  const paths = reads.map((path) => path.replace('{projectId}', attacker.projectId).replace(/\{\w+\}/g, 'none'))
  const broken: string[] = []
  const look = async (path: string, cached: RegExp, framed: RegExp) => {
    const { status, headers } = await client.ask('GET', path, { headers: { cookie, ...ownPage } })
    const policy = String(headers['content-security-policy'])
    broken.push(
      ...unless(cached.test(String(headers['cache-control'])), `${path} (${status}): ${headers['cache-control']}`),
      ...unless(framed.test(policy), `${path} may be framed: ${policy}`),
      ...unless(headers['x-content-type-options'] === 'nosniff', `${path}: its type is guessed`),
      ...unless(headers['access-control-allow-origin'] === undefined, `${path}: other sites may read it`),
    )
  }
  for (const path of paths) await look(path, /no-store/, /frame-ancestors 'none'/)
  for (const path of ['', '/sign-in', `/${attacker.projectId}/campaigns`, '/invitation', '/reset'])
    await look(`/console${path}`, /no-store/, /frame-ancestors 'none'/)
  await look('/console/preview-frame', /no-store/, /^sandbox allow-scripts;.*frame-ancestors 'self'/)
  return broken
}

const everyRole = async (stage: Stage): Promise<readonly string[]> => {
  const { client, attacker, victim, size } = stage
  const broken: string[] = []
  const ofProject = consoleApiRoutes.filter(({ path }) => path.includes('{projectId}'))
  for (const role of roles.slice(-size(roles.length, 2))) {
    const cookie = await signedIn(stage, `${role}@example.com`, role)
    const granted: readonly Permission[] = rolePermissions[role]
    const ask = (method: string, path: string, projectId: string) =>
      client.ask(method.toUpperCase(), path.replace('{projectId}', projectId).replace(/\{\w+\}/g, 'none'), {
        headers: { cookie, ...ownPage },
        ...((method === 'post' || method === 'patch') && { body: {} }),
      })
    for (const { method, path, permission } of ofProject) {
      const own = await ask(method, path, attacker.projectId)
      const isRefused = own.status === 403 && own.text.includes('role does not include')
      broken.push(...unless(isRefused !== granted.includes(permission), `${role}, ${method} ${path}: ${own.status}`))
      const other = await ask(method, path, victim.projectId)
      const unknown = await ask(method, path, 'f'.repeat(24))
      broken.push(
        ...unless(other.status === 403, `${role} in another account, ${method} ${path}: ${other.status}`),
        ...unless(other.text === unknown.text, `${role} learns that a project exists by ${method} ${path}`),
      )
    }
    const withCookie = await client.ask('GET', `/v1/projectId/${attacker.projectId}/campaigns`, {
      headers: { cookie, ...ownPage },
    })
    broken.push(...unless(withCookie.status === 403, `/v1 reads the cookie: ${withCookie.status}`))
  }
  const { key } = attacker
  const byKey = await client.ask('GET', `${api}/projectId/${attacker.projectId}/campaigns`, {
    headers: { authorization: `Bearer ${key}`, ...ownPage },
  })
  return [...broken, ...unless(byKey.status === 401, `an API key opens the console: ${byKey.status}`)]
}

const guessed = async (stage: Stage): Promise<readonly string[]> => {
  const { client, size } = stage
  const email = 'victim-of-guesses@example.com'
  await signedIn(stage, email, 'analyst')
  const tries = size(300, 60)
  const attempt = (given: string, from: Readonly<Record<string, string>>, n: number) =>
    client.once('POST', `${api}/session`, {
      body: { email: given, password: `guess number ${n}` },
      headers: { ...ownPage, ...from },
    })
  const from = fromElsewhere()
  const numbers = Array.from({ length: tries }, (_, n) => n)
  const ofOne = await Promise.all(numbers.map((n) => attempt(`${n}@example.com`, from, n)))
  const ofMany = await Promise.all(numbers.map((n) => attempt(email, fromElsewhere(), n)))
  const compared = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 401).length
  const links = await Promise.all(
    numbers.map((n) =>
      client.once('POST', `${api}/link`, { body: { token: `guess ${n}` }, headers: { ...ownPage, ...from } }),
    ),
  )
  const known = await attempt('victim-of-frames@example.com', fromElsewhere(), 0)
  const unknown = await attempt('nobody@example.com', fromElsewhere(), 0)
  const resets = await Promise.all(
    ['victim-of-frames@example.com', 'nobody@example.com'].map((one) =>
      client.once('POST', `${api}/reset-request`, {
        body: { email: one },
        headers: { ...ownPage, ...fromElsewhere() },
      }),
    ),
  )
  const statuses = new Set([...ofOne, ...ofMany, ...links].map(({ status }) => status))
  return [
    ...unless(compared(ofOne) <= 12, `${compared(ofOne)} of ${tries} guesses from one address were compared`),
    ...unless(compared(ofMany) <= 22, `${compared(ofMany)} of ${tries} guesses for one person were compared`),
    ...unless(compared(links) <= 3, `${compared(links)} of ${tries} links were looked up`),
    ...unless(
      [...statuses].every((one) => one === 401 || one === 429),
      `answered ${[...statuses].join(', ')}`,
    ),
    ...unless(known.text === unknown.text, 'a wrong password tells which addresses are known'),
    ...unless(resets[0]?.text === resets[1]?.text, 'asking for a new password tells which addresses are known'),
  ]
}

let identityProvider: OidcServer | undefined
const withProvider = async () => {
  identityProvider ??= await oidcServer()
  const { issuer, clientId, clientSecret } = identityProvider
  return {
    ...behindProxy,
    POSTHORN_OIDC_ISSUER: issuer,
    POSTHORN_OIDC_CLIENT_ID: clientId,
    POSTHORN_OIDC_CLIENT_SECRET: clientSecret,
    POSTHORN_OIDC_ROLES: 'readers=analyst; owners=owner',
  }
}

const now = () => Math.floor(Date.now() / 1000)
const hostileTokens = (): Readonly<Record<string, TokenChanges>> => ({
  'another issuer': { claims: { iss: 'https://evil.example' } },
  'another audience': { claims: { aud: 'somebody else' } },
  'another nonce': { claims: { nonce: 'chosen' } },
  'no nonce': { claims: { nonce: undefined } },
  'an end in the past': { claims: { exp: now() - 60 } },
  'the algorithm none': { header: { alg: 'none' }, by: 'nobody' },
  'no signature': { by: 'nobody' },
  'a signature by the client’s secret': { header: { alg: 'HS256' }, by: 'the client secret' },
  'a signature by another key': { by: 'another key' },
})

const providerSignIn = async (stage: Stage): Promise<readonly string[]> => {
  const { client, victim, size } = stage
  const provider = identityProvider
  if (!provider) throw new Error('The identity provider has not started')
  const mallory = { sub: 'mallory', email: 'mallory@example.com', email_verified: true, groups: ['readers'] }
  const victimEmail = 'victim-of-linking@example.com'
  const own = await signedIn(stage, victimEmail, 'owner')
  const leave = async (more = '', body?: object) => {
    const headers = { ...ownPage, ...fromElsewhere() }
    const answer = await client.ask('POST', `${api}/sign-in/provider${more}`, { headers, ...(body && { body }) })
    const { result } = JSON.parse(answer.text) as { readonly result?: { readonly url: string } }
    return { answer, url: result?.url ?? '', flow: cookieIn(answer) }
  }
  const comeBack = (answer: string, cookie: string, page: Readonly<Record<string, string>> = ownPage) =>
    client.ask('POST', `${api}/sign-in/callback`, {
      body: { answer },
      headers: { cookie, ...page, ...fromElsewhere() },
    })
  const broken: string[] = []
  const refused = (name: string, { status, headers, text }: Answer) => {
    const sessions = (headers['set-cookie'] ?? []).filter((one) => !/Max-Age=0/.test(one))
    broken.push(
      ...unless(status >= 400 && status < 500 && sessions.length === 0, `${name}: ${status}`),
      ...unless(!/code-\d|eyJ|secret of/.test(text), `${name}: the response contains a code, a token or the secret`),
    )
  }

  // Login CSRF: the attacker's answer in the victim's browser, with and without a visit of its own.
  const visit = await leave()
  const answer = provider.answer(visit.url, mallory)
  refused('an answer without the cookie', await comeBack(answer, ''))
  refused('an answer in a browser that is signed in', await comeBack(answer, own))
  refused('an answer in a browser with a visit of its own', await comeBack(answer, (await leave()).flow))
  for (const [name, page] of Object.entries(foreignPages))
    refused(`an answer posted by ${name}`, await comeBack(answer, visit.flow, page))
  const after = await client.ask('GET', `${api}/session`, { headers: { cookie: own, ...ownPage } })
  broken.push(...unless(after.text.includes(victimEmail), 'the victim’s session was replaced'))

  // Replay: of an answer, and of a state with another code, many at once.
  const again = provider.answer(visit.url, mallory)
  const all = await Promise.all(Array.from({ length: size(8, 4) }, () => comeBack(again, visit.flow)))
  broken.push(
    ...unless(all.filter(({ status }) => status === 200).length === 1, 'one state signed in not exactly once'),
  )
  refused('the same state with another code', await comeBack(answer, visit.flow))

  // Redirects: nothing in a request names where to go.
  const pushed = await leave('', { redirect_uri: 'https://evil.example', next: '//evil.example' })
  const turned = new URL(pushed.url || 'http://none').searchParams.get('redirect_uri') ?? ''
  broken.push(...unless(!turned.includes('evil') && !pushed.answer.text.includes('evil'), `sent to ${turned}`))
  const good = await leave()
  const entered = await comeBack(
    `${provider.answer(good.url, mallory)}&redirect_uri=https%3A%2F%2Fevil.example&next=%2F%2Fevil.example`,
    good.flow,
  )
  broken.push(
    ...unless(
      entered.headers.location === undefined && !entered.text.includes('evil'),
      'an answer turned the browser elsewhere',
    ),
  )

  // Tokens of a provider that somebody else answers for.
  for (const [name, changes] of Object.entries(hostileTokens())) {
    const { url, flow } = await leave()
    provider.change(changes)
    refused(`an ID token with ${name}`, await comeBack(provider.answer(url, { ...mallory, groups: ['owners'] }), flow))
  }
  provider.change({})

  // Somebody else's address, and no role.
  for (const [name, claims] of Object.entries({
    'the victim’s verified address': { ...mallory, sub: 'm-2', email: victimEmail, groups: ['owners'] },
    'no role': { ...mallory, sub: 'm-3', groups: [] },
  })) {
    const { url, flow } = await leave()
    refused(name, await comeBack(provider.answer(url, claims), flow))
  }
  const unverified = await leave()
  const claims = { ...mallory, sub: 'm-4', email: victimEmail, email_verified: false }
  const seen = await comeBack(provider.answer(unverified.url, claims), unverified.flow)
  broken.push(...unless(!seen.text.includes('"role":"owner"'), 'an unverified address opened an account'))
  broken.push(...unless(!seen.text.includes(victim.projectId), 'an unverified address opened another account'))
  return broken
}

const scenes: Readonly<Record<string, Scene['run']>> = {
  'pages of other sites, with the cookie of somebody who is signed in': crossSite,
  'a session of the console that somebody else chose': chosenSession,
  'every response of the console, framed, cached or read elsewhere': headersOfResponses,
  'every role against every row of the console, and another account’s project': everyRole,
  'passwords, links and addresses of people, guessed': guessed,
}

/** What people of the console are protected from. */
export const consoleScenes: readonly Scene[] = Object.entries(scenes)
  .map(
    ([name, run]): Scene => ({
      name,
      settings: behindProxy,
      run,
    }),
  )
  .concat({
    name: 'the identity provider’s answer, forged, replayed or turned elsewhere',
    settings: withProvider,
    run: providerSignIn,
  })
