import fc from 'fast-check'
import nodemailer from 'nodemailer'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { type SmtpOptions, smtpMailer } from '../../src/index.js'
import { selfSigned } from './certificate.js'
import { local, mail, sink } from './servers.js'

const certificate = selfSigned()
const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const started = async (server: SMTPServerOptions = {}, options: SmtpOptions = {}) => {
  const to = await sink(server)
  const mailer = smtpMailer(local(to.port, options))
  endings.push(to.close, () => mailer.close())
  return { ...to, mailer }
}

const failing = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code })

describe('a mail', () => {
  it('arrives as sent, and returns its queue id', async () => {
    const { mailer, received } = await started()
    const sent = mail()
    expect(await mailer.send(sent)).toEqual({ kind: 'accepted', providerMessageId: '1' })
    expect(received).toEqual([{ from: sent.from, to: [sent.to], bytes: Buffer.from(sent.mime) }])
  })

  it('has the given envelope sender, or else its own address', async () => {
    const { mailer, received } = await started()
    await mailer.send(mail({ envelopeFrom: 'b-abc@bounces.example.com' }))
    await mailer.send(mail())
    expect(received.map(({ from }) => from)).toEqual(['b-abc@bounces.example.com', mail().from])
    const unusable = mail({ envelopeFrom: 'a@b> SIZE=1\r\nQUIT' })
    expect(await mailer.send(unusable)).toMatchObject({ kind: 'refused', error: { name: 'MalformedAddress' } })
  })

  it('arrives with its exact lines', async () => {
    const { mailer, received } = await started()
    const line = fc.oneof(
      fc.constantFrom('', '.', '..', '.\t', 'QUIT', 'RSET'),
      fc.string({ unit: fc.constantFrom('.', 'x', ' ') }),
      fc.integer({ min: 998, max: 100_000 }).map((length) => 'x'.repeat(length)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const mime = `Subject: x\r\n\r\n${lines.map((one) => `${one}\r\n`).join('')}`
        expect(await mailer.send(mail({ mime }))).toMatchObject({ kind: 'accepted' })
        expect(received.at(-1)?.bytes.toString()).toBe(mime)
      }),
    )
  })

  it('arrives byte for byte like nodemailer’s', async () => {
    const { mailer, received, port } = await started()
    const oracle = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
    const from = 'news@example.com'
    const to = 'ada@example.org'
    for (const mime of [
      'Subject: a\r\n\r\n.\r\n..\r\n\r\n.x\r\nlast without an end',
      `Subject: b\r\n\r\n${'.long '.repeat(40_000)}\r\n.\r\n`,
      '.Subject: c\r\n\r\n\r\n\r\n',
      'Subject: d\n\nloose\nlines\n.\n',
    ]) {
      await mailer.send(mail({ from, to, mime }))
      await oracle.sendMail({ envelope: { from, to }, raw: mime })
      const [ours, theirs] = received.slice(-2)
      expect(ours?.bytes.equals(theirs?.bytes ?? Buffer.alloc(0))).toBe(true)
      expect(ours).toMatchObject({ from: theirs?.from, to: theirs?.to })
    }
    oracle.close()
  })

  it('shares few connections with hundreds of others, each sent once', async () => {
    const { mailer, received, connections } = await started({}, { pool: 3 })
    const mails = Array.from({ length: 300 }, () => mail())
    const outcomes = await Promise.all(mails.map((one) => mailer.send(one)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(received.map(({ to }) => String(to[0])).sort()).toEqual(mails.map(({ to }) => to).sort())
    expect(connections()).toBeLessThanOrEqual(3)
  })

  it('of many megabytes arrives completely, between small ones', async () => {
    const { mailer, received } = await started({}, { pool: 1 })
    const big = `Subject: big\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(200_000)}`
    const outcomes = await Promise.all([mail(), mail({ mime: big }), mail()].map((one) => mailer.send(one)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(received[1]?.bytes.length).toBe(big.length)
  })

  it('uses a new connection after its maximum of messages', async () => {
    const { mailer, received, connections } = await started({}, { pool: 1, maxMessages: 3 })
    for (const one of [mail(), mail(), mail(), mail(), mail(), mail(), mail()]) await mailer.send(one)
    expect(received).toHaveLength(7)
    expect(connections()).toBe(3)
  })

  it('uses a new connection after an idle timeout', async () => {
    const { mailer, connections } = await started({}, { timeouts: { idle: 50 } })
    await mailer.send(mail())
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(connections()).toBe(2)
  })

  it.each([
    { to: 'ada@example.org>\r\nRCPT TO:<eve@example.org' },
    { to: 'ada@example.org\r\nDATA' },
    { from: 'news@example.com> SIZE=1' },
    { from: 'News <news@example.com>' },
    { to: '\u010aQUIT@example.org' },
    { to: '' },
  ])('to or from an invalid address never reaches the server: %j', async (changes) => {
    const { mailer, connections } = await started()
    expect(await mailer.send(mail(changes))).toMatchObject({ kind: 'refused', error: { name: 'MalformedAddress' } })
    expect(connections()).toBe(0)
  })

  it('larger than the server’s limit is refused without sending', async () => {
    const { mailer, received } = await started({ size: 1_000 })
    expect(await mailer.send(mail({ mime: 'x'.repeat(2_000) }))).toMatchObject({
      kind: 'refused',
      error: { name: 'MessageTooLarge' },
    })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(received).toHaveLength(1)
  })
})

describe('a server that refuses', () => {
  const cases: readonly [string, SMTPServerOptions, string][] = [
    [
      'at MAIL FROM',
      { onMailFrom: ({ address }, _session, done) => done(address.startsWith('bad') ? failing(550, 'no') : null) },
      'in reply to MAIL FROM',
    ],
    [
      'at RCPT TO',
      { onRcptTo: ({ address }, _session, done) => done(address.startsWith('bad') ? failing(550, 'no') : null) },
      'in reply to RCPT TO',
    ],
    [
      'after the message',
      {
        onData: (stream, session, done) => {
          const bad = session.envelope.rcptTo[0]?.address.startsWith('bad')
          stream.resume().on('end', () => done(bad ? failing(550, 'no') : null, 'OK'))
        },
      },
      'in reply to the message',
    ],
  ]

  it.each(cases)('permanently %s affects only that mail on the connection', async (_where, options, message) => {
    const { mailer, connections } = await started(options, { pool: 1 })
    const from = (bad: boolean) => (bad ? { from: 'bad@example.com', to: 'bad@example.org' } : {})
    const outcomes = await Promise.all(
      [false, true, true, false, true, false].map((bad) => mailer.send(mail(from(bad)))),
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'accepted',
      'refused',
      'refused',
      'accepted',
      'refused',
      'accepted',
    ])
    expect(outcomes[1]).toMatchObject({ error: { name: 'SmtpRefused', message: expect.stringContaining(message) } })
    expect(connections()).toBe(1)
  })

  it('temporarily defers the mail, and a greylisted one succeeds the next time', async () => {
    const seen = new Set<string>()
    const { mailer } = await started({
      onRcptTo: ({ address }, _session, done) => {
        if (seen.has(address)) return done()
        seen.add(address)
        done(failing(451, '4.7.1 Greylisted, try again later'))
      },
    })
    const one = mail()
    expect(await mailer.send(one)).toMatchObject({
      kind: 'deferred',
      throttled: false,
      error: { name: 'SmtpDeferred' },
    })
    expect(await mailer.send(one)).toMatchObject({ kind: 'accepted' })
  })

  it('because of the rate throttles', async () => {
    const { mailer } = await started({
      onData: (stream, _session, done) => {
        stream.resume().on('end', () => done(failing(454, 'Throttling failure: Maximum sending rate exceeded.')))
      },
    })
    expect(await mailer.send(mail())).toMatchObject({
      kind: 'deferred',
      throttled: true,
      error: { name: 'SmtpThrottled' },
    })
  })
})

describe('a server with STARTTLS', () => {
  const tls: SMTPServerOptions = { disabledCommands: [], ...certificate }

  it('gets mail over TLS whenever it offers it', async () => {
    const secured: boolean[] = []
    const { mailer } = await started(
      {
        ...tls,
        onMailFrom: (_address, session, done) => {
          secured.push(session.secure)
          done()
        },
      },
      { ca: certificate.cert },
    )
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(secured).toEqual([true])
  })

  it('gets no mail with an untrusted certificate', async () => {
    const { mailer, received } = await started(tls)
    await expect(mailer.check()).rejects.toThrow(/SMTP server 127\.0\.0\.1:\d+: self-signed certificate/)
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', error: { name: 'SmtpUnavailable' } })
    expect(received).toHaveLength(0)
  })

  it('is trusted if the operator disables verification', async () => {
    const { mailer } = await started(tls, { verify: false })
    await mailer.check()
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  it('may use TLS from the first byte', async () => {
    const { mailer } = await started({ ...certificate, secure: true }, { secure: true, ca: certificate.cert })
    await mailer.check()
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  it('that does not offer TLS gets no mail if TLS is required', async () => {
    const { mailer, received } = await started({}, { requireTls: true })
    await expect(mailer.check()).rejects.toThrow('The server offers no STARTTLS, and TLS is required')
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', throttled: false })
    expect(received).toHaveLength(0)
  })
})

describe('a server that requires a password', () => {
  const asking = (methods: string[]): SMTPServerOptions => ({
    authOptional: false,
    allowInsecureAuth: true,
    authMethods: methods,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'ada' && password === 'pässword') return done(null, { user: 'ada' })
      done(new Error('Wrong'))
    },
  })

  it.each([['PLAIN'], ['LOGIN']])('gets it by %s', async (method) => {
    const { mailer } = await started(asking([method]), { user: 'ada', pass: 'pässword' })
    await mailer.check()
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  it.each([['PLAIN'], ['LOGIN']])('that refuses it by %s defers the mail, which is not to blame', async (method) => {
    const { mailer } = await started(asking([method]), { user: 'ada', pass: 'wr0ng' })
    await expect(mailer.check()).rejects.toThrow('The server refuses the user name or the password: 535')
    await expect(mailer.check()).rejects.not.toThrow('wr0ng')
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', throttled: false })
  })

  it('defers the mail if none is configured', async () => {
    const { mailer } = await started(asking(['PLAIN']))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', throttled: false })
  })

  it('with unsupported methods only is reported', async () => {
    const { mailer } = await started(asking(['XOAUTH2']), { user: 'ada', pass: 'pässword' })
    await expect(mailer.check()).rejects.toThrow('PLAIN and LOGIN are spoken here')
  })

  it('never gets it in clear text if TLS is required', async () => {
    const { mailer, connections } = await started(asking(['PLAIN']), {
      user: 'ada',
      pass: 'pässword',
      requireTls: true,
    })
    await expect(mailer.check()).rejects.toThrow('TLS is required')
    expect(connections()).toBe(1)
  })
})
