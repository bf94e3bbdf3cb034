import { isDnsServer } from '@posthorn/adapters-node'
import { type SmtpOptions, smtpUrl, WrongSmtpOptions } from '@posthorn/adapters-smtp'
import { hostName, type RestrictionThresholds, standardRestriction } from '@posthorn/core'
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
    meaning: 'Values that a domain’s and a sender identity’s region may have',
  },
  POSTHORN_VERIFY_DOMAINS: {
    otherwise: 'true, but false with smtp',
    meaning: '`true` takes senders of verified domains only; `false` leaves it to the relay which senders it takes',
  },
  POSTHORN_DNS_SERVERS: {
    otherwise: 'those of the system',
    meaning: 'Where domains are looked up: addresses with or without a port, separated by commas',
  },
  POSTHORN_RELAY_DOMAIN: {
    otherwise: 'the host of POSTHORN_PUBLIC_URL',
    meaning:
      'Where a domain’s records lead: DKIM keys at `<selector>.dkim.` below it, `feedback-smtp.<region>.` for bounces, and its own SPF record',
  },
  POSTHORN_CLOUD_ACCOUNT_ID: {
    otherwise: '',
    meaning: 'The AWS account of this server, which projects let into their own; for setup links',
  },
  POSTHORN_CLOUD_TEMPLATE_URL: {
    otherwise: '',
    meaning:
      'A CloudFormation template in S3, with the parameters ExternalId and AccountId, for setup links; unset, they lead to IAM’s own form',
  },
  POSTHORN_RESTRICT_MIN_SENT: {
    otherwise: '200',
    meaning: 'Mails that a project has sent in 7, 30 or 90 days before its rates can restrict it',
  },
  POSTHORN_RESTRICT_BOUNCES: {
    otherwise: '10',
    meaning: 'Bounces that a project has at least before their rate can restrict it',
  },
  POSTHORN_RESTRICT_BOUNCE_RATE: {
    otherwise: '2.5',
    meaning: 'Bounces in percent of the mails sent, above which a project is restricted',
  },
  POSTHORN_RESTRICT_COMPLAINTS: {
    otherwise: '3',
    meaning: 'Complaints that a project has at least before their rate can restrict it',
  },
  POSTHORN_RESTRICT_COMPLAINT_RATE: {
    otherwise: '0.05',
    meaning: 'Complaints in percent of the mails sent, above which a project is restricted',
  },
  POSTHORN_ALLOW_PRIVATE_FEEDS: {
    otherwise: 'false',
    meaning: '`true` lets feeds be fetched from addresses of this machine and its network',
  },
  POSTHORN_CHALLENGE_VERIFY_URL: {
    otherwise: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    meaning: 'Where the tokens of a signup form’s challenge are verified: Turnstile’s siteverify, or one like it',
  },
  POSTHORN_CHALLENGE_SCRIPT_URL: {
    otherwise: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    meaning: 'The script of that challenge’s widget, which an embedded form loads',
  },
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: {
    otherwise: 'false',
    meaning: '`true` lets events be posted to addresses of this machine and its network',
  },
  POSTHORN_MAX_UPLOAD: {
    otherwise: '10485760',
    meaning: 'Bytes of the largest file that the gallery takes, up to 100 MB; it is in memory while it is taken',
  },
  POSTHORN_REQUEST_RATE: {
    otherwise: '100',
    meaning: 'Requests per second of one API key, or of one address without a key',
  },
  POSTHORN_REQUEST_BURST: { otherwise: '200', meaning: 'Requests that may come at once before that rate holds' },
  POSTHORN_BODY_MB: { otherwise: '1', meaning: 'Largest JSON body, in megabytes' },
  POSTHORN_SEND_BODY_MB: {
    otherwise: '40',
    meaning: 'Largest JSON body of a send, whose attachments are a third larger in base64',
  },
  POSTHORN_ATTACHMENTS_MB: { otherwise: '25', meaning: 'Attachments of one send in all, decoded' },
  POSTHORN_ATTACHMENT_FILES: { otherwise: '50', meaning: 'Files attached to one send' },
  POSTHORN_LOG_LEVEL: { otherwise: 'info', meaning: '`debug`, `info`, `warn`, `error` or `silent`' },
} as const satisfies Readonly<Record<string, { readonly otherwise: string; readonly meaning: string }>>
export type Variable = keyof typeof variables

export type Config = {
  readonly port: number
  readonly host: string
  /** Without a slash at the end; undefined where this machine's own address is meant. */
  readonly publicUrl: string | undefined
  readonly dataDir: string
  readonly store: 'sqlite' | 'memory'
  /** The relay; undefined where mails are kept in the outbox. */
  readonly smtp: SmtpOptions | undefined
  readonly secrets: readonly string[] | undefined
  readonly roles: ReadonlySet<'api' | 'worker'>
  readonly bootstrapKey: string | undefined
  readonly mailRate: number | undefined
  readonly regions: readonly string[]
  readonly verifyDomains: boolean
  readonly dnsServers: readonly string[] | undefined
  readonly relayDomain: string | undefined
  readonly cloudAccountId: string | undefined
  readonly cloudTemplateUrl: string | undefined
  /** When bounces and complaints restrict a project. */
  readonly restriction: RestrictionThresholds
  readonly allowPrivateFeeds: boolean
  readonly challengeVerifyUrl: string
  readonly challengeScriptUrl: string
  readonly allowPrivateWebhooks: boolean
  readonly maxUpload: number
  /** Per second, and at once. */
  readonly requestRate: { readonly perSecond: number; readonly burst: number }
  /** In bytes, but for the files. */
  readonly limits: {
    readonly body: number
    readonly sendBody: number
    readonly attachments: number
    readonly attachmentFiles: number
  }
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** The configuration is wrong; the message names every violation, a line each. */
export class WrongConfiguration extends Error {
  override readonly name = 'WrongConfiguration'
}

const megabyte = 1024 * 1024

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
/** A whole number above 0, of so many digits at most. */
const count = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)
    .refine((n) => n > 0)
/** V8 has no longer texts than 512 MB, and a body is one before it is read. */
const megabytes = count(3).refine((n) => n <= 400)
const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((n) => n <= 65_535)
const amount = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .refine((n) => n > 0)
const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,6})?$/)
  .transform(Number)
  .refine((n) => n > 0 && n <= 100)
const webUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[?#@]/.test(text))
  .transform((text) => text.replace(/\/+$/, ''))

/** Its own messages say what is wrong, and hide the password. */
const relay = z.string().transform((text, context): SmtpOptions => {
  try {
    return smtpUrl(text)
  } catch (error) {
    if (!(error instanceof WrongSmtpOptions)) throw error
    context.addIssue(error.message)
    return z.NEVER
  }
})

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
  SMTP_URL: relay.optional(),
  POSTHORN_SECRET: list
    .refine((secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 16))
    .optional(),
  POSTHORN_ROLES: list.pipe(z.array(z.enum(['api', 'worker'])).min(1)).default(['api', 'worker']),
  POSTHORN_BOOTSTRAP_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/)
    .optional(),
  POSTHORN_MAIL_RATE: amount.optional(),
  POSTHORN_REGIONS: list
    .refine((regions) => regions.length > 0)
    .default(variables.POSTHORN_REGIONS.otherwise.split(',')),
  POSTHORN_VERIFY_DOMAINS: z.enum(['true', 'false']).optional(),
  POSTHORN_DNS_SERVERS: list.refine((servers) => servers.length > 0 && servers.every(isDnsServer)).optional(),
  POSTHORN_RELAY_DOMAIN: z
    .string()
    .refine((name) => hostName(name) === name)
    .optional(),
  POSTHORN_CLOUD_ACCOUNT_ID: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  POSTHORN_CLOUD_TEMPLATE_URL: z.url({ protocol: /^https$/ }).optional(),
  POSTHORN_RESTRICT_MIN_SENT: amount.default(standardRestriction.minimumSent),
  POSTHORN_RESTRICT_BOUNCES: amount.default(standardRestriction.bounces),
  POSTHORN_RESTRICT_BOUNCE_RATE: percent.default(standardRestriction.bounceRate),
  POSTHORN_RESTRICT_COMPLAINTS: amount.default(standardRestriction.complaints),
  POSTHORN_RESTRICT_COMPLAINT_RATE: percent.default(standardRestriction.complaintRate),
  POSTHORN_ALLOW_PRIVATE_FEEDS: z.enum(['true', 'false']).default('false'),
  POSTHORN_CHALLENGE_VERIFY_URL: webUrl.default(variables.POSTHORN_CHALLENGE_VERIFY_URL.otherwise),
  POSTHORN_CHALLENGE_SCRIPT_URL: webUrl.default(variables.POSTHORN_CHALLENGE_SCRIPT_URL.otherwise),
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: z.enum(['true', 'false']).default('false'),
  POSTHORN_MAX_UPLOAD: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((bytes) => bytes > 0 && bytes <= 100 * 1024 * 1024)
    .default(Number(variables.POSTHORN_MAX_UPLOAD.otherwise)),
  POSTHORN_REQUEST_RATE: count(6).default(100),
  POSTHORN_REQUEST_BURST: count(6).default(200),
  POSTHORN_BODY_MB: megabytes.default(1),
  POSTHORN_SEND_BODY_MB: megabytes.default(40),
  POSTHORN_ATTACHMENTS_MB: megabytes.default(25),
  POSTHORN_ATTACHMENT_FILES: count(4).default(50),
  POSTHORN_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
} satisfies Record<Variable, z.ZodType>

const expected: Readonly<Record<Exclude<Variable, 'SMTP_URL'>, string>> = {
  PORT: 'a port from 0 to 65535',
  HOST: 'a host name or address',
  POSTHORN_PUBLIC_URL: 'an http or https URL without user, query and fragment',
  POSTHORN_DATA_DIR: 'a directory',
  POSTHORN_STORE: 'sqlite, memory or mongodb',
  MONGODB_URL: 'a URL that begins with mongodb:// or mongodb+srv://',
  POSTHORN_MAILER: 'outbox, smtp or ses',
  POSTHORN_SECRET: 'secrets of at least 16 characters, separated by commas',
  POSTHORN_ROLES: 'api, worker, or both, separated by a comma',
  POSTHORN_BOOTSTRAP_KEY: '20 to 200 visible ASCII characters',
  POSTHORN_MAIL_RATE: 'a whole number above 0',
  POSTHORN_REGIONS: 'names separated by commas',
  POSTHORN_VERIFY_DOMAINS: 'true or false',
  POSTHORN_DNS_SERVERS: 'addresses of DNS servers, separated by commas',
  POSTHORN_RELAY_DOMAIN: 'a host name in lower case',
  POSTHORN_CLOUD_ACCOUNT_ID: 'an AWS account of 12 digits',
  POSTHORN_CLOUD_TEMPLATE_URL: 'an https URL',
  POSTHORN_RESTRICT_MIN_SENT: 'a whole number above 0',
  POSTHORN_RESTRICT_BOUNCES: 'a whole number above 0',
  POSTHORN_RESTRICT_BOUNCE_RATE: 'a percentage above 0',
  POSTHORN_RESTRICT_COMPLAINTS: 'a whole number above 0',
  POSTHORN_RESTRICT_COMPLAINT_RATE: 'a percentage above 0',
  POSTHORN_ALLOW_PRIVATE_FEEDS: 'true or false',
  POSTHORN_CHALLENGE_VERIFY_URL: 'an http or https URL',
  POSTHORN_CHALLENGE_SCRIPT_URL: 'an http or https URL',
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true or false',
  POSTHORN_MAX_UPLOAD: 'a whole number from 1 to 104857600',
  POSTHORN_REQUEST_RATE: 'a whole number from 1 to 999999',
  POSTHORN_REQUEST_BURST: 'a whole number from 1 to 999999',
  POSTHORN_BODY_MB: 'a whole number from 1 to 400',
  POSTHORN_SEND_BODY_MB: 'a whole number from 1 to 400',
  POSTHORN_ATTACHMENTS_MB: 'a whole number from 1 to 400',
  POSTHORN_ATTACHMENT_FILES: 'a whole number from 1 to 9999',
  POSTHORN_LOG_LEVEL: 'debug, info, warn, error or silent',
}

const secret = /SECRET|KEY|URL/

const shownValue = (name: string, value: string | undefined) =>
  secret.test(name) ? 'the given value' : JSON.stringify(value)

type Environment = Readonly<Record<string, string | undefined>>

const unknownVariables = (environment: Environment) =>
  Object.keys(environment).filter((name) => name.startsWith('POSTHORN_') && !Object.hasOwn(variables, name))

/** What the variables ask for together and cannot have, whatever else is wrong with them. */
const choiceViolations = (store: string, mailer: string, given: Environment): readonly string[] => [
  ...(store === 'mongodb'
    ? ['POSTHORN_STORE: this version keeps its data in sqlite or memory; mongodb is not part of it yet']
    : []),
  ...(mailer === 'ses'
    ? ['POSTHORN_MAILER: this version sends through outbox or smtp; ses is not part of it yet']
    : []),
  ...(mailer === 'smtp' && given.SMTP_URL === undefined ? ['SMTP_URL: the mailer smtp needs one'] : []),
]

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws WrongConfiguration with every violation, misspelt POSTHORN_ variables included
 */
export const readConfig = (environment: Environment): Config => {
  const given: Environment = Object.fromEntries(
    Object.keys(variables).map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  )
  const store = given.POSTHORN_STORE ?? (given.MONGODB_URL ? 'mongodb' : 'sqlite')
  const mailer = given.POSTHORN_MAILER ?? (given.SMTP_URL ? 'smtp' : 'outbox')
  const { data, error } = z.object(shape).safeParse(given)
  const unfitting = data && (data.POSTHORN_ATTACHMENTS_MB * 4) / 3 >= data.POSTHORN_SEND_BODY_MB
  const wrong = new Map((error?.issues ?? []).map(({ path: [name], message }) => [String(name), message]))
  const violations = [
    ...[...wrong].map(([name, message]) =>
      name === 'SMTP_URL'
        ? message
        : `${name}: ${shownValue(name, given[name])} is not ${expected[name as keyof typeof expected]}`,
    ),
    ...choiceViolations(store, mailer, given),
    ...(unfitting ? ['POSTHORN_SEND_BODY_MB: has to be more than four thirds of POSTHORN_ATTACHMENTS_MB'] : []),
    ...unknownVariables(environment).map((name) => `${name}: there is no such variable`),
  ]
  if (!data || violations.length > 0)
    throw new WrongConfiguration(`The configuration is wrong:\n${violations.map((line) => `  ${line}`).join('\n')}`)
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl: data.POSTHORN_PUBLIC_URL,
    dataDir: data.POSTHORN_DATA_DIR,
    store: store === 'memory' ? store : 'sqlite',
    smtp: mailer === 'smtp' ? data.SMTP_URL : undefined,
    secrets: data.POSTHORN_SECRET,
    roles: new Set(data.POSTHORN_ROLES),
    bootstrapKey: data.POSTHORN_BOOTSTRAP_KEY,
    mailRate: data.POSTHORN_MAIL_RATE,
    regions: data.POSTHORN_REGIONS,
    verifyDomains: data.POSTHORN_VERIFY_DOMAINS ? data.POSTHORN_VERIFY_DOMAINS === 'true' : mailer !== 'smtp',
    dnsServers: data.POSTHORN_DNS_SERVERS,
    relayDomain: data.POSTHORN_RELAY_DOMAIN,
    cloudAccountId: data.POSTHORN_CLOUD_ACCOUNT_ID,
    cloudTemplateUrl: data.POSTHORN_CLOUD_TEMPLATE_URL,
    restriction: {
      minimumSent: data.POSTHORN_RESTRICT_MIN_SENT,
      bounces: data.POSTHORN_RESTRICT_BOUNCES,
      bounceRate: data.POSTHORN_RESTRICT_BOUNCE_RATE,
      complaints: data.POSTHORN_RESTRICT_COMPLAINTS,
      complaintRate: data.POSTHORN_RESTRICT_COMPLAINT_RATE,
    },
    allowPrivateFeeds: data.POSTHORN_ALLOW_PRIVATE_FEEDS === 'true',
    challengeVerifyUrl: data.POSTHORN_CHALLENGE_VERIFY_URL,
    challengeScriptUrl: data.POSTHORN_CHALLENGE_SCRIPT_URL,
    allowPrivateWebhooks: data.POSTHORN_ALLOW_PRIVATE_WEBHOOKS === 'true',
    maxUpload: data.POSTHORN_MAX_UPLOAD,
    requestRate: { perSecond: data.POSTHORN_REQUEST_RATE, burst: data.POSTHORN_REQUEST_BURST },
    limits: {
      body: data.POSTHORN_BODY_MB * megabyte,
      sendBody: data.POSTHORN_SEND_BODY_MB * megabyte,
      attachments: data.POSTHORN_ATTACHMENTS_MB * megabyte,
      attachmentFiles: data.POSTHORN_ATTACHMENT_FILES,
    },
    logLevel: data.POSTHORN_LOG_LEVEL,
  }
}
