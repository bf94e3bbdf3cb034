import { type SmtpOptions, WrongSmtpOptions } from './smtp-settings.js'

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
