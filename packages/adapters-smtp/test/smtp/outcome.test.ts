import { describe, expect, it } from 'vitest'
import { isSmtpThrottle, outcomeOfReply, queueIdOfReply } from '../../src/smtp/outcome.js'

const reply = (text: string) => ({ code: Number(text.slice(0, 3)), lines: [text.slice(4)] })

describe('a negative reply', () => {
  it.each([
    '454 Throttling failure: Maximum sending rate exceeded.',
    '454 Throttling failure: Daily message quota exceeded.',
    '421 4.7.28 Our system has detected an unusual rate of unsolicited mail',
    '450 4.7.1 Error: too much mail from 192.0.2.1',
    '421 4.7.0 mx.example Error: too many connections from 192.0.2.1',
    '421 4.3.2 Service not available',
    '451 4.4.5 Please wait',
    '451 4.7.500 Server busy. Please try again later',
    '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume or user complaints',
    '452 4.5.3 Too many messages in this connection',
    '452 4.5.3 Too many recipients received this hour',
    '450 4.7.1 Daily sending quota exceeded',
    '421 4.7.0 Too many errors, try again later',
    '450 4.3.2 Service currently unavailable',
  ])('with "too fast" throttles: %s', (text) => {
    expect(isSmtpThrottle(reply(text))).toBe(true)
    expect(outcomeOfReply(reply(text), 'MAIL FROM')).toMatchObject({ kind: 'deferred', throttled: true })
  })

  it.each([
    '450 4.2.0 <a@example.org>: Recipient address rejected: Greylisted, too many unknown senders',
    '451 4.7.1 Greylisting in action, please come back later',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    '452 4.2.2 Mailbox over quota, limit exceeded',
    '452 mailbox size limit exceeded',
    '452 Requested action not taken: insufficient system storage, quota exceeded',
    '450 4.1.1 <a@example.org>: Recipient address rejected: unverified address, too many failures',
    '450 Grey listed, too many new senders',
    '451 Graylisting: please try again, rate of new senders is limited',
    '452 4.3.1 Insufficient system storage, limit exceeded',
    '451 4.3.0 Error: queue file write error',
    '451 4.7.1 Service unavailable - try again later',
    '432 4.7.12 A password transition is needed',
  ])('with "not now" does not throttle: %s', (text) => {
    expect(outcomeOfReply(reply(text), 'RCPT TO')).toMatchObject({ kind: 'deferred', throttled: false })
  })

  it.each(['552 5.3.4 Too big', '554 5.7.1 Too many complaints, rate exceeded', '552 5.2.2 Mailbox full', '500 What?'])(
    'of the 500s refuses the mail permanently: %s',
    (text) => {
      expect(outcomeOfReply(reply(text), 'RCPT TO')).toEqual({
        kind: 'refused',
        error: { name: 'SmtpRefused', message: `${text} (in reply to RCPT TO)` },
      })
    },
  )

  it.each([
    '550 5.1.1 No such user',
    '550 5.2.1 The email account that you tried to reach is disabled',
    '556 5.1.10 Recipient address has null MX',
    '550 No such user here',
  ])('for an address that accepts no mail is a bounce: %s', (text) => {
    for (const command of ['RCPT TO', 'DATA', 'the message'])
      expect(outcomeOfReply(reply(text), command)).toMatchObject({ kind: 'refused', bounce: true })
    expect(outcomeOfReply(reply(text), 'MAIL FROM')).not.toHaveProperty('bounce')
  })

  it.each(['530 5.7.0 Must issue STARTTLS first', '530 Authentication required', '503 Bad sequence'])(
    'about the connection never refuses the mail: %s',
    (text) => {
      expect(outcomeOfReply(reply(text), 'MAIL FROM')).toMatchObject({ kind: 'deferred', throttled: false })
    },
  )
})

describe('the queue id of an accepted mail', () => {
  it.each([
    ['250 2.0.0 Ok: queued as 4XyZ12abcd', '4XyZ12abcd'],
    ['250 OK id=1tABCD-000000005vi-0000', '1tABCD-000000005vi-0000'],
    ['250 2.0.0 4ALBxyz012345 Message accepted for delivery', '4ALBxyz012345'],
    ['250 2.6.0 <a@b.example> [InternalId=23138874, Hostname=x] Queued mail for delivery', '23138874'],
    ['250 2.0.0 OK  1700000000 a1-20020a05.42 - gsmtp', 'a1-20020a05.42'],
    ['250 Message Queued (5E9A-1.1)', '5E9A-1.1'],
    [
      '250 Ok 0102018f3c2b1a00-6f1e2d3c-0000-4000-8000-000000000000-000000',
      '0102018f3c2b1a00-6f1e2d3c-0000-4000-8000-000000000000-000000',
    ],
    ['250 OK: message queued', '250 OK: message queued'],
    ['250', '250'],
  ])('is found in %j: %s', (text, id) => {
    expect(queueIdOfReply(reply(text))).toBe(id)
  })
})
