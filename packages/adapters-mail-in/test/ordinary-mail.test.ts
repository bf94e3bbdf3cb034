import { describe, expect, it } from 'vitest'
import { type ReturnAddressPurpose, readReturned } from '../src/index.js'

/** A message as the bounce port has it, with the sender of its envelope beside it, and as a mailbox keeps it, in `Return-Path`. */
const read = async (envelopeFrom: string, message: string, to: ReturnAddressPurpose = 'bounce') => {
  const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))
  return {
    port: await readReturned(bytes(message), to, envelopeFrom),
    mailbox: await readReturned(bytes(`Return-Path: <${envelopeFrom}>\n${message}`), to),
  }
}

const kinds = async (...args: Parameters<typeof read>) => {
  const { port, mailbox } = await read(...args)
  return [port.kind, mailbox.kind]
}

const anna = 'From: Anna <anna@example.net>\n'
const utf8 = 'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n'

const bounce = `This is the mail system at host mx.example.net.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

<bert@example.net>: host mx.example.net said: 550 5.1.1 User unknown`

describe('ordinary mail', () => {
  const people: readonly (readonly [string, string])[] = [
    ['forwards a bounce', `${anna}Subject: Fwd: Undelivered Mail Returned to Sender\n\n${bounce}`],
    ['forwards a bounce with a word above it', `${anna}Subject: WG: failure notice\n\nWhat is this?\n\n${bounce}`],
    ['quotes a bounce', `${anna}Subject: Re: failure notice\n\n> ${bounce.replaceAll('\n', '\n> ')}\n\nI see.`],
    [
      'has a bounce attached',
      `${anna}Subject: Undeliverable: help\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\nContent-Type: message/rfc822\n\nFrom: mailer-daemon@example.net\nContent-Type: multipart/report; report-type=delivery-status; boundary=c\n\n--c\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@b.c\nAction: failed\nStatus: 5.1.1\n--c--\n--b--\n`,
    ],
    [
      'is spam about a mail that was undeliverable',
      `From: Support <support@spam.example>\nSubject: Undelivered mail: your mailbox is disabled\n\nUndelivered messages: 5. 550 5.2.1 Your account has been disabled. Sign in to read them.`,
    ],
    [
      'has the footer of a mailing list',
      `${anna}Subject: [bounces] 5.1.1\nList-Id: <bounces.example.net>\nPrecedence: list\n\nuser unknown is the commonest.\n-- \nbounces mailing list. Undeliverable addresses are no longer valid and removed.`,
    ],
  ]

  it.each(people)('that %s is not a bounce', async (_name, message) => {
    expect(await kinds('anna@example.net', message)).toEqual(['other', 'other'])
    expect(await kinds('list-bounces@example.net', message)).toEqual(['other', 'other'])
  })

  const answers: readonly (readonly [string, string, string])[] = [
    [
      'English',
      'Re: News',
      'Your message to Anna was received. Anna is no longer with Example Ltd, her mailbox is inactive.',
    ],
    ['German', 'Re: Neues', 'Ihre Nachricht wird nicht weitergeleitet. Das Postfach existiert nicht mehr.'],
    ['French', 'Re: Nouvelles', 'Votre message est arrivé. Cette adresse n’existe pas pour les abonnements.'],
    ['Spanish', 'Re: Noticias', 'Estoy fuera. El usuario desconocido no existe en la oficina.'],
    ['Italian', 'R: Novità', 'Sono in ferie. Destinatario sconosciuto fino a lunedì.'],
    ['Polish', 'Odp: Nowości', 'Jestem na urlopie. Adres nieznany do poniedziałku.'],
    [
      'English, of a delivery',
      'Re: Delivery notification: your parcel',
      'I am on leave, and no longer available by mail.',
    ],
    ['German, of a delivery', 'AW: Delivery status of your order', 'Ich bin im Urlaub. Konto nicht vorhanden.'],
  ]
  const marks = ['', 'Auto-Submitted: auto-replied\n', 'Precedence: auto_reply\n', 'X-Autoreply: yes\n']

  it.each(answers)('that is an out-of-office reply is not a bounce, in %s', async (_language, subject, text) => {
    for (const mark of marks)
      for (const envelopeFrom of ['', 'anna@example.net']) {
        const found = await kinds(envelopeFrom, `${anna}Subject: ${subject}\n${mark}${utf8}\n${text}`)
        expect(found, `${mark}<${envelopeFrom}>`).toEqual(Array(2).fill(mark === '' ? 'other' : 'auto-reply'))
      }
  })
})

describe('a bounce', () => {
  it.each(['From: <>\n', ''])(
    'that claims to be an automatic reply, with an empty sender, is recognised: %j',
    async (from) => {
      const message = `${from}Auto-Submitted: auto-replied\n\nYou sent mail to bert@example.net. That's not a valid user here.`
      const { port, mailbox } = await read('', message)
      expect(port).toMatchObject({ kind: 'delivery-status', outcome: 'permanent' })
      expect(mailbox).toEqual(port)
    },
  )

  it.each([
    [
      'Postfix under another name',
      `This is the Example program at host mx.example.net.\n\n${bounce.split('\n\n').slice(1).join('\n\n')}`,
    ],
    [
      'Exim',
      'A message that you sent could not be delivered to one or more of its\nrecipients. The following address failed:\n\n  bert@example.net\n    550 User unknown',
    ],
  ])('of %s is recognised behind a mailing list with its own envelope sender', async (_name, text) => {
    const { port, mailbox } = await read(
      'list@example.net',
      `From: MAILER-DAEMON@example.net\nSubject: Returned\n\n${text}`,
    )
    expect(port).toMatchObject({ kind: 'delivery-status', outcome: 'permanent' })
    expect(mailbox).toEqual(port)
  })

  it('is classified without the returned mail’s subject', async () => {
    const report = (subject: string, reason: string) =>
      `From: postmaster@example.net\nSubject: Undeliverable: ${subject}\n\nYour message\n\n  To: bert\n  Subject: ${subject}\n\ndid not reach the following recipient(s):\n\nbert@example.net\n    ${reason}`
    const outcome = async (...args: Parameters<typeof report>) => (await read('', report(...args))).port
    expect(await outcome('Virus, spam and quota', 'The recipient name is not recognized')).toMatchObject({
      outcome: 'permanent',
    })
    expect(await outcome('Address unknown? No such user!', 'The server gave no reason')).toMatchObject({
      outcome: 'transient',
    })
  })

  it('with a generic status is classified without that subject, too', async () => {
    const report = (text: string) =>
      `From: postmaster@example.net\nSubject: Undeliverable\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\n${text}\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@example.net\nAction: failed\nStatus: 5.0.0\n--b--\n`
    const outcome = async (text: string) => (await read('', report(text))).port
    expect(await outcome('Subject: No such user?\n\nwas not delivered')).toMatchObject({ outcome: 'transient' })
    expect(await outcome('Subject: News\n\nwas not delivered: no such user')).toMatchObject({ outcome: 'permanent' })
  })

  it('of Sendmail may have its reason only in the subject', async () => {
    const of = async (subject: string) =>
      (
        await read(
          '',
          `From: MAILER-DAEMON@example.net\nSubject: ${subject}\n\nThe original message was received at Thu Oct 13 2015`,
        )
      ).port
    expect(await of('Returned mail: User unknown')).toMatchObject({ outcome: 'permanent' })
    expect(await of('Returned mail: see transcript for details')).toMatchObject({ outcome: 'transient' })
  })

  it('without its part boundaries is read as text', async () => {
    const message = `From: MAILER-DAEMON@example.net\nSubject: Delivery has failed\nContent-Type: multipart/report; boundary=b\n\n${bounce}`
    expect((await read('', message)).port).toMatchObject({ outcome: 'permanent' })
  })
})

describe('an unsubscribe request', () => {
  const away = 'Auto-Submitted: auto-replied\n'
  it.each([
    ['without a word, as Apple Mail marks it', `${away}X-Apple-Unsubscribe: true\nSubject: anything\n`],
    ['with the subject that was asked for', `${away}Subject: unsubscribe\n`],
    ['by hand', 'Subject: please take me off\n'],
  ])('%s is recognised', async (_name, fields) => {
    expect(await kinds('anna@example.net', `${anna}${fields}\n`, 'unsubscribe')).toEqual(['unsubscribe', 'unsubscribe'])
  })

  it.each([
    `${away}Subject: away\n`,
    `${away}X-Apple-Unsubscribe: false\nSubject: away\n`,
    `${away}Subject: Re: unsubscribe\n`,
  ])('is not an automatic reply: %j', async (fields) => {
    expect(await kinds('anna@example.net', `${anna}${fields}\n`, 'unsubscribe')).toEqual(['auto-reply', 'auto-reply'])
  })
})
