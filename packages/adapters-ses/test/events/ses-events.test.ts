import type { DeliveryEvent, ProviderAcceptedMail } from '@posthorn/core'
import { notFound, unavailable } from '@posthorn/core/ports/runtime'
import type { ProviderDroppedMailReport } from '@posthorn/core/ports/transport'
import {
  certificatePath,
  type LocalSesOptions,
  mailEvent,
  type SentMail,
  type SnsMessage,
  signingCertificate,
  snsMessage,
} from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { deliveryTags } from '../../src/http/send-request.js'
import { sesEvents } from '../../src/index.js'
import { started, topicArn } from '../world.js'

const deliveryId = `${'d'.repeat(24)}:ada@example.org`
const projectId = 'a'.repeat(24)
const sent: SentMail = {
  messageId: 'ses-1',
  region: 'eu-west-1',
  from: 'news@shop.example',
  to: ['ada@example.org'],
  mime: 'Subject: Hello\r\n\r\nHi',
  tags: Object.fromEntries(deliveryTags({ deliveryId, projectId }).map(({ Name, Value }) => [Name, Value])),
  configurationSet: 'one',
  tenant: undefined,
}
const event = (type: string, detail: object = {}, mail = sent) => mailEvent(mail, type, { ...detail }, Date.now())
const permanentBounce = () => event('Bounce', { bounceType: 'Permanent' })

/** A listener whose SNS is the local one. */
const listening = async (options: LocalSesOptions = {}) => {
  const ses = await started(options)
  const [recorded, taken, fetched, logged]: [DeliveryEvent[], ProviderAcceptedMail[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ]
  const rejected: ProviderDroppedMailReport[] = []
  const unread: object[] = []
  const known = new Set<string>()
  let trouble: Error | undefined
  let time = Date.now()
  const fail = () => {
    if (trouble) throw trouble
  }
  const { receive } = sesEvents({
    topicArns: [topicArn],
    deliveryEvents: {
      record: async (report) => {
        fail()
        recorded.push(report)
      },
      sent: async (one) => {
        fail()
        taken.push(one)
      },
      rejected: async (one) => {
        fail()
        rejected.push(one)
      },
    },
    keepUnread: async (one) => {
      fail()
      unread.push(one)
    },
    isNew: async (id) => !known.has(id) && known.add(id).has(id),
    forget: async (id) => void known.delete(id),
    fetchBytes: async (url) => {
      fetched.push(url)
      const response = await fetch(url)
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    log: (level, message, fields) => void logged.push(`${level}: ${message} ${JSON.stringify(fields)}`),
    endpoint: ses.url,
    now: () => time,
  })
  const post = (message: object) => receive(Buffer.from(JSON.stringify(message)))
  const message = (text: string, changes: SnsMessage = {}) => ses.message('Notification', topicArn, text, changes)
  return {
    ses,
    recorded,
    taken,
    rejected,
    unread,
    fetched,
    logged,
    post,
    receive,
    message,
    tell: (text: string, changes: SnsMessage = {}) => post(message(text, changes)),
    failWith: (error: Error | undefined) => {
      trouble = error
    },
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

describe('an SES event', () => {
  it.each([
    [
      'Bounce',
      { bounceType: 'Permanent', bouncedRecipients: [{ status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 gone' }] },
      { type: 'bounce', transient: false, reason: { name: '5.1.1', message: 'smtp; 550 5.1.1 gone' } },
    ],
    [
      'Bounce',
      { bounceType: 'Permanent', bounceSubType: 'Suppressed' },
      {
        type: 'bounce',
        transient: false,
        reason: { name: 'Bounced', message: 'Permanent bounce: Suppressed.' },
      },
    ],
    ['Bounce', { bounceType: 'Transient', bounceSubType: 'MailboxFull' }, { type: 'bounce', transient: true }],
    ['Bounce', { bounceType: 'Undetermined' }, { type: 'bounce', transient: true }],
    ['Complaint', { complaintFeedbackType: 'abuse' }, { type: 'complaint' }],
    [
      'Open',
      { userAgent: 'Mail', ipAddress: '192.0.2.1', timestamp: '2026-01-02T03:04:05Z' },
      {
        type: 'open',
        unjudged: true,
        at: '2026-01-02T03:04:05.000Z',
        seen: { userAgent: 'Mail', ipAddress: '192.0.2.1' },
      },
    ],
    [
      'Click',
      { link: 'https://shop.example/' },
      { type: 'click', unjudged: true, at: expect.any(String), seen: { link: 'https://shop.example/' } },
    ],
  ])('%s %j is recorded for its delivery', async (type, detail, report) => {
    const { tell, recorded } = await listening()
    await tell(event(type, detail))
    expect(recorded).toEqual([{ deliveryId, ...report, name: expect.any(String) }])
  })

  it('Send reports the accepted mail and its provider id', async () => {
    const { tell, taken } = await listening()
    await tell(event('Send'))
    expect(taken).toEqual([{ deliveryId, providerMessageId: 'ses-1' }])
  })

  it.each([
    ['Complaint', { complaintFeedbackType: 'not-spam' }],
    ['Delivery', {}],
    ['DeliveryDelay', { delayType: 'MailboxFull' }],
    ['Subscription', {}],
    ['SomethingNew', {}],
  ])('%s %j is accepted without effect', async (type, detail) => {
    const { tell, recorded, taken, logged } = await listening()
    await tell(event(type, detail))
    expect([recorded, taken, logged]).toEqual([[], [], []])
  })

  it('Reject is logged with its reason', async () => {
    const { tell, logged } = await listening()
    await tell(event('Reject', { reason: 'Bad content' }))
    expect(logged).toEqual([expect.stringMatching(/^warn: .*Bad content/)])
  })

  it('for a mail without a delivery, or an unknown one, is accepted', async () => {
    const { tell, recorded, failWith } = await listening()
    await tell(event('Bounce', { bounceType: 'Permanent' }, { ...sent, tags: {} }))
    failWith(notFound('Mail'))
    await tell(permanentBounce())
    expect(recorded).toEqual([])
  })

  it('that is repeated is recorded once, unless storing failed', async () => {
    const { post, message, recorded, failWith } = await listening()
    const opened = message(event('Open', {}))
    failWith(unavailable('The store is gone.'))
    await expect(post(opened)).rejects.toMatchObject({ kind: 'unavailable' })
    failWith(undefined)
    for (let times = 0; times < 3; times += 1) await post(opened)
    expect(recorded).toHaveLength(1)
  })
})

describe('a signature', () => {
  it.each(['1', '2'] as const)(
    'of version %s is accepted, and its certificate fetched once',
    async (signatureVersion) => {
      const { tell, recorded, fetched } = await listening({ signatureVersion })
      await tell(permanentBounce(), { Subject: 'Amazon SES Email Event Notification' })
      await tell(permanentBounce())
      expect(recorded).toHaveLength(2)
      expect(fetched).toHaveLength(1)
    },
  )

  it.each([
    ['another text', { Message: permanentBounce().replace('Permanent', 'permanent') }],
    ['another topic', { TopicArn: topicArn.replace('posthorn', 'other') }],
    ['another time', { Timestamp: new Date(Date.now() - 1_000).toISOString() }],
    ['a subject that was not signed', { Subject: 'x' }],
    ['no signature', { Signature: '' }],
    ['the other version', { SignatureVersion: '2' }],
  ])('does not match %s', async (_what, changes) => {
    const { post, message, recorded } = await listening()
    await expect(post({ ...message(permanentBounce()), ...changes })).rejects.toMatchObject({ kind: 'forbidden' })
    expect(recorded).toEqual([])
  })

  it.each([
    ['missing', { Signature: undefined }],
    ['of a version that is not known', { SignatureVersion: '3' }],
  ])('that is %s makes the message invalid', async (_what, changes) => {
    const { post, message } = await listening()
    await expect(post({ ...message(permanentBounce()), ...changes })).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('a certificate', () => {
  it.each([
    'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
    'https://evil.example/sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/x.pem',
    'https://user@sns.eu-west-1.amazonaws.com/x.pem',
    'https://evil-sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/x.pem',
    'http://sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com/x.pem?a=b',
    'https://sns.eu-west-1.amazonaws.com/x.exe',
    'https://sns.amazonaws.com/x.pem',
    'https://sns.s3.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
    'https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
    'https://sns.cn-north-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com.cn/SimpleNotificationService-0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com/a/SimpleNotificationService-0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-UPPER.pem',
    'https://s3.amazonaws.com/sns/x.pem',
    'https://127.0.0.1/x.pem',
    'file:///etc/passwd.pem',
    'x.pem',
  ])('from outside Amazon is not fetched: %s', async (SigningCertURL) => {
    const { post, message, fetched } = await listening()
    await expect(post({ ...message(permanentBounce()), SigningCertURL })).rejects.toMatchObject({ kind: 'forbidden' })
    expect(fetched).toEqual([])
  })

  const signedBy = (ses: { readonly url: string }, certificate: ReturnType<typeof signingCertificate>) =>
    snsMessage(
      { certificate: () => certificate, base: () => ses.url, version: () => '1', now: Date.now },
      'Notification',
      topicArn,
      permanentBounce(),
    )

  it('that is missing or invalid admits nothing', async () => {
    const { ses, post, message, recorded } = await listening()
    const foreign = signedBy(ses, signingCertificate())
    await expect(post(foreign)).rejects.toMatchObject({ kind: 'unavailable' })
    const SigningCertURL = `${ses.url}/none.pem`
    await expect(post({ ...message(permanentBounce()), SigningCertURL })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(recorded).toEqual([])
  })

  it('that has expired admits nothing', async () => {
    const { ses, post, recorded } = await listening()
    const certificate = signingCertificate({ days: 1, now: new Date(Date.now() - 10 * 24 * 60 * 60_000) })
    ses.signWith({ certificate })
    await expect(post(signedBy(ses, certificate))).rejects.toMatchObject({
      message: expect.stringContaining('not valid now'),
    })
    expect(certificatePath(certificate)).toMatch(/^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/)
    expect(recorded).toEqual([])
  })
})

describe('an SNS message', () => {
  it('older than an hour, or from the future, is refused', async () => {
    const { post, message, pass, recorded } = await listening()
    const kept = message(permanentBounce())
    pass(-16 * 60_000)
    await expect(post(kept)).rejects.toMatchObject({ kind: 'forbidden' })
    pass(77 * 60_000)
    await expect(post(kept)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(post({ ...kept, Timestamp: 'soon' })).rejects.toMatchObject({ kind: 'forbidden' })
    pass(-2 * 60_000)
    await post(kept)
    expect(recorded).toHaveLength(1)
  })

  it('of another topic is refused before anything is fetched', async () => {
    const { ses, post, fetched } = await listening()
    const foreign = ses.message('Notification', topicArn.replace('123456789012', '999999999999'), permanentBounce())
    await expect(post(foreign)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(fetched).toEqual([])
  })

  it.each(['', 'x', '[]', 'null', '{}', '{"Type":"Notification"}', `${'['.repeat(100_000)}`])(
    'that is invalid is refused: %.30s',
    async (text) => {
      const { receive } = await listening()
      await expect(receive(Buffer.from(text))).rejects.toMatchObject({ kind: 'invalid' })
    },
  )

  it.each(['no JSON', '{}', '{"eventType":"Bounce"}', '{"mail":{"messageId":"1"}}', 'null', '{"eventType":7}'])(
    'without an event is stored for the operator, and accepted: %s',
    async (text) => {
      const { tell, unread, recorded } = await listening()
      await tell(text)
      expect(unread).toEqual([{ source: 'ses', reason: expect.any(String), text }])
      expect(recorded).toEqual([])
    },
  )

  it('that could not be stored is retried', async () => {
    const { message, post, failWith, unread } = await listening()
    const same = message('no JSON')
    failWith(new Error('The store does not answer'))
    await expect(post(same)).rejects.toThrow('The store')
    failWith(undefined)
    await post(same)
    await post(same)
    expect(unread).toHaveLength(1)
  })

  it.each([
    'Successfully validated SNS topic for Amazon SES event publishing.',
    '{"notificationType":"AmazonSnsSubscriptionSucceeded","message":"You have subscribed."}',
  ])('with Amazon’s greeting is neither an event nor stored: %s', async (text) => {
    const { tell, unread, recorded } = await listening()
    await tell(text)
    expect([unread, recorded]).toEqual([[], []])
  })
})

describe('an identity’s feedback event', () => {
  it('is read by its notificationType, with null fields', async () => {
    const { tell, recorded, unread } = await listening()
    const { eventType, ...rest } = JSON.parse(permanentBounce()) as Record<string, unknown>
    const nothing = { complaint: null, open: null, click: null, reject: null, failure: null }
    await tell(JSON.stringify({ ...rest, ...nothing, notificationType: eventType }))
    const bounce = {
      bounceType: 'Permanent',
      bounceSubType: null,
      bouncedRecipients: [{ status: null, diagnosticCode: null }],
    }
    await tell(JSON.stringify({ ...rest, eventType: null, notificationType: 'Bounce', bounce }))
    await tell(JSON.stringify({ ...rest, eventType: 'Complaint', complaint: { complaintFeedbackType: null } }))
    expect(recorded.map(({ type, transient }) => [type, transient])).toEqual([
      ['bounce', false],
      ['bounce', false],
      ['complaint', undefined],
    ])
    expect(unread).toEqual([])
  })

  it('for a mail without tags belongs to another program', async () => {
    const { tell, recorded, unread } = await listening()
    await tell('{"notificationType":"Bounce","bounce":{"bounceType":"Permanent"},"mail":{"messageId":"1","tags":null}}')
    expect([recorded, unread]).toEqual([[], []])
  })
})

describe('a subscription', () => {
  const confirmation = async () => {
    const world = await listening()
    const asked = (changes: SnsMessage = {}) =>
      world.ses.message('SubscriptionConfirmation', topicArn, 'You have chosen to subscribe.', changes)
    return { ...world, asked }
  }

  it('to an accepted topic is confirmed', async () => {
    const { ses, post, logged } = await confirmation()
    let posted: Promise<void> | undefined
    const { localReceiver } = await import('@posthorn/testkit')
    const receiver = await localReceiver((_request, response) => {
      const body = receiver.received.at(-1)?.body ?? ''
      posted = post(JSON.parse(body) as object)
      response.end()
    })
    await ses.sns.subscribe(topicArn, receiver.url)
    await posted
    await receiver.close()
    expect(ses.sns.confirmed(topicArn)).toEqual([receiver.url])
    expect(logged).toEqual([expect.stringMatching(/^info: The subscription to mail events is confirmed/)])
  })

  it.each([
    'http://169.254.169.254/latest/meta-data/?Action=ConfirmSubscription',
    'https://evil.example/?Action=ConfirmSubscription',
    `https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&TopicArn=${topicArn}`,
    'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=other',
  ])('whose URL leads elsewhere is not confirmed: %s', async (SubscribeURL) => {
    const { post, asked, fetched } = await confirmation()
    await expect(post(asked({ SubscribeURL }))).rejects.toMatchObject({ kind: 'forbidden' })
    expect(fetched).toHaveLength(1)
  })

  it('that Amazon does not confirm is retried', async () => {
    const { post, asked } = await confirmation()
    await expect(post(asked())).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
