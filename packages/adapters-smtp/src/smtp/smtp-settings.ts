import { hostname } from 'node:os'

/** In ms. */
export type SmtpTimeouts = {
  /** TCP, and each TLS handshake. Default 10 s. */
  readonly connect: number
  /** Default 30 s. */
  readonly greeting: number
  /** Reply to a command. Default 60 s. */
  readonly command: number
  /** Reply to a whole mail. Default 10 min (RFC 5321, 4.5.3.2.6): a shorter one causes duplicates. */
  readonly data: number
  /** Default 10 s. */
  readonly idle: number
}

/** Of an access token, in place of a password. Without a refresh token: the client-credentials grant. */
export type OAuth2Settings = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly refreshToken?: string | undefined
  readonly scope?: string | undefined
}

export type SmtpSettings = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (RFC 8314); otherwise STARTTLS if offered. */
  readonly secure: boolean
  /** Default: true with a password or token, unless the host is this machine. */
  readonly requireTls: boolean
  readonly verify: boolean
  /** PEM certificates that replace the public authorities. */
  readonly ca: string | undefined
  readonly user: string | undefined
  readonly pass: string | undefined
  /** Signs the user in by XOAUTH2 or OAUTHBEARER. */
  readonly oauth2: OAuth2Settings | undefined
  readonly name: string
  readonly pool: number
  /** Mails per connection. */
  readonly maxMessages: number
  readonly timeouts: SmtpTimeouts
}

export type SmtpOptions = Partial<Omit<SmtpSettings, 'timeouts'>> & { readonly timeouts?: Partial<SmtpTimeouts> }

/** Names all wrong options, never a password. */
export class WrongSmtpOptions extends Error {
  override readonly name = 'WrongSmtpOptions'
}

const isLocal = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** RFC 5321, 4.1.4: a fully qualified name, or an address in brackets. */
const ownName = () => (/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(hostname()) ? hostname() : '[127.0.0.1]')

const wholeNumber = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most

/** A secret travels to that URL. */
const isTokenUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isSecret = protocol === 'https:' || (protocol === 'http:' && isLocal(hostname.replace(/^\[|\]$/g, '')))
  return isSecret && username === '' && password === ''
}

const signInComplaints = ({ user, pass, oauth2 }: SmtpSettings): readonly string[] => {
  if (!oauth2)
    return (user === undefined) === (pass === undefined) ? [] : ['a user needs a password, and a password a user']
  return [
    ...(user === undefined ? ['OAuth 2.0 needs a user: the mailbox that sends'] : []),
    ...(pass === undefined ? [] : ['OAuth 2.0 takes the place of a password; leave the password out']),
    ...(isTokenUrl(oauth2.tokenUrl) ? [] : ['the token URL of OAuth 2.0 is an https URL without user and password']),
    ...(oauth2.clientId === '' ? ['OAuth 2.0 needs the id of a client'] : []),
    ...(oauth2.refreshToken === undefined && oauth2.clientSecret === undefined
      ? ['OAuth 2.0 needs a refresh token, or the secret of a client']
      : []),
  ]
}

const complaints = (settings: SmtpSettings): readonly string[] => {
  const { host, port, name, pool, maxMessages, timeouts } = settings
  return [
    ...(/^[A-Za-z0-9.:_-]+$/.test(host) ? [] : ['the host name is missing or malformed']),
    ...(wholeNumber(port, 1, 65_535) ? [] : ['the port is a number from 1 to 65535']),
    ...signInComplaints(settings),
    ...(/^[A-Za-z0-9.:_[\]-]+$/.test(name) ? [] : ['name is the host name of this machine']),
    ...(wholeNumber(pool, 1, 1_000) ? [] : ['pool is a number of connections from 1 to 1000']),
    ...(wholeNumber(maxMessages, 1, Number.MAX_SAFE_INTEGER) ? [] : ['maxMessages is a number from 1']),
    ...Object.entries(timeouts).flatMap(([key, value]) =>
      value > 0 && value <= 3_600_000 ? [] : [`the ${key} time-out is a number of milliseconds up to an hour`],
    ),
  ]
}

const filled = (options: SmtpOptions): SmtpSettings => {
  const host = options.host ?? ''
  const secure = options.secure ?? false
  return {
    host,
    port: options.port ?? (secure ? 465 : 587),
    secure,
    requireTls: options.requireTls ?? ((options.pass ?? options.oauth2) !== undefined && !isLocal(host)),
    verify: options.verify ?? true,
    ca: options.ca,
    user: options.user,
    pass: options.pass,
    oauth2: options.oauth2,
    name: options.name ?? ownName(),
    pool: options.pool ?? 5,
    maxMessages: options.maxMessages ?? 1_000,
    timeouts: { connect: 10_000, greeting: 30_000, command: 60_000, data: 600_000, idle: 10_000, ...options.timeouts },
  }
}

/** What is wrong, never with a password. */
export const smtpOptionViolations = (options: SmtpOptions): readonly string[] => complaints(filled(options))

/** Default port: 465 with TLS, else 587 (RFC 6409). @throws WrongSmtpOptions */
export const smtpSettings = (options: SmtpOptions): SmtpSettings => {
  const settings = filled(options)
  const wrong = complaints(settings)
  if (wrong.length > 0) throw new WrongSmtpOptions(`SMTP: ${wrong.join('; ')}`)
  return settings
}

const form = 'smtp://user:password@host:587?pool=5&requireTls=true, or smtps:// for TLS from the first byte'

const yesOrNo = new Map([
  ['true', true],
  ['false', false],
])

type Readers = Readonly<Record<string, (text: string) => SmtpOptions | undefined>>

const flag = (key: 'requireTls' | 'verify') => (text: string) => {
  const value = yesOrNo.get(text)
  return value === undefined ? undefined : { [key]: value }
}

const count = (key: 'pool' | 'maxMessages') => (text: string) =>
  /^\d{1,9}$/.test(text) ? { [key]: Number(text) } : undefined

const parameters: Readers = {
  requireTls: flag('requireTls'),
  verify: flag('verify'),
  pool: count('pool'),
  maxMessages: count('maxMessages'),
  name: (name) => ({ name }),
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new WrongSmtpOptions('SMTP_URL: a % in the user or password is written %25')
  }
}

/**
 * `smtp://user:pass@host:587?pool=5&requireTls=true`, percent-encoded. Parameters: `requireTls`, `verify`, `pool`,
 * `maxMessages`, `name`.
 * @throws WrongSmtpOptions naming every error, without the password
 */
export const smtpUrl = (text: string): SmtpOptions => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '')
    throw new WrongSmtpOptions(`SMTP_URL: write it as ${form}`)
  const wrong: string[] = []
  if (url.pathname !== '' && url.pathname !== '/') wrong.push('nothing may follow the host but parameters')
  if (url.hash !== '') wrong.push('a # in the user or password is written %23')
  const given: SmtpOptions[] = []
  for (const [key, value] of url.searchParams) {
    const read = Object.hasOwn(parameters, key) ? parameters[key] : undefined
    const option = read?.(value)
    if (!read) wrong.push(`unknown parameter ${key}; there are ${Object.keys(parameters).join(', ')}`)
    else if (!option) wrong.push(`${key}=${value} is not understood`)
    else given.push(option)
  }
  if (wrong.length > 0) throw new WrongSmtpOptions(`SMTP_URL: ${wrong.join('; ')}`)
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    secure: url.protocol === 'smtps:',
    ...(url.port !== '' && { port: Number(url.port) }),
    ...(url.username !== '' && { user: decoded(url.username) }),
    ...(url.password !== '' && { pass: decoded(url.password) }),
    ...Object.assign({}, ...given),
  }
}
