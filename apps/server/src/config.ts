import { type OAuth2Settings, type SmtpOptions, smtpOptionViolations } from '@posthorn/adapters-smtp'
import { z } from 'zod'
import { type ConfigVariableName, configVariables } from './variables.js'

/** The message names every violation, one per line. */
export class WrongConfiguration extends Error {
  override readonly name = 'WrongConfiguration'

  constructor(readonly violations: readonly string[]) {
    super(`The configuration is wrong:\n${violations.map((line) => `  ${line}`).join('\n')}`)
  }
}

type Shape = { readonly [V in ConfigVariableName]: (typeof configVariables)[V]['schema'] }
const shape = Object.fromEntries(Object.entries(configVariables).map(([name, { schema }]) => [name, schema])) as Shape

const secret = /SECRET|KEY|URL|PASSWORD|PASSPHRASE$|TOKEN/

const shownValue = (name: string, value: string | undefined) =>
  secret.test(name) ? 'the given value' : JSON.stringify(value)

type Environment = Readonly<Record<string, string | undefined>>

const unknownVariables = (environment: Environment) =>
  Object.keys(environment).filter((name) => name.startsWith('POSTHORN_') && !Object.hasOwn(configVariables, name))

const choiceViolations = (store: string, mailer: string, given: Environment): readonly string[] => [
  ...(store === 'mongodb' && given.MONGODB_URL === undefined ? ['MONGODB_URL: the store mongodb needs one'] : []),
  ...(mailer === 'smtp' && given.SMTP_URL === undefined ? ['SMTP_URL: the mailer smtp needs one'] : []),
  ...(mailer !== 'outbox' && given.POSTHORN_PUBLIC_URL === undefined
    ? [
        'POSTHORN_PUBLIC_URL: mails that leave this machine need one, as https://mail.example.com; unset it is localhost, which would stand in their links, Message-IDs and DNS records and lead nobody anywhere',
      ]
    : []),
]

const needed = (
  given: Environment,
  name: ConfigVariableName,
  other: ConfigVariableName,
  what: string,
): readonly string[] =>
  given[name] !== undefined && given[other] === undefined ? [`${name}: it needs ${other}, ${what}`] : []

const certificateViolations = (
  given: Environment,
  name: 'POSTHORN_TLS' | 'POSTHORN_BOUNCE_TLS' | 'POSTHORN_SUBMISSION_TLS',
): readonly string[] => [
  ...needed(given, `${name}_CERT`, `${name}_KEY`, 'the certificate’s key'),
  ...needed(given, `${name}_KEY`, `${name}_CERT`, 'the certificate of the key'),
]

/** Returned mail needs a domain; providers report only on mails of a relay. */
const mailInViolations = (mailer: string, given: Environment): readonly string[] => [
  ...(['POSTHORN_BOUNCE_PORT', 'POSTHORN_BOUNCE_IMAP_URL'] as const).flatMap((name) =>
    needed(given, name, 'POSTHORN_BOUNCE_DOMAIN', 'the domain that mails come back to'),
  ),
  ...needed(given, 'POSTHORN_BOUNCE_TLS_CERT', 'POSTHORN_BOUNCE_PORT', 'the port that it is for'),
  ...certificateViolations(given, 'POSTHORN_BOUNCE_TLS'),
  ...(
    [
      'POSTHORN_POSTMARK_SECRET',
      'POSTHORN_MAILGUN_SIGNING_KEY',
      'POSTHORN_SENDGRID_PUBLIC_KEY',
      'POSTHORN_BREVO_SECRET',
    ] as const
  ).flatMap((name) => (given[name] !== undefined && mailer !== 'smtp' ? [`${name}: it needs the mailer smtp`] : [])),
]

const isThisMachine = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Clients send API keys to this port, so other machines need TLS. */
const submissionViolations = (given: Environment): readonly string[] => {
  const { POSTHORN_SUBMISSION_PORT: port, POSTHORN_SUBMISSION_HOST: host, POSTHORN_SUBMISSION_TLS_CERT: cert } = given
  return [
    ...(port !== undefined && host !== undefined && !isThisMachine(host) && cert === undefined
      ? [
          'POSTHORN_SUBMISSION_TLS_CERT: other machines can sign in only by TLS, so that POSTHORN_SUBMISSION_HOST needs a certificate',
        ]
      : []),
    ...needed(given, 'POSTHORN_SUBMISSION_TLS_CERT', 'POSTHORN_SUBMISSION_PORT', 'the port that it is for'),
    ...certificateViolations(given, 'POSTHORN_SUBMISSION_TLS'),
  ]
}

const oauth2In = (given: Environment): OAuth2Settings | undefined => {
  const { POSTHORN_SMTP_OAUTH2_TOKEN_URL: tokenUrl } = given
  return tokenUrl === undefined
    ? undefined
    : {
        tokenUrl,
        clientId: given.POSTHORN_SMTP_OAUTH2_CLIENT_ID ?? '',
        clientSecret: given.POSTHORN_SMTP_OAUTH2_CLIENT_SECRET,
        refreshToken: given.POSTHORN_SMTP_OAUTH2_REFRESH_TOKEN,
        scope: given.POSTHORN_SMTP_OAUTH2_SCOPE,
      }
}

const smtpIn = (relay: SmtpOptions | undefined, given: Environment): SmtpOptions | undefined =>
  relay && { ...relay, oauth2: oauth2In(given) }

const oauth2Violations = (mailer: string, given: Environment, smtp: SmtpOptions | undefined): readonly string[] => {
  const oauth2 = oauth2In(given)
  const others = (['CLIENT_ID', 'CLIENT_SECRET', 'REFRESH_TOKEN', 'SCOPE'] as const).flatMap((part) =>
    needed(given, `POSTHORN_SMTP_OAUTH2_${part}`, 'POSTHORN_SMTP_OAUTH2_TOKEN_URL', 'the URL that tokens come from'),
  )
  if (!oauth2) return others
  if (mailer !== 'smtp') return ['POSTHORN_SMTP_OAUTH2_TOKEN_URL: it needs the mailer smtp']
  return smtp
    ? smtpOptionViolations({ ...smtp, oauth2 }).map((wrong) => `POSTHORN_SMTP_OAUTH2_TOKEN_URL: ${wrong}`)
    : []
}

const oidcViolations = (given: Environment): readonly string[] => [
  ...needed(given, 'POSTHORN_OIDC_ISSUER', 'POSTHORN_OIDC_CLIENT_ID', 'the client that is registered there'),
  ...needed(given, 'POSTHORN_OIDC_ISSUER', 'POSTHORN_OIDC_CLIENT_SECRET', 'the secret of this client'),
  ...needed(given, 'POSTHORN_OIDC_ISSUER', 'POSTHORN_OIDC_ROLES', 'as nobody gets in without a role'),
  ...Object.keys(configVariables).flatMap((name) =>
    name.startsWith('POSTHORN_OIDC_')
      ? needed(given, name as ConfigVariableName, 'POSTHORN_OIDC_ISSUER', 'the provider')
      : [],
  ),
]

const backupViolations = (store: string, given: Environment): readonly string[] => [
  ...needed(given, 'POSTHORN_BACKUP_EVERY', 'POSTHORN_BACKUP_DIR', 'the directory for backups'),
  ...needed(given, 'POSTHORN_BACKUP_KEEP', 'POSTHORN_BACKUP_DIR', 'the directory for backups'),
  ...(given.POSTHORN_BACKUP_DIR !== undefined && store !== 'sqlite'
    ? ['POSTHORN_BACKUP_DIR: only the store sqlite is backed up by the server; docs/backup.md says how for MongoDB']
    : []),
  ...(given.POSTHORN_BACKUP_PASSPHRASE !== undefined && given.POSTHORN_BACKUP_PASSPHRASE_FILE !== undefined
    ? ['POSTHORN_BACKUP_PASSPHRASE_FILE: give the passphrase in one of the two']
    : []),
]

const regionIn = ({ POSTHORN_SES_REGION, AWS_REGION }: Environment) => POSTHORN_SES_REGION ?? AWS_REGION

/** SES publishes only to topics of its own region. */
const sesViolations = (mailer: string, given: Environment): readonly string[] => {
  if (mailer !== 'ses') return []
  const { POSTHORN_SES_TOPIC_ARN: topic, POSTHORN_REGIONS: regions } = given
  const region = regionIn(given)
  if (region === undefined) return ['POSTHORN_SES_REGION: the mailer ses needs one, here or in AWS_REGION']
  return [
    ...(topic !== undefined && topic.split(':')[3] !== region
      ? [`POSTHORN_SES_TOPIC_ARN: the topic has to be in ${region}`]
      : []),
    ...(given.POSTHORN_SES_EVENTS_QUEUE !== undefined && topic === undefined
      ? ['POSTHORN_SES_TOPIC_ARN: the queue POSTHORN_SES_EVENTS_QUEUE needs the topic that fills it']
      : []),
    ...(regions !== undefined && regions !== region
      ? [`POSTHORN_REGIONS: the mailer ses sends in ${region} alone. Leave it unset`]
      : []),
  ]
}

const sesIn = (mailer: string, given: Environment) => {
  const region = regionIn(given)
  if (mailer !== 'ses' || region === undefined) return undefined
  return {
    region,
    /** For senders whose domain was not added here. */
    configurationSet: given.POSTHORN_SES_CONFIGURATION_SET,
    topicArn: given.POSTHORN_SES_TOPIC_ARN,
    /** The events' queue, if SNS does not post them. */
    eventsQueue: given.POSTHORN_SES_EVENTS_QUEUE,
    snsEndpoint: given.AWS_ENDPOINT_URL_SNS,
    /** Where SNS posts events; undefined without a public URL. */
    eventsUrl: given.POSTHORN_PUBLIC_URL && `${given.POSTHORN_PUBLIC_URL.replace(/\/$/, '')}/v1/ses/events`,
  }
}

type CertificateFiles = {
  readonly cert: string
  readonly key: string
  /** In ms; how often the files are checked for changes. */
  readonly every?: number
}

/** PEM files. */
const certificateIn = (cert: string | undefined, key: string | undefined): CertificateFiles | undefined =>
  cert === undefined || key === undefined ? undefined : { cert, key }

const listenerAt = (port: number | undefined, host: string) => (port === undefined ? undefined : { port, host })

/** Empty variables count as unset. @throws WrongConfiguration, also for misspelt POSTHORN_ variables */
export const readConfig = (environment: Environment) => {
  const given: Environment = Object.fromEntries(
    Object.keys(configVariables).map((name) => [name, environment[name] === '' ? undefined : environment[name]]),
  )
  const mailer = given.POSTHORN_MAILER ?? (given.SMTP_URL ? 'smtp' : 'outbox')
  const { data, error } = z.object(shape).safeParse(given)
  const store = data?.POSTHORN_STORE ?? (given.MONGODB_URL ? 'mongodb' : 'sqlite')
  const unfitting = data && (data.POSTHORN_ATTACHMENTS_MB * 4) / 3 >= data.POSTHORN_SEND_BODY_MB
  const wrong = new Map((error?.issues ?? []).map(({ path: [name], message }) => [String(name), message]))
  const violations = [
    ...[...wrong].map(([name, message]) => {
      const { expected } = configVariables[name as ConfigVariableName]
      return expected === '' ? message : `${name}: ${shownValue(name, given[name])} is not ${expected}`
    }),
    ...choiceViolations(given.POSTHORN_STORE ?? store, mailer, given),
    ...certificateViolations(given, 'POSTHORN_TLS'),
    ...sesViolations(mailer, given),
    ...mailInViolations(mailer, given),
    ...submissionViolations(given),
    ...oauth2Violations(mailer, given, data?.SMTP_URL),
    ...oidcViolations(given),
    ...backupViolations(store, given),
    ...(unfitting ? ['POSTHORN_SEND_BODY_MB: has to be more than four thirds of POSTHORN_ATTACHMENTS_MB'] : []),
    ...unknownVariables(environment).map((name) => `${name}: there is no such variable`),
  ]
  if (!data || violations.length > 0) throw new WrongConfiguration(violations)
  const ses = sesIn(mailer, given)
  return {
    port: data.PORT,
    host: data.HOST,
    /** Undefined means HTTP. */
    tls: certificateIn(data.POSTHORN_TLS_CERT, data.POSTHORN_TLS_KEY),
    /** Without a trailing slash; undefined means this machine's own address. */
    publicUrl: data.POSTHORN_PUBLIC_URL,
    trustProxy: data.POSTHORN_TRUST_PROXY,
    /** Besides the public URL's. */
    allowedHosts: data.POSTHORN_ALLOWED_HOSTS ?? [],
    operatorPassword: data.POSTHORN_OPERATOR_PASSWORD,
    /** Signs people of the console in. */
    oidc:
      data.POSTHORN_OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: data.POSTHORN_OIDC_ISSUER,
            clientId: data.POSTHORN_OIDC_CLIENT_ID ?? '',
            clientSecret: data.POSTHORN_OIDC_CLIENT_SECRET ?? '',
            scope: data.POSTHORN_OIDC_SCOPE,
            name: data.POSTHORN_OIDC_NAME ?? new URL(data.POSTHORN_OIDC_ISSUER).host,
            claim: data.POSTHORN_OIDC_CLAIM,
            roles: data.POSTHORN_OIDC_ROLES ?? [],
            passwords: data.POSTHORN_OIDC_PASSWORDS,
          },
    /** Undefined if the API's listener serves metrics. */
    metricsListener: listenerAt(data.POSTHORN_METRICS_PORT, data.POSTHORN_METRICS_HOST),
    dataDir: data.POSTHORN_DATA_DIR,
    store,
    mongodbUrl: data.MONGODB_URL,
    smtp: mailer === 'smtp' ? smtpIn(data.SMTP_URL, given) : undefined,
    ses,
    mailIn: {
      domain: data.POSTHORN_BOUNCE_DOMAIN,
      listener: listenerAt(data.POSTHORN_BOUNCE_PORT, data.POSTHORN_BOUNCE_HOST),
      /** For STARTTLS on the listener. */
      certificate: certificateIn(data.POSTHORN_BOUNCE_TLS_CERT, data.POSTHORN_BOUNCE_TLS_KEY),
      mailboxUrl: data.POSTHORN_BOUNCE_IMAP_URL,
      /** Secrets of the relays that post events. */
      providers: {
        postmark: data.POSTHORN_POSTMARK_SECRET,
        mailgun: data.POSTHORN_MAILGUN_SIGNING_KEY,
        sendgrid: data.POSTHORN_SENDGRID_PUBLIC_KEY,
        brevo: data.POSTHORN_BREVO_SECRET,
      },
    },
    /** SMTP port for mails from programs. */
    submission:
      data.POSTHORN_SUBMISSION_PORT === undefined
        ? undefined
        : {
            port: data.POSTHORN_SUBMISSION_PORT,
            host: data.POSTHORN_SUBMISSION_HOST,
            /** The server's host name in SMTP. */
            name:
              data.POSTHORN_SUBMISSION_NAME ??
              (data.POSTHORN_PUBLIC_URL === undefined ? 'localhost' : new URL(data.POSTHORN_PUBLIC_URL).hostname),
            /** For STARTTLS. */
            certificate: certificateIn(data.POSTHORN_SUBMISSION_TLS_CERT, data.POSTHORN_SUBMISSION_TLS_KEY),
            /** Of a project, as of its requests. */
            rate: { perSecond: data.POSTHORN_REQUEST_RATE, burst: data.POSTHORN_REQUEST_BURST },
            /** Bytes per mail. */
            attachments: data.POSTHORN_ATTACHMENTS_MB,
          },
    secrets: data.POSTHORN_SECRET,
    roles: data.POSTHORN_ROLES,
    bootstrapKey: data.POSTHORN_BOOTSTRAP_KEY,
    mailRate: data.POSTHORN_MAIL_RATE,
    regions: ses ? [ses.region] : data.POSTHORN_REGIONS,
    verifyDomains: data.POSTHORN_VERIFY_DOMAINS ?? mailer !== 'smtp',
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
    /** In days. */
    retention: {
      deliveries: data.POSTHORN_KEEP_DELIVERIES_DAYS,
      figures: data.POSTHORN_KEEP_FIGURES_DAYS,
      events: data.POSTHORN_KEEP_EVENTS_DAYS,
      errors: data.POSTHORN_KEEP_ERRORS_DAYS,
      links: data.POSTHORN_KEEP_LINKS_DAYS,
    },
    backup: {
      passphrase: data.POSTHORN_BACKUP_PASSPHRASE ?? data.POSTHORN_BACKUP_PASSPHRASE_FILE,
      /** Undefined if no backups are made by themselves. */
      schedule:
        data.POSTHORN_BACKUP_DIR === undefined
          ? undefined
          : {
              directory: data.POSTHORN_BACKUP_DIR,
              everySeconds: data.POSTHORN_BACKUP_EVERY,
              keep: data.POSTHORN_BACKUP_KEEP,
            },
    },
    allowPrivateFeeds: data.POSTHORN_ALLOW_PRIVATE_FEEDS,
    browserAccess: data.POSTHORN_BROWSER_ACCESS,
    projectLimits: {
      customFields: data.POSTHORN_MAX_CUSTOM_FIELDS,
      contactTags: data.POSTHORN_MAX_TAGS,
      segments: data.POSTHORN_MAX_SEGMENTS,
      subscriberLists: data.POSTHORN_MAX_LISTS,
      domains: data.POSTHORN_MAX_DOMAINS,
      senderIdentities: data.POSTHORN_MAX_SENDER_IDENTITIES,
      webhooks: data.POSTHORN_MAX_WEBHOOKS,
    },
    challengeCost: data.POSTHORN_CHALLENGE_COST,
    challengeVerifyUrl: data.POSTHORN_CHALLENGE_VERIFY_URL,
    challengeScriptUrl: data.POSTHORN_CHALLENGE_SCRIPT_URL,
    allowPrivateWebhooks: data.POSTHORN_ALLOW_PRIVATE_WEBHOOKS,
    requestRate: { perSecond: data.POSTHORN_REQUEST_RATE, burst: data.POSTHORN_REQUEST_BURST },
    /** Default: from the limit on open files. */
    connections: {
      ...(data.POSTHORN_CONNECTIONS !== undefined && { total: data.POSTHORN_CONNECTIONS }),
      ...(data.POSTHORN_CONNECTIONS_PER_ADDRESS !== undefined && { perBlock: data.POSTHORN_CONNECTIONS_PER_ADDRESS }),
    },
    /** In bytes, except `attachmentFiles`. */
    limits: {
      body: data.POSTHORN_BODY_MB,
      sendBody: data.POSTHORN_SEND_BODY_MB,
      upload: data.POSTHORN_UPLOAD_MB,
      bulk: data.POSTHORN_BULK_MB,
      import: data.POSTHORN_IMPORT_MB,
      attachments: data.POSTHORN_ATTACHMENTS_MB,
      attachmentFiles: data.POSTHORN_ATTACHMENT_FILES,
    },
    /** Of AI assistants at `/mcp`. */
    mcp: data.POSTHORN_MCP,
    logLevel: data.POSTHORN_LOG_LEVEL,
  }
}
export type Config = Readonly<ReturnType<typeof readConfig>>

export const configuredMailerKind = ({ smtp, ses }: Pick<Config, 'smtp' | 'ses'>): 'ses' | 'smtp' | 'outbox' =>
  ses ? 'ses' : smtp ? 'smtp' : 'outbox'
