import { standardCoreSettings } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { readConfig, WrongConfiguration } from '../src/config.js'

const messageOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(WrongConfiguration)
    return (error as Error).message
  }
}

describe('the configuration', () => {
  it('has defaults for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: undefined,
      dataDir: './data',
      store: 'sqlite',
      smtp: undefined,
      roles: new Set(['api', 'worker']),
    })
  })

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', SMTP_URL: '', POSTHORN_STORE: '' })).toMatchObject({
      port: 3000,
      smtp: undefined,
      store: 'sqlite',
    })
  })

  it.each(['short', 'x'.repeat(31), `${'x'.repeat(32)},short`, ','])(
    'rejects the secret %j with one message about secrets',
    (secret) => {
      expect(messageOf({ POSTHORN_SECRET: secret })).toBe(
        'The configuration is wrong:\n  POSTHORN_SECRET: the given value is not a secret of at least 32 characters, or several, separated by commas; “openssl rand -base64 32” makes one',
      )
    },
  )

  it('sends by SMTP once a relay is set, and reads several secrets and roles', () => {
    const config = readConfig({
      SMTP_URL: 'smtp://localhost:2525',
      POSTHORN_SECRET: `${'n'.repeat(43)}, ${'o'.repeat(32)}`,
      POSTHORN_ROLES: 'worker',
      POSTHORN_PUBLIC_URL: 'https://mail.example.com/',
    })
    expect(config).toMatchObject({
      smtp: { host: 'localhost', port: 2525 },
      secrets: ['n'.repeat(43), 'o'.repeat(32)],
      roles: new Set(['worker']),
      publicUrl: 'https://mail.example.com',
    })
  })

  it('reads retention periods in days, and keeps statistics forever by default', () => {
    expect(readConfig({}).retention).toEqual(standardCoreSettings.retention)
    const given = {
      POSTHORN_KEEP_DELIVERIES_DAYS: '90',
      POSTHORN_KEEP_FIGURES_DAYS: '400',
      POSTHORN_KEEP_EVENTS_DAYS: '7',
      POSTHORN_KEEP_LINKS_DAYS: '60',
    }
    expect(readConfig(given).retention).toEqual({ deliveries: 90, figures: 400, events: 7, errors: 30, links: 60 })
    for (const wrong of ['6', '0', '36501', '30d'])
      expect(() => readConfig({ POSTHORN_KEEP_DELIVERIES_DAYS: wrong })).toThrow('from 7')
    expect(() => readConfig({ POSTHORN_KEEP_FIGURES_DAYS: '99' })).toThrow('from 100')
  })

  it('reads restriction thresholds, by default the specification’s', () => {
    expect(readConfig({}).restriction).toEqual(standardCoreSettings.restriction)
    expect(
      readConfig({ POSTHORN_RESTRICT_MIN_SENT: '50', POSTHORN_RESTRICT_COMPLAINT_RATE: '0.1' }).restriction,
    ).toEqual({ ...standardCoreSettings.restriction, minimumSent: 50, complaintRate: 0.1 })
    for (const rate of ['0', '0.0', '101', '-1', '2,5', '1e1'])
      expect(messageOf({ POSTHORN_RESTRICT_BOUNCE_RATE: rate })).toContain('is not a percentage above 0')
    expect(messageOf({ POSTHORN_RESTRICT_BOUNCES: '0' })).toContain('is not a whole number from 1 to')
  })

  it('sends nothing if the mailer is the outbox, even with a relay', () => {
    expect(readConfig({ POSTHORN_MAILER: 'outbox', SMTP_URL: 'smtp://localhost:2525' }).smtp).toBeUndefined()
  })

  it.each([
    [{}, true],
    [{ SMTP_URL: 'smtp://localhost:2525', POSTHORN_PUBLIC_URL: 'https://mail.example.com' }, false],
    [
      {
        SMTP_URL: 'smtp://localhost:2525',
        POSTHORN_PUBLIC_URL: 'https://mail.example.com',
        POSTHORN_VERIFY_DOMAINS: 'true',
      },
      true,
    ],
    [{ SMTP_URL: 'smtp://localhost:2525', POSTHORN_MAILER: 'outbox' }, true],
    [{ POSTHORN_VERIFY_DOMAINS: 'false' }, false],
  ])('leaves the choice of senders to a relay unless configured: %j', (environment, verifies) => {
    expect(readConfig(environment as Record<string, string>).verifyDomains).toBe(verifies)
  })

  it('reads the DNS servers and the relay’s domain', () => {
    expect(
      readConfig({ POSTHORN_DNS_SERVERS: '192.0.2.1, [2001:db8::1]:5353', POSTHORN_RELAY_DOMAIN: 'mail.example.com' }),
    ).toMatchObject({ dnsServers: ['192.0.2.1', '[2001:db8::1]:5353'], relayDomain: 'mail.example.com' })
  })

  it.each([
    ['POSTHORN_DNS_SERVERS', 'dns.example.com', 'addresses of DNS servers'],
    ['POSTHORN_DNS_SERVERS', ',', 'addresses of DNS servers'],
    ['POSTHORN_RELAY_DOMAIN', 'https://mail.example.com', 'a host name in lower case'],
    ['POSTHORN_RELAY_DOMAIN', 'Mail.example.com', 'a host name in lower case'],
    ['POSTHORN_VERIFY_DOMAINS', 'yes', 'true or false'],
    ['POSTHORN_CLOUD_ACCOUNT_ID', '1234', 'an AWS account of 12 digits'],
    ['POSTHORN_CLOUD_TEMPLATE_URL', 'javascript:alert(1)', 'an https URL'],
  ])('says what %s must be instead of %j', (name, value, expected) => {
    expect(messageOf({ [name]: value })).toContain(`is not ${expected}`)
  })

  it('reports all violations in one message', () => {
    const message = messageOf({
      PORT: '99999',
      POSTHORN_STORE: 'redis',
      POSTHORN_ROLES: 'api,cook',
      POSTHORN_STORRE: 'sqlite',
      POSTHORN_MAIL_RATE: '0',
      POSTHORN_UPLOAD_MB: '101',
    })
    for (const part of [
      'PORT: "99999"',
      'POSTHORN_UPLOAD_MB: "101"',
      'POSTHORN_STORE: "redis"',
      'POSTHORN_ROLES: "api,cook"',
      'POSTHORN_STORRE: there is no such variable',
      'POSTHORN_MAIL_RATE: "0"',
    ])
      expect(message).toContain(part)
  })

  it('reads limits in megabytes, with room for attachments in base64', () => {
    expect(readConfig({}).limits).toEqual({
      body: 1_048_576,
      sendBody: 41_943_040,
      bulk: 10_485_760,
      import: 209_715_200,
      upload: 10_485_760,
      attachments: 26_214_400,
      attachmentFiles: 50,
    })
    const config = readConfig({ POSTHORN_BODY_MB: '2', POSTHORN_ATTACHMENTS_MB: '29', POSTHORN_REQUEST_BURST: '7' })
    expect(config).toMatchObject({
      limits: { body: 2_097_152, attachments: 30_408_704 },
      requestRate: { perSecond: 100, burst: 7 },
    })
    expect(messageOf({ POSTHORN_ATTACHMENTS_MB: '30' })).toContain('POSTHORN_SEND_BODY_MB: has to be more than')
    for (const value of ['0', '401', '1.5', '-1', '1e2', 'x'])
      expect(messageOf({ POSTHORN_BODY_MB: value })).toContain('is not a whole number from 1 to 400')
  })

  it.each([
    ['POSTHORN_SECRET', 'short'],
    ['POSTHORN_BOOTSTRAP_KEY', 'too short'],
    ['POSTHORN_OPERATOR_PASSWORD', 'hunter2'],
    ['MONGODB_URL', 'postgres://user:password@host'],
  ])('never repeats the value of %s', (name, value) => {
    expect(messageOf({ [name]: value })).toContain(`${name}: the given value is not`)
    expect(messageOf({ [name]: value })).not.toContain(value)
  })

  it.each(['smpt://user:password@host', 'smtp://', 'smtp://user:password@host?poool=5'])(
    'explains what is wrong with the relay %s, without its password',
    (value) => {
      expect(messageOf({ SMTP_URL: value })).toContain('SMTP_URL: ')
      expect(messageOf({ SMTP_URL: value })).not.toContain(':password@host?')
    },
  )

  it.each(['ftp://example.com', 'https://example.com?a=b', 'https://example.com/#top', 'https://me@example.com', 'x'])(
    'rejects a public URL that links cannot begin with: %s',
    (value) => {
      expect(messageOf({ POSTHORN_PUBLIC_URL: value })).toContain('POSTHORN_PUBLIC_URL: the given value is not')
    },
  )

  it.each([
    ['1', 1],
    ['2', 2],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 2001:db8::/32,192.0.2.1, uniquelocal', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1', 'uniquelocal']],
  ])('reads %j as trusted proxies', (given, trustProxy) => {
    expect(readConfig({ POSTHORN_TRUST_PROXY: given }).trustProxy).toEqual(trustProxy)
  })

  it('trusts no proxy by default', () => {
    expect(readConfig({}).trustProxy).toBeUndefined()
  })

  it.each([
    'true',
    'false',
    '0',
    '-1',
    '10',
    '1.5',
    ',',
    'proxy.example.com',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '::/129',
    '1.2.3',
  ])('rejects the proxies %s, and says which are possible', (value) => {
    expect(messageOf({ POSTHORN_TRUST_PROXY: value })).toContain(
      'is not the number of proxies in front (1 to 9), or their addresses and networks',
    )
  })

  it('reads operator access and the metrics listener', () => {
    expect(readConfig({})).toMatchObject({ allowedHosts: [], operatorPassword: undefined, metricsListener: undefined })
    expect(
      readConfig({
        POSTHORN_ALLOWED_HOSTS: 'posthorn.internal, 10.0.0.5,::1, a_b',
        POSTHORN_OPERATOR_PASSWORD: 'correct horse battery staple',
        POSTHORN_METRICS_PORT: '9464',
      }),
    ).toMatchObject({
      allowedHosts: ['posthorn.internal', '10.0.0.5', '::1', 'a_b'],
      operatorPassword: 'correct horse battery staple',
      metricsListener: { port: 9464, host: '127.0.0.1' },
    })
    for (const value of ['a:80', 'http://a', '*', ',', 'a/b'])
      expect(messageOf({ POSTHORN_ALLOWED_HOSTS: value })).toContain('is not host names or addresses without a port')
  })

  it('requires a relay for the mailer smtp', () => {
    expect(messageOf({ POSTHORN_MAILER: 'smtp' })).toContain('SMTP_URL: the mailer smtp needs one')
  })

  it('requires a public URL once mails leave the machine', () => {
    const SMTP_URL = 'smtp://localhost:2525'
    expect(messageOf({ SMTP_URL })).toContain('POSTHORN_PUBLIC_URL: mails that leave this machine need one')
    expect(messageOf({ POSTHORN_MAILER: 'ses', AWS_REGION: 'eu-north-1' })).toContain('POSTHORN_PUBLIC_URL: ')
    expect(messageOf({ SMTP_URL, POSTHORN_ROLES: 'worker' })).toContain('POSTHORN_PUBLIC_URL: ')
    expect(readConfig({ SMTP_URL, POSTHORN_MAILER: 'outbox' }).publicUrl).toBeUndefined()
    expect(readConfig({}).publicUrl).toBeUndefined()
  })

  it('reports missing variables together with invalid ones', () => {
    const message = messageOf({ PORT: 'x', POSTHORN_STORE: 'mongodb', POSTHORN_MAILER: 'smtp' })
    for (const part of ['PORT: "x"', 'MONGODB_URL: the store mongodb needs one', 'SMTP_URL: the mailer smtp needs one'])
      expect(message).toContain(part)
  })

  it('has one region with Amazon SES', () => {
    const topic = 'arn:aws:sns:eu-north-1:123456789012:posthorn'
    const ses = { POSTHORN_MAILER: 'ses', POSTHORN_PUBLIC_URL: 'https://mail.example.com' }
    expect(readConfig({ ...ses, AWS_REGION: 'eu-north-1', SMTP_URL: 'smtp://localhost' })).toMatchObject({
      smtp: undefined,
      ses: { region: 'eu-north-1', topicArn: undefined, configurationSet: undefined, snsEndpoint: undefined },
      regions: ['eu-north-1'],
      verifyDomains: true,
    })
    const more = { POSTHORN_SES_REGION: 'eu-north-1', AWS_REGION: 'us-east-1', POSTHORN_SES_TOPIC_ARN: topic }
    expect(readConfig({ ...ses, ...more, POSTHORN_SES_CONFIGURATION_SET: 'all' }).ses).toEqual({
      region: 'eu-north-1',
      topicArn: topic,
      configurationSet: 'all',
      snsEndpoint: undefined,
      eventsUrl: 'https://mail.example.com/v1/ses/events',
    })
    expect(readConfig(more).ses).toBeUndefined()
  })

  it.each([
    [{}, 'POSTHORN_SES_REGION: the mailer ses needs one, here or in AWS_REGION'],
    [{ POSTHORN_SES_REGION: 'Ireland' }, 'is not an AWS region such as eu-west-1'],
    [{ AWS_REGION: 'eu-west-1', POSTHORN_SES_TOPIC_ARN: 'posthorn' }, 'is not the ARN of an SNS topic'],
    [
      { AWS_REGION: 'eu-west-1', POSTHORN_SES_TOPIC_ARN: 'arn:aws:sns:us-east-1:123456789012:posthorn' },
      'POSTHORN_SES_TOPIC_ARN: the topic has to be in eu-west-1',
    ],
    [
      { AWS_REGION: 'eu-west-1', POSTHORN_REGIONS: 'eu-west-1,us-east-1' },
      'POSTHORN_REGIONS: the mailer ses sends in eu-west-1 alone',
    ],
    [
      { AWS_REGION: 'eu-west-1', POSTHORN_SES_EVENTS_QUEUE: 'https://sqs.eu-west-1.amazonaws.com/123456789012/events' },
      'POSTHORN_SES_TOPIC_ARN: the queue POSTHORN_SES_EVENTS_QUEUE needs the topic that fills it',
    ],
    [
      { AWS_REGION: 'eu-west-1', POSTHORN_SES_EVENTS_QUEUE: 'arn:aws:sqs:eu-west-1:1:q' },
      'is not the URL of an SQS queue',
    ],
    [{ AWS_REGION: 'eu-west-1', POSTHORN_SES_CONFIGURATION_SET: 'a b' }, 'is not a name of 1 to 64'],
  ])('says what Amazon SES needs: %j', (environment, expected) => {
    expect(messageOf({ POSTHORN_MAILER: 'ses', ...environment } as Record<string, string>)).toContain(expected)
  })

  it('uses MongoDB if a URL and no other store is given', () => {
    const MONGODB_URL = 'mongodb://localhost/posthorn'
    expect(readConfig({ MONGODB_URL })).toMatchObject({ store: 'mongodb', mongodbUrl: MONGODB_URL })
    expect(readConfig({ MONGODB_URL, POSTHORN_STORE: 'sqlite' })).toMatchObject({ store: 'sqlite' })
  })
})

describe('the configuration of returned mail', () => {
  const smtp = { SMTP_URL: 'smtp://localhost:2525', POSTHORN_PUBLIC_URL: 'https://mail.example.com' }
  const key = Buffer.alloc(91).toString('base64')

  it('is off without a domain', () => {
    expect(readConfig({}).mailIn).toEqual({
      domain: undefined,
      listener: undefined,
      certificate: undefined,
      mailboxUrl: undefined,
      providers: { postmark: undefined, mailgun: undefined, sendgrid: undefined, brevo: undefined },
    })
  })

  it('reads a port, a mailbox and providers’ secrets', () => {
    const given = {
      POSTHORN_BOUNCE_DOMAIN: 'bounces.example.com',
      POSTHORN_BOUNCE_PORT: '2525',
      POSTHORN_BOUNCE_TLS_CERT: '/etc/mail/cert.pem',
      POSTHORN_BOUNCE_TLS_KEY: '/etc/mail/key.pem',
      POSTHORN_BOUNCE_IMAP_URL: 'imaps://bounces%40example.com:password@imap.example.com/INBOX',
      POSTHORN_SENDGRID_PUBLIC_KEY: key,
      POSTHORN_BREVO_SECRET: 'a-secret-of-brevo',
    }
    expect(readConfig({ ...smtp, ...given }).mailIn).toMatchObject({
      domain: 'bounces.example.com',
      listener: { port: 2525, host: '127.0.0.1' },
      certificate: { cert: '/etc/mail/cert.pem', key: '/etc/mail/key.pem' },
      mailboxUrl: given.POSTHORN_BOUNCE_IMAP_URL,
      providers: { postmark: undefined, sendgrid: key, brevo: 'a-secret-of-brevo' },
    })
  })

  it.each([
    [{ POSTHORN_BOUNCE_PORT: '2525' }, 'POSTHORN_BOUNCE_PORT: it needs POSTHORN_BOUNCE_DOMAIN'],
    [{ POSTHORN_BOUNCE_TLS_CERT: 'a' }, 'POSTHORN_BOUNCE_TLS_CERT: it needs POSTHORN_BOUNCE_PORT'],
    [{ POSTHORN_BOUNCE_TLS_CERT: 'a' }, 'POSTHORN_BOUNCE_TLS_CERT: it needs POSTHORN_BOUNCE_TLS_KEY'],
    [{ POSTHORN_BOUNCE_TLS_KEY: 'a' }, 'POSTHORN_BOUNCE_TLS_KEY: it needs POSTHORN_BOUNCE_TLS_CERT'],
    [{ POSTHORN_BOUNCE_IMAP_URL: 'imaps://a:b@c' }, 'POSTHORN_BOUNCE_IMAP_URL: it needs POSTHORN_BOUNCE_DOMAIN'],
    [
      { POSTHORN_BOUNCE_IMAP_URL: 'https://a:hidden@c' },
      'POSTHORN_BOUNCE_IMAP_URL: the given value is not a URL such as imaps://',
    ],
    [{ POSTHORN_BOUNCE_DOMAIN: 'Bounces.example.com' }, 'is not a host name in lower case'],
    [{ POSTHORN_BREVO_SECRET: 'short' }, 'POSTHORN_BREVO_SECRET: the given value is not 16 to 200'],
    [{ POSTHORN_SENDGRID_PUBLIC_KEY: 'no key' }, 'POSTHORN_SENDGRID_PUBLIC_KEY: the given value is not a public key'],
    [
      { POSTHORN_MAILER: 'outbox', POSTHORN_MAILGUN_SIGNING_KEY: 'k'.repeat(32) },
      'POSTHORN_MAILGUN_SIGNING_KEY: it needs the mailer smtp',
    ],
  ])('is rejected if incomplete: %o', (environment, expected) => {
    const message = messageOf({ ...smtp, ...environment } as Record<string, string>)
    expect(message).toContain(expected)
    expect(message).not.toContain('hidden')
  })
})

describe('the configuration of an OpenID Connect provider', () => {
  const oidc = {
    POSTHORN_OIDC_ISSUER: 'https://id.example.com/realms/mail/',
    POSTHORN_OIDC_CLIENT_ID: 'posthorn',
    POSTHORN_OIDC_CLIENT_SECRET: 'a secret',
    POSTHORN_OIDC_ROLES: 'mail-team=writer',
  }
  const account = 'a'.repeat(24)

  it('is none by default, and otherwise keeps passwords', () => {
    expect(readConfig({}).oidc).toBeUndefined()
    expect(readConfig(oidc).oidc).toEqual({
      issuer: 'https://id.example.com/realms/mail/',
      clientId: 'posthorn',
      clientSecret: 'a secret',
      scope: 'openid profile email',
      name: 'id.example.com',
      claim: 'groups',
      roles: [{ value: 'mail-team', role: 'writer' }],
      passwords: true,
    })
  })

  it('reads values with any character but a semicolon', () => {
    const POSTHORN_OIDC_ROLES = ` cn=mail, ou=groups=writer ;a@b=owner@${account}; it = operator;`
    expect(readConfig({ ...oidc, POSTHORN_OIDC_ROLES }).oidc?.roles).toEqual([
      { value: 'cn=mail, ou=groups', role: 'writer' },
      { value: 'a@b', role: 'owner', accountId: account },
      { value: 'it', role: 'operator' },
    ])
  })

  it.each(['', ';', 'writer', '=writer', 'a=king', 'a=writer@', 'a=writer@x', `a=operator@${account}`, 'a=writer;b'])(
    'rejects the roles %j',
    (roles) => {
      expect(messageOf({ ...oidc, POSTHORN_OIDC_ROLES: roles })).toContain('POSTHORN_OIDC_ROLES')
    },
  )

  it.each([
    ['POSTHORN_OIDC_ISSUER', 'http://id.example.com'],
    ['POSTHORN_OIDC_ISSUER', 'http://localhost.evil.example'],
    ['POSTHORN_OIDC_ISSUER', 'https://id.example.com?x=1'],
    ['POSTHORN_OIDC_SCOPE', 'profile email'],
    ['POSTHORN_OIDC_NAME', 'a\nb'],
    ['POSTHORN_OIDC_PASSWORDS', 'no'],
  ])('rejects %s=%j', (name, value) => {
    expect(messageOf({ ...oidc, [name]: value })).toContain(name)
  })

  it('names everything that is missing, and what has no effect alone', () => {
    const message = messageOf({ POSTHORN_OIDC_ISSUER: 'http://localhost:8080/realms/mail' })
    for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'ROLES']) expect(message).toContain(`POSTHORN_OIDC_${name}`)
    expect(messageOf({ POSTHORN_OIDC_PASSWORDS: 'false' })).toContain('POSTHORN_OIDC_ISSUER')
  })
})

describe('the submission port', () => {
  it('is off by default', () => {
    expect(readConfig({}).submission).toBeUndefined()
  })

  it('listens on this machine without a certificate, and takes its name from the public URL', () => {
    const given = { POSTHORN_SUBMISSION_PORT: '2587', POSTHORN_PUBLIC_URL: 'https://mail.example.com/post' }
    expect(readConfig(given).submission).toMatchObject({
      port: 2587,
      host: '127.0.0.1',
      name: 'mail.example.com',
      certificate: undefined,
    })
  })

  it.each([
    [
      { POSTHORN_SUBMISSION_PORT: '587', POSTHORN_SUBMISSION_HOST: '0.0.0.0' },
      'POSTHORN_SUBMISSION_TLS_CERT: other machines can sign in only by TLS, so that POSTHORN_SUBMISSION_HOST needs a certificate',
    ],
    [{ POSTHORN_SUBMISSION_TLS_CERT: 'a' }, 'POSTHORN_SUBMISSION_TLS_CERT: it needs POSTHORN_SUBMISSION_PORT'],
    [{ POSTHORN_SUBMISSION_TLS_CERT: 'a' }, 'POSTHORN_SUBMISSION_TLS_CERT: it needs POSTHORN_SUBMISSION_TLS_KEY'],
    [{ POSTHORN_SUBMISSION_TLS_KEY: 'a' }, 'POSTHORN_SUBMISSION_TLS_KEY: it needs POSTHORN_SUBMISSION_TLS_CERT'],
  ])('refuses %o', (given, violation) => {
    expect(() => readConfig(given)).toThrow(violation)
  })
})

describe('a relay with OAuth 2.0', () => {
  const relay = {
    SMTP_URL: 'smtp://news%40example.com@smtp.office365.com:587',
    POSTHORN_PUBLIC_URL: 'https://m.example.com',
  }
  const oauth2 = {
    POSTHORN_SMTP_OAUTH2_TOKEN_URL: 'https://login.example.com/token',
    POSTHORN_SMTP_OAUTH2_CLIENT_ID: 'client',
    POSTHORN_SMTP_OAUTH2_CLIENT_SECRET: 'hidden-secret',
    POSTHORN_SMTP_OAUTH2_SCOPE: 'https://outlook.office365.com/.default',
  }

  it('takes the user of SMTP_URL', () => {
    expect(readConfig({ ...relay, ...oauth2 }).smtp).toMatchObject({
      user: 'news@example.com',
      oauth2: { tokenUrl: 'https://login.example.com/token', clientId: 'client', refreshToken: undefined },
    })
  })

  it.each([
    [{ SMTP_URL: 'smtp://a:hidden@b.example' }, 'leave the password out'],
    [{ SMTP_URL: 'smtp://b.example' }, 'needs a user'],
    [{ POSTHORN_SMTP_OAUTH2_TOKEN_URL: 'http://login.example.com/token' }, 'is an https URL'],
    [{ POSTHORN_SMTP_OAUTH2_CLIENT_ID: '' }, 'needs the id of a client'],
    [{ POSTHORN_SMTP_OAUTH2_CLIENT_SECRET: '' }, 'needs a refresh token, or the secret of a client'],
    [{ POSTHORN_SMTP_OAUTH2_TOKEN_URL: '' }, 'POSTHORN_SMTP_OAUTH2_CLIENT_ID: it needs POSTHORN_SMTP_OAUTH2_TOKEN_URL'],
    [{ POSTHORN_MAILER: 'outbox' }, 'it needs the mailer smtp'],
  ])('refuses %o, and shows no secret', (given, violation) => {
    const read = () => readConfig({ ...relay, ...oauth2, ...given })
    expect(read).toThrow(violation)
    expect(read).not.toThrow('hidden')
  })
})
