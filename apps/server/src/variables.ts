import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isDnsServer } from '@posthorn/adapters-node'
import { type SmtpOptions, smtpUrl, WrongSmtpOptions } from '@posthorn/adapters-smtp'
import type { ProviderRole } from '@posthorn/core/ports/runtime'
import { hostName, roles as peopleRoles } from '@posthorn/core/ports/transport'
import { z } from 'zod'

/** `mail-team=writer@<account>`; the value may contain `=` and `@`. */
const providerRoleIn = (pair: string): ProviderRole | undefined => {
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
type Kind<S extends z.ZodType> = { readonly schema: S; readonly expected: string }

const kind = <S extends z.ZodType>(expected: string, schema: S): Kind<S> => ({ schema, expected })

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
const longestText = 400

const text = kind('a text', z.string())
const shortText = kind('1 to 100 characters without line breaks', z.string().regex(/^[^\r\n]{1,100}$/))
const flag = kind(
  'true or false',
  z.enum(['true', 'false']).transform((word) => word === 'true'),
)
const oneOf = <const W extends string>(...words: readonly W[]) =>
  kind(`${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, z.enum(words))
const wholeNumber = (most: number) => kind(`a whole number from 1 to ${most}`, numeric(/^\d{1,9}$/, most))
/** Parsed to bytes. */
const megabytes = (most: number) =>
  kind(
    `a whole number from 1 to ${most}`,
    numeric(/^\d{1,5}$/, most).transform((n) => n * megabyte),
  )
const days = (least: number) =>
  kind(
    `a whole number of days from ${least} to 36500`,
    numeric(/^\d{1,5}$/, 36_500).refine((n) => n >= least),
  )
const secondsOf = { m: 60, h: 3600, d: 86_400 } as const
/** Parsed to seconds. */
const interval = kind(
  'a time from 10m to 30d, such as 6h',
  z
    .string()
    .regex(/^[1-9]\d{0,4}[mhd]$/)
    .transform((text) => Number.parseInt(text, 10) * secondsOf[text.slice(-1) as keyof typeof secondsOf])
    .refine((seconds) => seconds >= 600 && seconds <= 30 * 86_400),
)
const passphraseText = /^[^\r\n]{12,1000}$/
const passphrase = kind('12 to 1000 characters without line breaks', z.string().regex(passphraseText))
const firstLineOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? ''
  } catch {
    return ''
  }
}
/** Parsed to the passphrase in it. */
const passphraseFile = kind(
  'a readable file with 12 to 1000 characters in its first line',
  z
    .string()
    .transform(firstLineOf)
    .refine((line) => passphraseText.test(line)),
)
const percentage = kind('a percentage above 0', numeric(/^\d{1,3}(\.\d{1,6})?$/, 100))
const port = kind(
  'a port from 0 to 65535',
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((n) => n <= 65_535),
)
/** Without a trailing slash. */
const webUrl = kind(
  'an http or https URL without user, query and fragment',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url))
    .transform((url) => url.replace(/\/+$/, '')),
)
const httpsUrl = kind('an https URL', z.url({ protocol: /^https$/ }))
const mongodbUrl = kind(
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
const proxies = kind(
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
const hosts = kind(
  'host names or addresses without a port, separated by commas',
  list.refine(
    (all) =>
      all.length > 0 &&
      all.every((one) => isIP(one) !== 0 || /^(?=.{1,253}$)[a-z\d_]([a-z\d._-]*[a-z\d])?$/i.test(one)),
  ),
)
const password = kind('16 to 200 printable ASCII characters', z.string().regex(/^[\x20-\x7e]{16,200}$/))
/** In characters: 32 of hexadecimal are 128 bits. */
export const shortestSecret = 32
const secrets = kind(
  `a secret of at least ${shortestSecret} characters, or several, separated by commas; “openssl rand -base64 32” makes one`,
  list.refine((all) => all.length > 0 && all.every(({ length }) => length >= shortestSecret)),
)
const roles = kind(
  'api, worker, or both, separated by a comma',
  list.pipe(z.array(z.enum(['api', 'worker'])).min(1)).transform((all) => new Set(all)),
)
const bootstrapKey = kind('20 to 200 visible ASCII characters', z.string().regex(/^[\x21-\x7e]{20,200}$/))
const names = kind(
  'names separated by commas',
  list.refine((all) => all.length > 0),
)
const dnsServers = kind(
  'addresses of DNS servers, separated by commas',
  list.refine((servers) => servers.length > 0 && servers.every(isDnsServer)),
)
const host = kind(
  'a host name in lower case',
  z.string().refine((name) => hostName(name) === name),
)
const awsAccount = kind('an AWS account of 12 digits', z.string().regex(/^\d{12}$/))
const awsRegion = kind('an AWS region such as eu-west-1', z.string().regex(/^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/))
const snsTopic = kind(
  'the ARN of an SNS topic',
  z.string().regex(/^arn:aws(?:-[a-z]{2,10}){0,2}:sns:[a-z\d-]{5,30}:\d{12}:[\w-]{1,256}$/),
)
const sqsQueue = kind(
  'the URL of an SQS queue',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => /^\/\d{12}\/[\w-]{1,80}$/.test(new URL(url).pathname) && !/[?#@]/.test(url)),
)
const configurationSet = kind('a name of 1 to 64 letters, digits, _ and -', z.string().regex(/^[\w-]{1,64}$/))
/** The relay's own messages hide the password. */
const relay = kind(
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
const mailbox = kind(
  'a URL such as imaps://user:password@host/INBOX',
  z.string().regex(/^imaps?:\/\/[^\s/@]{3,400}@[^\s?#]{1,400}$/),
)
const webhookSecret = kind('16 to 200 visible ASCII characters', z.string().regex(/^[\x21-\x7e]{16,200}$/))
const ecdsaKey = kind(
  'a public key in base64, as SendGrid shows it',
  z.string().regex(/^[A-Za-z0-9+/]{100,200}={0,2}$/),
)

/** By which the provider names itself, a trailing slash included. */
const issuer = kind(
  'an https URL without query and fragment; http only for this machine',
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#@]/.test(url) && /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(url)),
)
const providerRoles = kind(
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
            .pipe(z.custom<ProviderRole>((role) => role !== undefined)),
        )
        .min(1),
    ),
)
const scopes = kind(
  'scopes separated by blanks, with openid',
  z.string().refine((text) => /^[\x21-\x7e ]+$/.test(text) && text.split(' ').includes('openid')),
)

const preset = <S extends z.ZodType<unknown, string>>(
  { schema, expected }: Kind<S>,
  otherwise: string,
  meaning: string,
) => ({
  schema: z.preprocess((given) => given ?? otherwise, schema),
  expected,
  otherwise,
  meaning,
})

/** `otherwise` describes the effect of no value. */
const optional = <S extends z.ZodType>({ schema, expected }: Kind<S>, otherwise: string, meaning: string) => ({
  schema: schema.optional(),
  expected,
  otherwise,
  meaning,
})

/** In the order of docs/configuration.md. */
export const variables = {
  PORT: preset(port, '3000', 'Port to listen on; 0 takes a free one'),
  HOST: preset(text, '127.0.0.1', 'Address to listen on; 0.0.0.0 for all'),
  POSTHORN_TLS_CERT: optional(
    text,
    'the port speaks HTTP',
    'PEM file with the certificate chain of the port, which then speaks HTTPS only; read again when it changes ([how](docs/deploy.md#tls-without-a-proxy))',
  ),
  POSTHORN_TLS_KEY: optional(text, '', 'PEM file with the certificate’s key, without a password'),
  POSTHORN_PUBLIC_URL: optional(
    webUrl,
    'http://localhost:PORT, or https with POSTHORN_TLS_CERT',
    'Where recipients and browsers reach this server; links in mails begin with it, and a relay or Amazon SES needs it',
  ),
  POSTHORN_TRUST_PROXY: optional(
    proxies,
    'none is trusted',
    'Trusted proxies, whose `X-Forwarded-For` states the visitor’s address: their number, or their addresses and networks (`loopback`, `10.0.0.0/8`)',
  ),
  POSTHORN_ALLOWED_HOSTS: optional(
    hosts,
    '',
    'Further host names that `/outbox` and `/metrics` accept in `Host`, besides this machine’s own addresses and the host of POSTHORN_PUBLIC_URL',
  ),
  POSTHORN_OPERATOR_PASSWORD: optional(
    password,
    'they are closed there',
    'Password for `/outbox` and `/metrics` (basic authentication, any user name) if others can reach the server: on addresses other than loopback, behind a proxy, or with a public URL',
  ),
  POSTHORN_OIDC_ISSUER: optional(
    issuer,
    'people sign in with passwords only',
    'The issuer of an OpenID Connect provider that signs people of the console in ([how](docs/people.md#sign-in-by-openid-connect))',
  ),
  POSTHORN_OIDC_CLIENT_ID: optional(text, '', 'The client that is registered there for this server'),
  POSTHORN_OIDC_CLIENT_SECRET: optional(text, '', 'The secret of this client'),
  POSTHORN_OIDC_NAME: optional(
    shortText,
    'the host of POSTHORN_OIDC_ISSUER',
    'The name of the provider on the button “Sign in with …”',
  ),
  POSTHORN_OIDC_CLAIM: preset(
    shortText,
    'groups',
    'The claim whose values decide the roles: a text or a list of texts; a dot leads into an object',
  ),
  POSTHORN_OIDC_ROLES: optional(
    providerRoles,
    '',
    'What the values of the claim give: `mail-team=writer; mail-admins=owner; it=operator`; a role is in the first account, or in the one whose id follows an `@`. Nobody gets in without a role',
  ),
  POSTHORN_OIDC_SCOPE: preset(
    scopes,
    'openid profile email',
    'Scopes to request; some providers need one for the claim',
  ),
  POSTHORN_OIDC_PASSWORDS: preset(
    flag,
    'true',
    '`false` ends passwords, invitations and the first owner’s link: the provider alone signs people in',
  ),
  POSTHORN_METRICS_PORT: optional(
    port,
    'that of the API',
    'Separate port for `/metrics`, `/healthz` and `/readyz`, also in workers; the API’s port then no longer serves `/metrics`',
  ),
  POSTHORN_METRICS_HOST: preset(text, '127.0.0.1', 'Address that this port listens on'),
  POSTHORN_DATA_DIR: preset(
    text,
    './data',
    'Directory of the database, files, secret, outbox, and opens and clicks not stored yet; with MongoDB, without database and files, but with copies of link tables',
  ),
  POSTHORN_STORE: optional(
    oneOf('sqlite', 'memory', 'mongodb'),
    'sqlite',
    '`sqlite`, `memory` (nothing is kept) or `mongodb`; mongodb when MONGODB_URL is set',
  ),
  MONGODB_URL: optional(
    mongodbUrl,
    '',
    'Connection string of MongoDB: `mongodb://user:password@a,b,c/posthorn?replicaSet=…`, or `mongodb+srv://…`',
  ),
  POSTHORN_MAILER: optional(
    oneOf('outbox', 'smtp', 'ses'),
    'outbox',
    '`outbox` (mails are kept as files, nothing leaves), `smtp` or `ses`; smtp when SMTP_URL is set',
  ),
  SMTP_URL: optional(relay, '', 'The relay: `smtp://user:password@host:587?requireTls=true&pool=5`, or `smtps://…`'),
  POSTHORN_SMTP_OAUTH2_TOKEN_URL: optional(
    webUrl,
    'the relay takes the password of SMTP_URL, or none',
    'Where access tokens for the relay come from; the user is that of SMTP_URL, which then has no password ([how](docs/smtp.md))',
  ),
  POSTHORN_SMTP_OAUTH2_CLIENT_ID: optional(text, '', 'The id of the client that is registered for it'),
  POSTHORN_SMTP_OAUTH2_CLIENT_SECRET: optional(text, '', 'The client’s secret'),
  POSTHORN_SMTP_OAUTH2_REFRESH_TOKEN: optional(
    text,
    'client credentials are used',
    'The refresh token of the mailbox; without one, the client’s own credentials get the token',
  ),
  POSTHORN_SMTP_OAUTH2_SCOPE: optional(
    text,
    'none is named',
    'The scope to ask for, as https://outlook.office365.com/.default',
  ),
  POSTHORN_SES_REGION: optional(awsRegion, 'AWS_REGION', 'The region in which Amazon SES sends mails, with `ses`'),
  AWS_REGION: optional(text, '', 'The default region for AWS'),
  POSTHORN_SES_CONFIGURATION_SET: optional(
    configurationSet,
    '',
    'The configuration set for mails of senders whose domain was not added here; without one, SES reports no events of these mails',
  ),
  POSTHORN_SES_TOPIC_ARN: optional(
    snsTopic,
    'no events of sent mails arrive',
    'The SNS topic to which Amazon SES publishes events; it posts them to `/v1/ses/events` of this server',
  ),
  POSTHORN_SES_EVENTS_QUEUE: optional(
    sqsQueue,
    'SNS posts events',
    'The SQS queue that receives the topic’s events and that workers read: for servers that cannot be reached from the internet',
  ),
  AWS_ENDPOINT_URL_SNS: optional(
    webUrl,
    'Amazon’s',
    'The endpoint of SNS, its certificates and subscription confirmations; for a simulated Amazon SES',
  ),
  POSTHORN_BOUNCE_DOMAIN: optional(
    host,
    'mails are returned to their senders',
    'The domain for returned mail: each mail gets its own envelope sender and unsubscribe address at this domain ([how](docs/bounces.md))',
  ),
  POSTHORN_BOUNCE_PORT: optional(
    port,
    'none is opened',
    'Port of the mail server that accepts returned mail for that domain only; opened by `api`',
  ),
  POSTHORN_BOUNCE_HOST: preset(text, '127.0.0.1', 'Address that it listens on; 0.0.0.0 for all'),
  POSTHORN_BOUNCE_TLS_CERT: optional(
    text,
    'it offers no STARTTLS',
    'PEM file with the mail server’s certificate chain; read again when it changes',
  ),
  POSTHORN_BOUNCE_TLS_KEY: optional(text, '', 'PEM file with the certificate’s key, without a password'),
  POSTHORN_BOUNCE_IMAP_URL: optional(
    mailbox,
    'none is read',
    'A dedicated mailbox with all mail of that domain, as an alternative to the port: `imaps://user:password@host/INBOX`; read by `worker`; needs the package `imapflow` ([how](docs/bounces.md#from-a-mailbox))',
  ),
  POSTHORN_SUBMISSION_PORT: optional(
    port,
    'none is opened',
    'Port of the mail server through which programs send by SMTP ([how](docs/smtp.md)); opened by `api`',
  ),
  POSTHORN_SUBMISSION_HOST: preset(
    text,
    '127.0.0.1',
    'Address that it listens on; another than this machine’s own needs a certificate',
  ),
  POSTHORN_SUBMISSION_NAME: optional(
    host,
    'that of POSTHORN_PUBLIC_URL',
    'The host name by which it introduces itself',
  ),
  POSTHORN_SUBMISSION_TLS_CERT: optional(
    text,
    'it offers no STARTTLS',
    'PEM file with its certificate chain; read again when it changes',
  ),
  POSTHORN_SUBMISSION_TLS_KEY: optional(text, '', 'PEM file with the certificate’s key, without a password'),
  POSTHORN_POSTMARK_SECRET: optional(
    webhookSecret,
    'its events are not accepted',
    'The password with which Postmark, as the relay, posts events to `/v1/postmark/events`',
  ),
  POSTHORN_MAILGUN_SIGNING_KEY: optional(
    webhookSecret,
    'its events are not accepted',
    'The key with which Mailgun, as the relay, signs events that it posts to `/v1/mailgun/events`',
  ),
  POSTHORN_SENDGRID_PUBLIC_KEY: optional(
    ecdsaKey,
    'its events are not accepted',
    'The key that verifies events that SendGrid, as the relay, posts to `/v1/sendgrid/events`',
  ),
  POSTHORN_BREVO_SECRET: optional(
    webhookSecret,
    'its events are not accepted',
    'The token with which Brevo, as the relay, posts events to `/v1/brevo/events`',
  ),
  POSTHORN_SECRET: optional(
    secrets,
    'made, and kept in the data directory',
    'Signs links and seals credentials: 32 characters or more, of `openssl rand -base64 32`, the same on every machine; several, separated by commas, the newest first, to replace one',
  ),
  POSTHORN_ROLES: preset(roles, 'api,worker', '`api` answers requests, `worker` sends'),
  POSTHORN_BOOTSTRAP_KEY: optional(
    bootstrapKey,
    'made',
    'The API key that the first start gives to its first project, and does not print',
  ),
  POSTHORN_MAIL_RATE: optional(
    wholeNumber(999_999_999),
    'no limit of its own',
    'Mails per second of all processes together through the server’s own account; projects’ own accounts have separate limits',
  ),
  POSTHORN_REGIONS: preset(
    names,
    'us-east-1,eu-west-1,eu-central-1,eu-north-1',
    'Values that a domain’s and a sender identity’s region may have',
  ),
  POSTHORN_VERIFY_DOMAINS: optional(
    flag,
    'true, but false with smtp',
    '`true` accepts senders of verified domains only; `false` lets the relay decide, except for domains of other accounts',
  ),
  POSTHORN_DNS_SERVERS: optional(
    dnsServers,
    'those of the system',
    'DNS servers for looking up domains: addresses with or without a port, separated by commas',
  ),
  POSTHORN_RELAY_DOMAIN: optional(
    host,
    'the host of POSTHORN_PUBLIC_URL',
    'The domain to which customers’ DNS records point: DKIM keys at `<selector>.dkim.` below it, `feedback-smtp.<region>.` for bounces, and its own SPF record',
  ),
  POSTHORN_CLOUD_ACCOUNT_ID: optional(
    awsAccount,
    '',
    'The AWS account of this server, to which projects grant access to their own; for setup links',
  ),
  POSTHORN_CLOUD_TEMPLATE_URL: optional(
    httpsUrl,
    '',
    'A copy in S3 of the template `/v1/ses/sending-role.json`, for setup links; unset, they lead to IAM’s own form',
  ),
  POSTHORN_RESTRICT_MIN_SENT: preset(
    wholeNumber(999_999_999),
    '200',
    'Mails that a project has sent in 7, 30 or 90 days before its rates can restrict it',
  ),
  POSTHORN_RESTRICT_BOUNCES: preset(
    wholeNumber(999_999_999),
    '10',
    'Bounces that a project has at least before their rate can restrict it',
  ),
  POSTHORN_RESTRICT_BOUNCE_RATE: preset(
    percentage,
    '2.5',
    'Bounces in percent of the mails sent, above which a project is restricted',
  ),
  POSTHORN_RESTRICT_COMPLAINTS: preset(
    wholeNumber(999_999_999),
    '3',
    'Complaints that a project has at least before their rate can restrict it',
  ),
  POSTHORN_RESTRICT_COMPLAINT_RATE: preset(
    percentage,
    '0.05',
    'Complaints in percent of the mails sent, above which a project is restricted',
  ),
  POSTHORN_KEEP_LINKS_DAYS: preset(
    wholeNumber(36_500),
    '730',
    'Days for which tracked links work after the last mail that contains them ([tracking](docs/tracking.md))',
  ),
  POSTHORN_KEEP_DELIVERIES_DAYS: optional(
    days(7),
    'for good',
    'Days for which deliveries (who got which mail) are kept after sending ended; statistics and campaign totals stay',
  ),
  POSTHORN_KEEP_FIGURES_DAYS: optional(
    days(100),
    'for good',
    'Days for which quarter-hour statistics are kept; sums over a time span and clicks by link include only these',
  ),
  POSTHORN_KEEP_EVENTS_DAYS: preset(days(1), '30', 'Days for which webhook events are kept, whether posted or failed'),
  POSTHORN_KEEP_ERRORS_DAYS: preset(days(1), '30', 'Days for which an email’s error log keeps an error'),
  POSTHORN_BACKUP_DIR: optional(
    text,
    'no backups are made',
    'Directory for backups of the data directory, which `worker` makes ([how](backup.md)); with SQLite',
  ),
  POSTHORN_BACKUP_EVERY: preset(
    interval,
    '24h',
    'Time between two backups: minutes, hours or days, such as 30m, 6h, 7d',
  ),
  POSTHORN_BACKUP_KEEP: preset(wholeNumber(10_000), '7', 'Backups kept there; older ones are removed after the next'),
  POSTHORN_BACKUP_PASSPHRASE: optional(
    passphrase,
    'backups hold no secret',
    'Seals the secret in backups, and opens it when one is restored: 12 characters or more',
  ),
  POSTHORN_BACKUP_PASSPHRASE_FILE: optional(
    passphraseFile,
    '',
    'A file whose first line is that passphrase, instead of the variable',
  ),
  POSTHORN_ALLOW_PRIVATE_FEEDS: preset(
    flag,
    'false',
    '`true` lets feeds be fetched from addresses of this machine and its network',
  ),
  POSTHORN_BROWSER_ACCESS: preset(
    oneOf('full', 'subscribe-only', 'none'),
    'full',
    'Access of a new project’s whitelisted Origins: `full`, `subscribe-only` or `none`',
  ),
  POSTHORN_MAX_CUSTOM_FIELDS: preset(
    wholeNumber(10_000),
    '500',
    'Custom fields that a project may have; each request with contacts reads them',
  ),
  POSTHORN_MAX_TAGS: preset(wholeNumber(1_000_000), '10000', 'Contact tags that a project may have'),
  POSTHORN_MAX_SEGMENTS: preset(wholeNumber(100_000), '1000', 'Segments that a project may have'),
  POSTHORN_MAX_LISTS: preset(wholeNumber(100_000), '1000', 'Subscriber lists that a project may have'),
  POSTHORN_MAX_DOMAINS: preset(wholeNumber(10_000), '200', 'Domains that a project may have'),
  POSTHORN_MAX_SENDER_IDENTITIES: preset(
    wholeNumber(10_000),
    '1000',
    'Sender identities that a project may have; each send without a named one reads them',
  ),
  POSTHORN_MAX_WEBHOOKS: preset(
    wholeNumber(500),
    '20',
    'Webhooks that a project may have; each event is stored for every one that wants it',
  ),
  POSTHORN_CHALLENGE_COST: preset(
    wholeNumber(100_000_000),
    '500000',
    'Hashes that the proof of work of a signup form takes a visitor’s browser at most, half as many on average',
  ),
  POSTHORN_CHALLENGE_VERIFY_URL: preset(
    webUrl,
    'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    'Where the tokens of a signup form’s challenge are verified: Turnstile’s siteverify, or one like it',
  ),
  POSTHORN_CHALLENGE_SCRIPT_URL: preset(
    webUrl,
    'https://challenges.cloudflare.com/turnstile/v0/api.js',
    'The script of that challenge’s widget, which an embedded form loads',
  ),
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: preset(
    flag,
    'false',
    '`true` lets events be posted to addresses of this machine and its network',
  ),
  POSTHORN_UPLOAD_MB: preset(megabytes(100), '10', 'Largest gallery file, in megabytes; uploads are held in memory'),
  POSTHORN_REQUEST_RATE: preset(
    wholeNumber(999_999),
    '100',
    'Requests per second of one API key, or of one address without a valid key; each process counts separately',
  ),
  POSTHORN_REQUEST_BURST: preset(wholeNumber(999_999), '200', 'Requests permitted at once before that rate applies'),
  POSTHORN_MCP: preset(
    oneOf('off', 'read', 'write'),
    'read',
    'What AI assistants may do at `/mcp`, within the scope of their API key: nothing, read, or also change and send ([how](docs/mcp.md))',
  ),
  POSTHORN_API_KEY: optional(
    bootstrapKey,
    '',
    'The API key that the command `posthorn mcp` uses; the server ignores it',
  ),
  POSTHORN_CONNECTIONS: optional(
    wholeNumber(1_000_000),
    'what `ulimit -n` leaves, 4000 at most',
    'HTTP connections that are open at the same time; beyond, the one idle longest is closed. Unset, 910 open files are left to everything else',
  ),
  POSTHORN_CONNECTIONS_PER_ADDRESS: optional(
    wholeNumber(1_000_000),
    'a quarter of them',
    'Of these, connections of one IPv4 address or IPv6 /64; the proxies of POSTHORN_TRUST_PROXY are exempt',
  ),
  POSTHORN_BODY_MB: preset(megabytes(longestText), '1', 'Largest JSON body, in megabytes'),
  POSTHORN_BULK_MB: preset(
    megabytes(longestText),
    '10',
    'Largest body of rows of contacts or subscribers, in megabytes; bodies are held in memory',
  ),
  POSTHORN_IMPORT_MB: preset(
    megabytes(99_999),
    '200',
    'Largest file of an import, in megabytes; it is stored in the data directory while it arrives, and deleted when it is imported',
  ),
  POSTHORN_SEND_BODY_MB: preset(
    megabytes(longestText),
    '40',
    'Largest JSON body of a send, whose attachments are a third larger in base64',
  ),
  POSTHORN_ATTACHMENTS_MB: preset(megabytes(longestText), '25', 'Attachments of one send in all, decoded'),
  POSTHORN_ATTACHMENT_FILES: preset(wholeNumber(9_999), '50', 'Files attached to one send'),
  POSTHORN_LOG_LEVEL: preset(
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    '`debug`, `info`, `warn`, `error` or `silent`',
  ),
}
export type Variable = keyof typeof variables
