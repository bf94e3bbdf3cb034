import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isDnsServer } from '@posthorn/adapters-node'
import { type SmtpOptions, smtpUrl, WrongSmtpOptions } from '@posthorn/adapters-smtp'
import type { ProviderRoleMapping } from '@posthorn/core/ports/runtime'
import { hostName, roles as peopleRoles } from '@posthorn/core/ports/transport'
import { z } from 'zod'

/** `mail-team=writer@<account>`; the value may contain `=` and `@`. */
const providerRoleIn = (pair: string): ProviderRoleMapping | undefined => {
  const at = pair.lastIndexOf('=')
  const [name, accountId, ...rest] = pair
    .slice(at + 1)
    .trim()
    .split('@')
  const value = pair.slice(0, at).trim()
  const role = [...peopleRoles, 'operator' as const].find((one) => one === name)
  const isAccount = accountId === undefined || (role !== 'operator' && /^[\da-f]{24}$/.test(accountId))
  if (at < 1 || value === '' || role === undefined || rest.length > 0 || !isAccount) return undefined
  return { value, role, ...(accountId !== undefined && { accountId }) }
}

/** `expected` completes error messages. */
export type VariableKind<S extends z.ZodType> = { readonly schema: S; readonly expected: string }

const kind = <S extends z.ZodType>(expected: string, schema: S): VariableKind<S> => ({ schema, expected })

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

const numeric = (pattern: RegExp, most: number) =>
  z
    .string()
    .regex(pattern)
    .transform(Number)
    .refine((n) => n > 0 && n <= most)

const megabyte = 1024 * 1024
/** In MB. V8 limits strings to 512 MB, and a body is a string before it is parsed. */
export const largestTextMegabytes = 400

export const text = kind('a text', z.string())
export const shortText = kind('1 to 100 characters without line breaks', z.string().regex(/^[^\r\n]{1,100}$/))
export const flag = kind(
  'true or false',
  z.enum(['true', 'false']).transform((word) => word === 'true'),
)
export const oneOf = <const W extends string>(...words: readonly W[]) =>
  kind(`${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, z.enum(words))
export const wholeNumber = (most: number) => kind(`a whole number from 1 to ${most}`, numeric(/^\d{1,9}$/, most))
/** Parsed to bytes. */
export const megabytes = (most: number) =>
  kind(
    `a whole number from 1 to ${most}`,
    numeric(/^\d{1,5}$/, most).transform((n) => n * megabyte),
  )
export const days = (least: number) =>
  kind(
    `a whole number of days from ${least} to 36500`,
    numeric(/^\d{1,5}$/, 36_500).refine((n) => n >= least),
  )
const secondsOf = { m: 60, h: 3600, d: 86_400 } as const
/** Parsed to seconds. */
export const interval = kind(
  'a time from 10m to 30d, such as 6h',
  z
    .string()
    .regex(/^[1-9]\d{0,4}[mhd]$/)
    .transform((text) => Number.parseInt(text, 10) * secondsOf[text.slice(-1) as keyof typeof secondsOf])
    .refine((seconds) => seconds >= 600 && seconds <= 30 * 86_400),
)
const passphraseText = /^[^\r\n]{12,1000}$/
export const passphrase = kind('12 to 1000 characters without line breaks', z.string().regex(passphraseText))
const firstLineOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? ''
  } catch {
    return ''
  }
}
/** Parsed to the passphrase in it. */
export const passphraseFile = kind(
  'a readable file with 12 to 1000 characters in its first line',
  z
    .string()
    .transform(firstLineOf)
    .refine((line) => passphraseText.test(line)),
)
export const percentage = kind('a percentage above 0', numeric(/^\d{1,3}(\.\d{1,6})?$/, 100))
export const port = kind(
  'a port from 0 to 65535',
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((n) => n <= 65_535),
)
/** Without a trailing slash. */
export const webUrl = kind(
  'an http or https URL without user, query and fragment',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url))
    .transform((url) => url.replace(/\/+$/, '')),
)
export const httpsUrl = kind('an https URL', z.url({ protocol: /^https$/ }))
export const mongodbUrl = kind(
  'a URL that begins with mongodb:// or mongodb+srv://',
  z.string().regex(/^mongodb(\+srv)?:\/\//),
)
/** Express's names, an address, or a network such as `10.0.0.0/8`. */
const isNetwork = (text: string): boolean => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', prefix = '1', ...rest] = text.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits
}
export const proxies = kind(
  'the number of proxies in front (1 to 9), or their addresses and networks, separated by commas, such as loopback, 10.0.0.0/8',
  z.union([
    z
      .string()
      .regex(/^[1-9]$/)
      .transform(Number),
    list.refine((networks) => networks.length > 0 && networks.every(isNetwork)),
  ]),
)
/** As in a Host field, without the port. */
export const hosts = kind(
  'host names or addresses without a port, separated by commas',
  list.refine(
    (all) =>
      all.length > 0 &&
      all.every((one) => isIP(one) !== 0 || /^(?=.{1,253}$)[a-z\d_]([a-z\d._-]*[a-z\d])?$/i.test(one)),
  ),
)
export const password = kind('16 to 200 printable ASCII characters', z.string().regex(/^[\x20-\x7e]{16,200}$/))
/** In characters: 32 of hexadecimal are 128 bits. */
export const shortestSecret = 32
export const secrets = kind(
  `a secret of at least ${shortestSecret} characters, or several, separated by commas; “openssl rand -base64 32” makes one`,
  list.refine((all) => all.length > 0 && all.every(({ length }) => length >= shortestSecret)),
)
export const serverRoles = kind(
  'api, worker, or both, separated by a comma',
  list.pipe(z.array(z.enum(['api', 'worker'])).min(1)).transform((all) => new Set(all)),
)
export const bootstrapKey = kind('20 to 200 visible ASCII characters', z.string().regex(/^[\x21-\x7e]{20,200}$/))
export const names = kind(
  'names separated by commas',
  list.refine((all) => all.length > 0),
)
export const dnsServers = kind(
  'addresses of DNS servers, separated by commas',
  list.refine((servers) => servers.length > 0 && servers.every(isDnsServer)),
)
export const host = kind(
  'a host name in lower case',
  z.string().refine((name) => hostName(name) === name),
)
export const awsAccount = kind('an AWS account of 12 digits', z.string().regex(/^\d{12}$/))
export const awsRegion = kind(
  'an AWS region such as eu-west-1',
  z.string().regex(/^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/),
)
export const snsTopic = kind(
  'the ARN of an SNS topic',
  z.string().regex(/^arn:aws(?:-[a-z]{2,10}){0,2}:sns:[a-z\d-]{5,30}:\d{12}:[\w-]{1,256}$/),
)
export const sqsQueue = kind(
  'the URL of an SQS queue',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => /^\/\d{12}\/[\w-]{1,80}$/.test(new URL(url).pathname) && !/[?#@]/.test(url)),
)
export const configurationSet = kind('a name of 1 to 64 letters, digits, _ and -', z.string().regex(/^[\w-]{1,64}$/))
/** The relay's own messages hide the password. */
export const relay = kind(
  '',
  z.string().transform((url, context): SmtpOptions => {
    try {
      return smtpUrl(url)
    } catch (error) {
      if (!(error instanceof WrongSmtpOptions)) throw error
      context.addIssue(error.message)
      return z.NEVER
    }
  }),
)

/** Percent-encoded; parsed on use to save loading modules. */
export const mailbox = kind(
  'a URL such as imaps://user:password@host/INBOX',
  z.string().regex(/^imaps?:\/\/[^\s/@]{3,400}@[^\s?#]{1,400}$/),
)
export const webhookSecret = kind('16 to 200 visible ASCII characters', z.string().regex(/^[\x21-\x7e]{16,200}$/))
export const ecdsaKey = kind(
  'a public key in base64, as SendGrid shows it',
  z.string().regex(/^[A-Za-z0-9+/]{100,200}={0,2}$/),
)

/** By which the provider names itself, a trailing slash included. */
export const issuer = kind(
  'an https URL without query and fragment; http only for this machine',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url) && /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(url)),
)
export const providerRoles = kind(
  `pairs value=role, separated by semicolons, such as mail-team=writer; mail-admins=owner. A role is ${[...peopleRoles, 'operator'].join(', ')}; except operator, @ and the id of an account may follow`,
  z
    .string()
    .transform((text) =>
      text
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair !== ''),
    )
    .pipe(
      z
        .array(
          z
            .string()
            .transform(providerRoleIn)
            .pipe(z.custom<ProviderRoleMapping>((role) => role !== undefined)),
        )
        .min(1),
    ),
)
export const scopes = kind(
  'scopes separated by blanks, with openid',
  z.string().refine((text) => /^[\x21-\x7e ]+$/.test(text) && text.split(' ').includes('openid')),
)
