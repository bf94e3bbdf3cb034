import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { smtpMailer } from '../../src/index.js'
import { oauth2Tokens } from '../../src/smtp/oauth2-tokens.js'
import { mail, scripted, sink } from './servers.js'

const endings: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

type TokenReply = { readonly status?: number; readonly body: unknown }

/** A token endpoint that keeps the forms it gets, and answers each by its number. */
const tokenEndpoint = async (replyTo: (n: number, form: URLSearchParams) => TokenReply) => {
  const forms: URLSearchParams[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const form = new URLSearchParams(text)
    forms.push(form)
    const { status = 200, body } = replyTo(forms.length, form)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  endings.push(() => new Promise<void>((done) => server.close(() => done())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, forms }
}

/** A relay that takes only the given access tokens of ada@example.com. */
const relay = async (accepted: () => readonly string[], options: SMTPServerOptions = {}) => {
  const offered: string[] = []
  const server = await sink({
    authOptional: false,
    authMethods: ['XOAUTH2'],
    onAuth: ({ username = '', accessToken = '' }, _session, done) => {
      offered.push(accessToken)
      const isRight = username === 'ada@example.com' && accepted().includes(accessToken)
      done(null, isRight ? { user: username } : { data: { status: '401', schemes: 'bearer', scope: 'mail' } })
    },
    ...options,
  })
  endings.push(server.close)
  return { ...server, offered }
}

const secrets = { clientSecret: 'very-secret', refreshToken: 'refresh-secret' }

const mailerOf = (port: number, tokenUrl: string, others: object = {}) => {
  const lines: string[] = []
  const mailer = smtpMailer({
    host: '127.0.0.1',
    port,
    user: 'ada@example.com',
    oauth2: { tokenUrl, clientId: 'client', ...secrets, ...others },
    log: (_level, message, facts) => void lines.push(`${message} ${JSON.stringify(facts)}`),
  })
  endings.push(() => mailer.close())
  return { mailer, lines }
}

describe('a relay with XOAUTH2', () => {
  it('gets a token by the refresh token, once for all connections', async () => {
    const tokens = await tokenEndpoint(() => ({ body: { access_token: 'one', expires_in: 3600 } }))
    const server = await relay(() => ['one'])
    const { mailer } = mailerOf(server.port, tokens.url, { scope: 'https://mail.example/' })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => mailer.send(mail())))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 20 }, () => 'accepted'))
    expect(tokens.forms.map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'refresh-secret',
        client_id: 'client',
        client_secret: 'very-secret',
        scope: 'https://mail.example/',
      },
    ])
    expect(server.connections()).toBeGreaterThan(1)
  })

  it('gets a token by client credentials without a refresh token', async () => {
    const tokens = await tokenEndpoint(() => ({ body: { access_token: 'one', expires_in: 3600 } }))
    const server = await relay(() => ['one'])
    const { mailer } = mailerOf(server.port, tokens.url, { refreshToken: undefined })
    await mailer.check()
    expect(tokens.forms[0]?.get('grant_type')).toBe('client_credentials')
  })

  it('replaces a token that the relay refuses, once', async () => {
    const tokens = await tokenEndpoint((n) => ({ body: { access_token: `token-${n}`, expires_in: 3600 } }))
    let accepted = ['token-2']
    const server = await relay(() => accepted)
    const { mailer } = mailerOf(server.port, tokens.url)
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(server.offered).toEqual(['token-1', 'token-2'])
    accepted = []
    await expect(mailer.check()).rejects.toThrow(
      /refuses the access token of ada@example\.com \(status: 401, schemes: bearer, scope: mail\): 535/,
    )
    expect(server.offered).toEqual(['token-1', 'token-2', 'token-2', 'token-3'])
  })

  it('defers mails with the cause, and reveals neither token nor secret', async () => {
    const tokens = await tokenEndpoint(() => ({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: 'The token refresh-secret of very-secret expired\r\nTrace: 1',
      },
    }))
    const server = await relay(() => [])
    const { mailer, lines } = mailerOf(server.port, tokens.url)
    const outcome = await mailer.send(mail())
    expect(outcome).toMatchObject({
      kind: 'deferred',
      error: {
        message: expect.stringMatching(/^No access token from 127.*: invalid_grant \(The token … of … expired\)$/),
      },
    })
    const problem = await mailer.check().then(
      () => '',
      ({ message }: Error) => message,
    )
    expect(problem).toContain('invalid_grant')
    for (const text of [JSON.stringify(outcome), problem, ...lines]) expect(text).not.toMatch(/secret/)
    expect(tokens.forms).toHaveLength(1)
  })

  it.each([
    ['an answer without a token', { body: {} }, 'it answered 200 without a token'],
    ['a page in place of JSON', { status: 502, body: '<html>' }, 'it answered 502 without a token'],
    ['a redirect', { status: 302, body: '' }, 'it answered 302 without a token'],
    ['a token with a line end', { body: { access_token: 'a\r\nb' } }, 'it answered 200 without a token'],
  ])('reports %s', async (_what, answer: TokenReply, cause) => {
    const tokens = await tokenEndpoint(() => answer)
    const server = await relay(() => [])
    await expect(mailerOf(server.port, tokens.url).mailer.check()).rejects.toThrow(cause)
  })

  it('names what a relay without it offers', async () => {
    const tokens = await tokenEndpoint(() => ({ body: { access_token: 'one' } }))
    const server = await relay(() => [], { authMethods: ['PLAIN', 'LOGIN'] })
    await expect(mailerOf(server.port, tokens.url).mailer.check()).rejects.toThrow(
      /it offers (PLAIN, LOGIN|LOGIN, PLAIN)/,
    )
  })

  it('uses OAUTHBEARER where there is no XOAUTH2', async () => {
    const tokens = await tokenEndpoint(() => ({ body: { access_token: 'one' } }))
    const server = await scripted(() => ({
      turn: (line) => {
        if (line.startsWith('EHLO')) return '250-relay\r\n250 AUTH OAUTHBEARER\r\n'
        if (line.startsWith('AUTH OAUTHBEARER '))
          return `334 ${Buffer.from('{"status":"invalid_token"}').toString('base64')}\r\n`
        return line === 'AQ==' ? '535 5.7.8 no\r\n' : '250 ok\r\n'
      },
    }))
    endings.push(server.close)
    await expect(mailerOf(server.port, tokens.url).mailer.check()).rejects.toThrow(/\(status: invalid_token\): 535/)
    const [first = ''] = server.heard.filter((line) => line.startsWith('AUTH'))
    expect(Buffer.from(first.slice('AUTH OAUTHBEARER '.length), 'base64').toString()).toBe(
      `n,a=ada@example.com,\x01host=127.0.0.1\x01port=${server.port}\x01auth=Bearer one\x01\x01`,
    )
  })

  it.each([
    [{ user: undefined }, 'needs a user'],
    [{ pass: 'word' }, 'leave the password out'],
    [{ oauth2: { tokenUrl: 'http://login.example.com/token', clientId: 'a', clientSecret: 'b' } }, 'an https URL'],
    [
      { oauth2: { tokenUrl: 'https://login.example.com/token', clientId: '' } },
      'needs the id of a client; OAuth 2.0 needs a refresh token',
    ],
  ])('refuses wrong options: %o', (wrong, message) => {
    const oauth2 = { tokenUrl: 'https://login.example.com/token', clientId: 'client', ...secrets }
    expect(() => smtpMailer({ host: 'relay.example.com', user: 'ada@example.com', oauth2, ...wrong })).toThrow(message)
  })
})

describe('an access token', () => {
  const settings = { tokenUrl: 'https://login.example.com/token', clientId: 'client', ...secrets }

  it('is kept until a minute before it expires', async () => {
    let now = 0
    let asked = 0
    const tokens = oauth2Tokens(
      settings,
      () => now,
      async () => {
        asked += 1
        return { status: 200, body: JSON.stringify({ access_token: `token-${asked}`, expires_in: 600 }) }
      },
    )
    expect(await tokens.token()).toBe('token-1')
    now = 539_999
    expect(await tokens.token()).toBe('token-1')
    now = 540_000
    expect(await tokens.token()).toBe('token-2')
  })

  it('is asked for with the last refresh token that the provider gave', async () => {
    const used: (string | undefined)[] = []
    const tokens = oauth2Tokens(settings, undefined, async (_url, form) => {
      used.push(form.refresh_token)
      return {
        status: 200,
        body: JSON.stringify({ access_token: `t${used.length}`, refresh_token: `r${used.length}` }),
      }
    })
    await tokens.after(await tokens.token())
    expect(used).toEqual(['refresh-secret', 'r1'])
  })

  it('is asked for again five seconds after a failure', async () => {
    let now = 0
    let asked = 0
    const tokens = oauth2Tokens(
      settings,
      () => now,
      async () => {
        asked += 1
        throw new Error('it refused the connection')
      },
    )
    for (let n = 0; n < 3; n += 1) await expect(tokens.token()).rejects.toThrow('login.example.com: it refused')
    expect(asked).toBe(1)
    now = 5_000
    await expect(tokens.token()).rejects.toThrow('it refused the connection')
    expect(asked).toBe(2)
  })
})
