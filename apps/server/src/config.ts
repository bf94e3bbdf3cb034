import { z } from 'zod'

/** Every environment variable, in the README's order: what it means, and what it is when unset. */
export const variables = {
  PORT: { otherwise: '3000', meaning: 'Port to listen on; 0 takes a free one' },
  HOST: { otherwise: '127.0.0.1', meaning: 'Address to listen on; 0.0.0.0 for all' },
  POSTHORN_PUBLIC_URL: {
    otherwise: 'http://localhost:PORT',
    meaning: 'Where recipients and browsers reach this server; links in mails begin with it',
  },
  POSTHORN_DATA_DIR: {
    otherwise: './data',
    meaning: 'Directory of the database, the files, the secret and the outbox',
  },
  POSTHORN_STORE: {
    otherwise: 'sqlite',
    meaning: '`sqlite`, `memory` (nothing is kept) or `mongodb`; mongodb when MONGODB_URL is set',
  },
  MONGODB_URL: { otherwise: '', meaning: 'Connection string of MongoDB' },
  POSTHORN_MAILER: {
    otherwise: 'outbox',
    meaning: '`outbox` (mails are kept as files, nothing leaves), `smtp` or `ses`; smtp when SMTP_URL is set',
  },
  SMTP_URL: {
    otherwise: '',
    meaning: 'The relay: `smtp://user:password@host:587?requireTls=true&pool=5`, or `smtps://…`',
  },
  POSTHORN_SECRET: {
    otherwise: 'made, and kept in the data directory',
    meaning:
      'Signs links and seals credentials, 16 characters or more; several, separated by commas, the newest first, to replace one',
  },
  POSTHORN_ROLES: { otherwise: 'api,worker', meaning: '`api` answers requests, `worker` sends' },
  POSTHORN_BOOTSTRAP_KEY: { otherwise: 'made', meaning: 'The API key that the first start gives to its first project' },
  POSTHORN_MAIL_RATE: { otherwise: 'no limit of its own', meaning: 'Mails per second of all processes together' },
  POSTHORN_REGIONS: {
    otherwise: 'us-east-1,eu-west-1,eu-central-1,eu-north-1',
    meaning: 'Values that a sender identity’s region may have',
  },
  POSTHORN_ALLOW_PRIVATE_FEEDS: {
    otherwise: 'false',
    meaning: '`true` lets feeds be fetched from addresses of this machine and its network',
  },
  POSTHORN_MAX_UPLOAD: {
    otherwise: '10485760',
    meaning: 'Bytes of the largest file that the gallery takes, up to 100 MB; it is in memory while it is taken',
  },
  POSTHORN_LOG_LEVEL: { otherwise: 'info', meaning: '`debug`, `info`, `warn`, `error` or `silent`' },
} as const satisfies Readonly<Record<string, { readonly otherwise: string; readonly meaning: string }>>
export type Variable = keyof typeof variables

export type Config = {
  readonly port: number
  readonly host: string
  readonly publicUrl: string
  readonly dataDir: string
  readonly store: 'sqlite' | 'memory'
  readonly mailer: 'outbox' | 'smtp'
  readonly smtpUrl: string | undefined
  readonly secrets: readonly string[] | undefined
  readonly roles: ReadonlySet<'api' | 'worker'>
  readonly bootstrapKey: string | undefined
  readonly mailRate: number | undefined
  readonly regions: readonly string[]
  readonly allowPrivateFeeds: boolean
  readonly maxUpload: number
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** The configuration is wrong; the message names every violation, a line each. */
export class WrongConfiguration extends Error {
  override readonly name = 'WrongConfiguration'
}

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((n) => n <= 65_535)
const webUrl = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''))

const shape = {
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  POSTHORN_PUBLIC_URL: webUrl.optional(),
  POSTHORN_DATA_DIR: z.string().default('./data'),
  POSTHORN_STORE: z.enum(['sqlite', 'memory', 'mongodb']).optional(),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//)
    .optional(),
  POSTHORN_MAILER: z.enum(['outbox', 'smtp', 'ses']).optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//)
    .optional(),
  POSTHORN_SECRET: list
    .refine((secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 16))
    .optional(),
  POSTHORN_ROLES: list.pipe(z.array(z.enum(['api', 'worker'])).min(1)).default(['api', 'worker']),
  POSTHORN_BOOTSTRAP_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/)
    .optional(),
  POSTHORN_MAIL_RATE: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((n) => n > 0)
    .optional(),
  POSTHORN_REGIONS: list
    .refine((regions) => regions.length > 0)
    .default(variables.POSTHORN_REGIONS.otherwise.split(',')),
  POSTHORN_ALLOW_PRIVATE_FEEDS: z.enum(['true', 'false']).default('false'),
  POSTHORN_MAX_UPLOAD: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((bytes) => bytes > 0 && bytes <= 100 * 1024 * 1024)
    .default(Number(variables.POSTHORN_MAX_UPLOAD.otherwise)),
  POSTHORN_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
} satisfies Record<Variable, z.ZodType>

const expected: Readonly<Record<Variable, string>> = {
  PORT: 'a port from 0 to 65535',
  HOST: 'a host name or address',
  POSTHORN_PUBLIC_URL: 'an http or https URL',
  POSTHORN_DATA_DIR: 'a directory',
  POSTHORN_STORE: 'sqlite, memory or mongodb',
  MONGODB_URL: 'a URL that begins with mongodb:// or mongodb+srv://',
  POSTHORN_MAILER: 'outbox, smtp or ses',
  SMTP_URL: 'a URL that begins with smtp:// or smtps://',
  POSTHORN_SECRET: 'secrets of at least 16 characters, separated by commas',
  POSTHORN_ROLES: 'api, worker, or both, separated by a comma',
  POSTHORN_BOOTSTRAP_KEY: '20 to 200 visible ASCII characters',
  POSTHORN_MAIL_RATE: 'a whole number above 0',
  POSTHORN_REGIONS: 'names separated by commas',
  POSTHORN_ALLOW_PRIVATE_FEEDS: 'true or false',
  POSTHORN_MAX_UPLOAD: 'a whole number from 1 to 104857600',
  POSTHORN_LOG_LEVEL: 'debug, info, warn, error or silent',
}

const secret = /SECRET|KEY|URL/

const shownValue = (name: string, value: string | undefined) =>
  secret.test(name) ? 'the given value' : JSON.stringify(value)

type Environment = Readonly<Record<string, string | undefined>>

const unknownVariables = (environment: Environment) =>
  Object.keys(environment).filter((name) => name.startsWith('POSTHORN_') && !Object.hasOwn(variables, name))

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws WrongConfiguration with every violation, misspelt POSTHORN_ variables included
 */
export const readConfig = (environment: Environment): Config => {
  const given = Object.fromEntries(
    Object.keys(variables).map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  )
  const result = z.object(shape).safeParse(given)
  const wrong = new Set<string>(result.success ? [] : result.error.issues.map(({ path: [name] }) => String(name)))
  const violations = [
    ...[...wrong].map((name) => `${name}: ${shownValue(name, given[name])} is not ${expected[name as Variable]}`),
    ...unknownVariables(environment).map((name) => `${name}: there is no such variable`),
  ]
  const data = result.success ? result.data : undefined
  const store = data?.POSTHORN_STORE ?? (data?.MONGODB_URL ? 'mongodb' : 'sqlite')
  const mailer = data?.POSTHORN_MAILER ?? (data?.SMTP_URL ? 'smtp' : 'outbox')
  if (store === 'mongodb')
    violations.push('POSTHORN_STORE: this version keeps its data in sqlite or memory; mongodb is not part of it yet')
  if (mailer === 'ses')
    violations.push('POSTHORN_MAILER: this version sends through outbox or smtp; ses is not part of it yet')
  if (mailer === 'smtp' && data && !data.SMTP_URL) violations.push('SMTP_URL: the mailer smtp needs one')
  if (!data || store === 'mongodb' || mailer === 'ses' || violations.length > 0)
    throw new WrongConfiguration(`The configuration is wrong:\n${violations.map((line) => `  ${line}`).join('\n')}`)
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl: data.POSTHORN_PUBLIC_URL ?? `http://localhost:${data.PORT}`,
    dataDir: data.POSTHORN_DATA_DIR,
    store,
    mailer,
    smtpUrl: data.SMTP_URL,
    secrets: data.POSTHORN_SECRET,
    roles: new Set(data.POSTHORN_ROLES),
    bootstrapKey: data.POSTHORN_BOOTSTRAP_KEY,
    mailRate: data.POSTHORN_MAIL_RATE,
    regions: data.POSTHORN_REGIONS,
    allowPrivateFeeds: data.POSTHORN_ALLOW_PRIVATE_FEEDS === 'true',
    maxUpload: data.POSTHORN_MAX_UPLOAD,
    logLevel: data.POSTHORN_LOG_LEVEL,
  }
}
