import { createCore } from '@posthorn/core'
import { blocked, busy } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { afterEach, describe, expect, it } from 'vitest'
import { type SubmissionLimits, type SubmissionServerOptions, submissionServer } from '../src/index.js'
import { certificateFiles, dialogue, type Endings, upgraded } from './smtp-dialogue.js'
import { until } from './world.js'

const endings: Endings = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const plain = (user: string, key: string) => Buffer.from(`\0${user}\0${key}`).toString('base64')

const started = async ({
  limits = {} as Partial<SubmissionLimits>,
  project: given = {} as Parameters<typeof sampleProject>[1],
  certificate = undefined as SubmissionServerOptions['certificate'],
  change = (one: ReturnType<typeof createCore>['submission']) => one,
} = {}) => {
  const mailer = recordingMailer()
  const world = inMemoryPorts({ mailer })
  const core = createCore(world.ports)
  const project = await sampleProject(core, given)
  const counted: string[] = []
  const server = await submissionServer({
    submission: change(core.submission),
    log: world.ports.log,
    port: 0,
    host: '127.0.0.1',
    name: 'mail.example.com',
    certificate,
    limits,
    meter: { message: (outcome) => counted.push(outcome), signIn: (outcome) => counted.push(`sign-in ${outcome}`) },
  })
  endings.push(server.close)
  const auth = `AUTH PLAIN ${plain(project.project._id, project.key)}`
  /** A client of Nodemailer, which signs in. */
  const client = (options: object = {}) => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: server.port,
      ignoreTLS: true,
      auth: { user: project.project._id, pass: project.key },
      ...options,
    })
    endings.push(async () => transport.close())
    return transport
  }
  /** A dialogue that is signed in. */
  const signedIn = async () => {
    const one = await dialogue(server.port)
    endings.push(async () => {
      one.end()
    })
    await one.say('EHLO client')
    expect(await one.say(auth)).toMatch(/^235 /)
    return one
  }
  /** What a mailbox gets: the mails sent until now, parsed. */
  const arrived = async () => {
    await core.worker.runUntilIdle()
    return Promise.all(mailer.sent.map(async ({ to, from, mime }) => ({ ...(await PostalMime.parse(mime)), to, from })))
  }
  return { ...world, core, project, server, auth, client, signedIn, arrived, counted }
}

const from = 'post@example.com'
const refusal = (sending: Promise<unknown>): Promise<string> =>
  sending.then(
    () => 'accepted',
    ({ response, message }: { response?: string; message: string }) => response ?? message,
  )

describe('the submission port', () => {
  it('sends a mail of Nodemailer as it is, to each recipient by itself', async () => {
    const { client, arrived, counted } = await started()
    const { response } = await client().sendMail({
      from: 'Shop <post@example.com>',
      to: ['ada@example.org', 'grace@example.org'],
      bcc: 'hidden@example.org',
      replyTo: 'Help <help@example.net>',
      subject: 'Ihre Bestellung – {{name}} 語',
      text: 'Grüße {{contact.name}}\n.\n..dots\n',
      html: '<p>Grüße {{contact.name}} <img src="cid:logo@shop"></p>',
      inReplyTo: '<one@shop.example>',
      headers: { 'X-Shop-Order': '4711', 'X-Mailer': 'Shop' },
      attachments: [
        { filename: 'Rechnung März.pdf', content: Buffer.from('%PDF-1.7 \0\xff', 'latin1') },
        { filename: 'logo.png', content: Buffer.from('PNG'), cid: 'logo@shop' },
      ],
    })
    expect(response).toMatch(/^250 2\.0\.0 Queued as [0-9a-f]{24}$/)
    const mails = await arrived()
    expect(mails.map(({ to }) => to).toSorted()).toEqual(['ada@example.org', 'grace@example.org', 'hidden@example.org'])
    for (const mail of mails) {
      expect(mail.subject).toBe('Ihre Bestellung – {{name}} 語')
      expect(mail.text?.trimEnd()).toBe('Grüße {{contact.name}}\n.\n..dots')
      expect(mail.html?.trim()).toBe('<p>Grüße {{contact.name}} <img src="cid:logo@shop"></p>')
      expect(mail.from).toEqual('post@example.com')
      expect(mail.replyTo).toMatchObject([{ address: 'help@example.net' }])
      const header = (key: string) => mail.headers.find((one) => one.key === key)?.value
      expect([header('x-shop-order'), header('x-mailer'), header('in-reply-to')]).toEqual([
        '4711',
        undefined,
        '<one@shop.example>',
      ])
      expect(header('to')).toBe(`<${mail.to}>`)
      expect(
        mail.attachments.map(({ filename, disposition, contentId, content }) => [
          filename,
          disposition,
          contentId,
          Buffer.from(content as ArrayBuffer).toString('latin1'),
        ]),
      ).toEqual([
        ['logo.png', 'inline', '<logo@shop>', 'PNG'],
        ['Rechnung März.pdf', 'attachment', undefined, '%PDF-1.7 \0\xff'],
      ])
    }
    expect(counted).toEqual(['sign-in accepted', 'accepted'])
  })

  it('names the delivery of a single recipient, which is in the ledger', async () => {
    const { client, project, arrived, ports } = await started()
    const { response } = await client().sendMail({ from, to: 'ada@example.org', subject: 'a', text: 'b' })
    const [, id = ''] = /Queued as (\S+)$/.exec(response) ?? []
    expect(id).toMatch(/^[0-9a-f]{24}:ada@example\.org$/)
    expect(await project.credits()).toBe(9_999)
    expect(await arrived()).toHaveLength(1)
    expect(await ports.deliveries.get(id)).toMatchObject({ email: 'ada@example.org', status: 'sent' })
  })

  it('fills a template with data, and tags the mail', async () => {
    const { client, arrived, core, project, ports } = await started()
    const { _id } = await core.transactionalEmails.create(project.scope, {
      name: 'Receipt',
      subject: 'Receipt {{number}}',
      type: 'text',
      document: 'Thanks, {{name}}',
    })
    const headers = { 'X-Posthorn-Data': '{"name":"Ada","number":7}', 'X-Posthorn-Tag': 'receipt, shop' }
    const mail = { from, to: 'ada@example.org', subject: 'Hello {{name}}', text: 'Dear {{name}}' }
    const ids: string[] = []
    for (const more of [{}, { 'X-Posthorn-Template': _id }]) {
      const { response } = await client().sendMail({ ...mail, headers: { ...headers, ...more } })
      ids.push(/Queued as (\S+)$/.exec(response)?.[1] ?? '')
    }
    const mails = await arrived()
    expect(mails.map(({ subject, text }) => [subject, text?.trim()].join(': ')).toSorted()).toEqual([
      'Hello Ada: Dear Ada',
      'Receipt 7: Thanks, Ada',
    ])
    const tags = await Promise.all(ids.map(async (id) => (await ports.deliveries.get(id))?.tags))
    expect(tags).toEqual(Array.from({ length: 2 }, () => ['receipt', 'shop']))
    expect(
      mails.flatMap(({ headers }) => headers.filter(({ key }) => /^x-posthorn-(?:data|tag|template)/.test(key))),
    ).toEqual([])
  })

  it('sends a mail of attachments alone', async () => {
    const { client, arrived } = await started()
    await client().sendMail({
      from,
      to: 'ada@example.org',
      subject: 'File',
      attachments: [{ filename: 'a.txt', content: 'b' }],
    })
    expect((await arrived()).map(({ attachments }) => attachments.length)).toEqual([1])
  })

  it('answers every failed sign-in alike', async () => {
    const { server, project, core } = await started({ limits: { guesses: { perSecond: 1, burst: 50 } } })
    const other = await sampleProject(core, { name: 'Other' })
    const { key: reading } = await core.apiKeys.create(project.project._id, { scope: 'read' })
    const answers = new Set<string>()
    for (const [user, key] of [
      [project.project._id, 'ph_wrong'],
      ['nobody', project.key],
      [other.project._id, project.key],
      [project.project._id, reading],
      [project.project._id, ''],
      ['ä@{}', 'x'],
    ] as const) {
      const one = await dialogue(server.port)
      await one.say('EHLO client')
      answers.add(await one.say(`AUTH PLAIN ${plain(user, key)}`))
      one.end()
    }
    expect([...answers]).toEqual([
      '535 5.7.8 Sign-in failed. The user is the id of a project, the password one of its API keys with the scope send or full',
    ])
  })

  it('accepts a key of the scope send, by PLAIN and by LOGIN', async () => {
    const { client, core, project, signedIn } = await started()
    const { key } = await core.apiKeys.create(project.project._id, { scope: 'send' })
    for (const authMethod of ['PLAIN', 'LOGIN'])
      expect(await client({ authMethod, auth: { user: project.project._id, pass: key } }).verify()).toBe(true)
    expect(await (await signedIn()).say('NOOP')).toMatch(/^250 /)
  })

  it('limits guesses of an address block, and lets nobody in then', async () => {
    const { server, project, auth } = await started({ limits: { guesses: { perSecond: 0.001, burst: 3 } } })
    const answers: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const one = await dialogue(server.port)
      await one.say('EHLO client')
      answers.push(
        (await one.say(n === 4 ? auth : `AUTH PLAIN ${plain(project.project._id, `guess ${n}`)}`)).slice(0, 9),
      )
      one.end()
    }
    expect(answers).toEqual(['535 5.7.8', '535 5.7.8', '535 5.7.8', '421 4.7.0', '421 4.7.0'])
  })

  it('does not count sign-ins that succeed', async () => {
    const { signedIn } = await started({ limits: { guesses: { perSecond: 0.001, burst: 2 } } })
    for (let n = 0; n < 5; n += 1) expect((await signedIn()).greeting).toMatch(/^220 /)
  })

  it('closes the connection of a key that was revoked since', async () => {
    const { server, core, project } = await started()
    const { key, apiKey } = await core.apiKeys.create(project.project._id, { scope: 'send' })
    const one = await dialogue(server.port)
    await one.say('EHLO client')
    await one.say(`AUTH PLAIN ${plain(project.project._id, key)}`)
    expect(await one.say(`MAIL FROM:<${from}>`)).toMatch(/^250 /)
    await one.say('RSET')
    await core.apiKeys.revoke(project.project._id, apiKey._id)
    expect(await one.say(`MAIL FROM:<${from}>`)).toBe('421 4.7.0 The API key was revoked')
    await until(one.isOver)
  })

  it('takes nothing of a message whose connection breaks, and logs no error', async () => {
    const { signedIn, arrived, lines } = await started()
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    await one.say('RCPT TO:<ada@example.org>')
    await one.say('DATA')
    one.socket.write('Subject: a\r\n\r\nb\r\n')
    one.end()
    await until(one.isOver)
    expect(await arrived()).toEqual([])
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('refuses senders that are no sender identities, in the envelope and in the From field', async () => {
    const { client } = await started()
    const mail = { to: 'ada@example.org', subject: 'a', text: 'b' }
    const wrong = 'from: the project has no sender identity with the address boss@example.org. Add it first'
    expect(await refusal(client().sendMail({ ...mail, from: 'boss@example.org' }))).toBe(`550 5.7.1 ${wrong}`)
    expect(
      await refusal(client().sendMail({ ...mail, from: 'boss@example.org', envelope: { from, to: mail.to } })),
    ).toBe(`550 5.7.1 ${wrong}`)
    expect(await refusal(client().sendMail({ ...mail, from, envelope: { from: '', to: mail.to } }))).toMatch(
      /^550 5\.7\.1/,
    )
  })

  it('refuses suppressed and malformed recipients, and sends to the others', async () => {
    const { signedIn, core, project, arrived } = await started()
    await core.suppressions.create(project.scope, { email: 'gone@example.org', reason: 'bounce' })
    await core.suppressions.create(project.scope, { email: 'left@example.org' })
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    expect(await one.say('RCPT TO:<gone@example.org>')).toMatch(/^550 5\.1\.1 The provided email has been flagged/)
    expect(await one.say('RCPT TO:<left@example.org>')).toBe('550 5.1.1 The provided email is on the suppression list.')
    expect(await one.say('RCPT TO:<ada@localhost>')).toBe('550 5.1.3 Invalid email format')
    expect(await one.say('RCPT TO:<ada@example.org>')).toMatch(/^250 /)
    await one.say('DATA')
    expect(await one.say('Subject: a\r\n\r\nb\r\n.')).toMatch(/^250 2\.0\.0 Queued as/)
    expect((await arrived()).map(({ to }) => to)).toEqual(['ada@example.org'])
  })

  it('refuses mails without credit for good, and defers those beyond a limit that passes', async () => {
    const poor = await started({ project: { credits: 1 } })
    const one = await poor.signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    expect(await one.say('RCPT TO:<ada@example.org>')).toMatch(/^250 /)
    expect(await one.say('RCPT TO:<grace@example.org>')).toBe('550 5.7.1 Insufficient credits available')
    const sandboxed = await started({ project: { production: false } })
    const mail = { from, to: 'ada@example.org', subject: 'a', text: 'b' }
    const answers: string[] = []
    const transport = sandboxed.client({ pool: true, maxConnections: 1, maxMessages: Number.POSITIVE_INFINITY })
    for (let n = 0; n < 101; n += 1) answers.push(await refusal(transport.sendMail(mail)))
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(100)
    expect(answers.at(-1)).toBe('452 4.7.1 Daily sandbox limit exceeded')
  })

  it('tells a limit that passes from one that does not, when it is used up after RCPT', async () => {
    let asked = 0
    const { client } = await started({
      change: (submission) => ({
        ...submission,
        assertQuota: async () => {
          asked += 1
          if (asked > 1) throw busy('Daily sandbox limit exceeded')
        },
        send: async () => {
          throw blocked('Daily sandbox limit exceeded')
        },
      }),
    })
    expect(await refusal(client().sendMail({ from, to: 'ada@example.org', subject: 'a', text: 'b' }))).toBe(
      '452 4.7.1 Daily sandbox limit exceeded',
    )
  })

  it('refuses mails of a restricted project', async () => {
    const { client, core, project } = await started()
    await core.restriction.restrict(project.project._id, { reason: 'Complaints' })
    expect(await refusal(client().sendMail({ from, to: 'ada@example.org', subject: 'a', text: 'b' }))).toMatch(
      /^550 5\.7\.1 /,
    )
  })

  it('defers mails that the store cannot take', async () => {
    let isDown = true
    const { client, arrived, counted } = await started({
      change: (submission) => ({
        ...submission,
        send: (scope, mail) => (isDown ? Promise.reject(new Error('disk')) : submission.send(scope, mail)),
      }),
    })
    const mail = { from, to: 'ada@example.org', subject: 'a', text: 'b' }
    expect(await refusal(client().sendMail(mail))).toBe(
      '451 4.3.0 The mail could not be accepted. Retry in a few seconds',
    )
    isDown = false
    expect(await refusal(client().sendMail(mail))).toBe('accepted')
    expect(await arrived()).toHaveLength(1)
    expect(counted.filter((one) => !one.startsWith('sign-in'))).toEqual(['deferred', 'accepted'])
  })

  it('limits recipients of a mail, and mails of a project', async () => {
    const { signedIn } = await started({ limits: { recipients: 2, rate: { perSecond: 0.001, burst: 4 } } })
    const one = await signedIn()
    const answers = [await one.say(`MAIL FROM:<${from}>`)]
    for (const name of ['a', 'b', 'c']) answers.push(await one.say(`RCPT TO:<${name}@example.org>`))
    await one.say('RSET')
    answers.push(await one.say(`MAIL FROM:<${from}>`), await one.say('RCPT TO:<d@example.org>'))
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(
      ['250', '250', '250', '452', '250', '503'].slice(0, 4).concat(['250', '452']),
    )
    expect(answers.at(-1)).toMatch(/^452 4\.7\.1 Too many mails of this project at once\. Retry in \d+ s\.$/)
  })

  it('closes connections that try many refused recipients', async () => {
    const { signedIn } = await started({ limits: { refusedRecipients: 2 } })
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    for (let n = 0; n < 2; n += 1) expect(await one.say('RCPT TO:<a@localhost>')).toMatch(/^550 /)
    expect(await one.say('RCPT TO:<a@localhost>')).toMatch(/^421 /)
    await until(one.isOver)
  })

  it('refuses a larger mail than declared or allowed', async () => {
    const { server, signedIn, client } = await started({ limits: { message: 400_000 } })
    const one = await signedIn()
    expect(await one.say(`MAIL FROM:<${from}> SIZE=400001`)).toMatch(/^552 /)
    const text = `${'x'.repeat(70)}\n`.repeat(6_000)
    expect(await refusal(client().sendMail({ from, to: 'ada@example.org', subject: 'a', text }))).toMatch(/^552 /)
    await one.say(`MAIL FROM:<${from}>`)
    await one.say('RCPT TO:<ada@example.org>')
    await one.say('DATA')
    expect(await one.say(`Subject: a\r\n\r\n${text.replaceAll('\n', '\r\n')}.`)).toBe(
      '552 5.3.4 The mail is larger than 400000 bytes',
    )
    expect(server.connections()).toBeGreaterThan(0)
  })

  it.each([
    ['\n.\n', '\n.\nMAIL FROM:<post@example.com>\nRCPT TO:<smuggled@example.org>\nDATA\nSubject: b\n\nc\n'],
    ['\r\n.\n', '\r\n.\nMAIL FROM:<post@example.com>\r\n'],
    ['\n.\r\n', '\n.\r\nMAIL FROM:<post@example.com>\r\n'],
    ['\r.\r', '\r.\rMAIL FROM:<post@example.com>\r\n'],
    ['\r\n\r.\r\n', '\r\n\r.\r\nMAIL FROM:<post@example.com>\r\n'],
  ])('refuses a mail with %j as one mail', async (_end, smuggled) => {
    const { signedIn, arrived } = await started()
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    await one.say('RCPT TO:<ada@example.org>')
    await one.say('DATA')
    expect(await one.say(`Subject: a\r\n\r\nb${smuggled}\r\n.`)).toBe(
      '554 5.6.0 The mail has a line that does not end with CR LF. End each line with both',
    )
    expect(await one.say('NOOP')).toMatch(/^250 OK/)
    expect(await arrived()).toEqual([])
  })

  it('refuses messages with too many headers, parts and levels, and loops', async () => {
    const { signedIn } = await started()
    const one = await signedIn()
    const sent = async (message: string) => {
      await one.say(`MAIL FROM:<${from}>`)
      await one.say('RCPT TO:<ada@example.org>')
      await one.say('DATA')
      return one.say(`${message}\r\n.`)
    }
    const multipart = (inner: string, boundary = 'b') =>
      `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n${inner}\r\n--${boundary}--\r\n`
    let nested = 'Content-Type: text/plain\r\n\r\na'
    for (let n = 0; n < 12; n += 1) nested = multipart(nested, `b${n}b`)
    expect(await sent(`${'X-A: b\r\n'.repeat(20_000)}\r\na`)).toMatch(
      /^554 5\.6\.0 The headers have more than 131072 bytes/,
    )
    expect(await sent(multipart('\r\n--b\r\n'.repeat(300)))).toBe('554 5.6.0 The message has more than 200 parts')
    expect(await sent(nested)).toBe('554 5.6.0 The parts are nested deeper than 10 levels')
    expect(await sent(`${'Received: from a by b\r\n'.repeat(51)}\r\na`)).toMatch(/^554 5\.4\.6/)
    expect(await sent('X-Posthorn-Data: [1]\r\nSubject: a\r\n\r\nb')).toBe(
      '554 5.6.0 X-Posthorn-Data: expected a JSON object',
    )
    expect(await sent('\r\nb')).toMatch(/^554 5\.6\.0 .*subject: required/)
    expect(await sent('Subject: a\r\nX-Posthorn-Template: none\r\n\r\nb')).toBe('554 5.6.0 Template not found')
  })

  it('disconnects a client that stops sending a message, and takes nothing of it', async () => {
    const { signedIn, arrived } = await started({ limits: { window: 100 } })
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    await one.say('RCPT TO:<ada@example.org>')
    await one.say('DATA')
    one.socket.write('Subject: a\r\n')
    await until(one.isOver)
    expect(await arrived()).toEqual([])
  })

  it('lets messages wait for memory, and refuses more than may wait', async () => {
    const { signedIn } = await started({
      limits: { message: 1_000_000, memory: 300_000, memoryPerAccount: 300_000, waiting: 1 },
    })
    const [first, second, third] = [await signedIn(), await signedIn(), await signedIn()]
    for (const one of [first, second, third]) {
      await one.say(`MAIL FROM:<${from}>`)
      await one.say('RCPT TO:<ada@example.org>')
      await one.say('DATA')
    }
    expect(await third.say('Subject: a\r\n\r\nb\r\n.')).toMatch(/^452 4\.3\.1 /)
    expect(await first.say('Subject: a\r\n\r\nb\r\n.')).toMatch(/^250 /)
    expect(await second.say('Subject: a\r\n\r\nb\r\n.')).toMatch(/^250 /)
  })

  it('limits connections of a stranger and, after the sign-in, of an account', async () => {
    const { server, signedIn, auth } = await started({
      limits: {
        strangers: {
          connections: 10,
          connectionsPerCaller: 2,
          lifetime: 60_000,
          replaceableAfter: 5_000,
          commands: 4_096,
        },
        members: {
          connections: 10,
          connectionsPerCaller: 3,
          lifetime: 60_000,
          replaceableAfter: 5_000,
          commands: 4_096,
        },
      },
    })
    for (let n = 0; n < 3; n += 1) await signedIn()
    const [one, two] = [await dialogue(server.port), await dialogue(server.port)]
    expect((await dialogue(server.port)).greeting).toBe('421 4.7.0 Too many connections')
    await one.say('EHLO client')
    expect(await one.say(auth)).toBe('421 4.7.0 Too many connections of this account')
    two.end()
  })

  it('closes a stranger who has not signed in in time, and one who talks too much', async () => {
    const strangers = {
      connections: 10,
      connectionsPerCaller: 5,
      lifetime: 200,
      replaceableAfter: 5_000,
      commands: 4_096,
    }
    const { server, signedIn } = await started({ limits: { strangers } })
    const member = await signedIn()
    const idle = await dialogue(server.port)
    const endless = await dialogue(server.port)
    endless.socket.write('X'.repeat(100_000))
    await until(() => idle.isOver() && endless.isOver())
    expect(await member.say('NOOP')).toMatch(/^250 /)
  })

  it('finishes the mail in progress when it closes', async () => {
    const { signedIn, server, arrived } = await started()
    const one = await signedIn()
    await one.say(`MAIL FROM:<${from}>`)
    await one.say('RCPT TO:<ada@example.org>')
    await one.say('DATA')
    const closed = server.close()
    expect(await one.say('Subject: a\r\n\r\nb\r\n.')).toMatch(/^250 /)
    await closed
    expect(await arrived()).toHaveLength(1)
  })

  it('takes pipelined commands', async () => {
    const { signedIn, arrived } = await started()
    const one = await signedIn()
    one.socket.write(
      `MAIL FROM:<${from}> BODY=8BITMIME\r\nRCPT TO:<ada@example.org>\r\nRCPT TO:<bob@example.org>\r\nDATA\r\n`,
    )
    expect(
      await one.say('Subject: Grüße\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n.\r\nNOOP'),
    ).toMatch(/^250 /)
    const mails = await arrived()
    expect(mails.map(({ subject, text }) => [subject, text?.trim()])).toEqual([
      ['Grüße', 'Grüße'],
      ['Grüße', 'Grüße'],
    ])
  })
})

describe('the submission port with a certificate', () => {
  it('takes a sign-in over STARTTLS', async () => {
    const { files } = certificateFiles('mail.example.com', endings)
    const { server, auth, client } = await started({ certificate: files })
    const one = await upgraded(server.port)
    expect(one.name).toBe('mail.example.com')
    await one.say('EHLO client')
    expect(await one.say(auth)).toMatch(/^235 /)
    one.end()
    expect(await client({ ignoreTLS: false, requireTLS: true, tls: { rejectUnauthorized: false } }).verify()).toBe(true)
  })

  it('forgets what was sent before TLS in the same packet', async () => {
    const { files } = certificateFiles('mail.example.com', endings)
    const { server, auth } = await started({ certificate: files })
    const one = await upgraded(server.port, `\r\nEHLO b\r\n${auth}\r\n`)
    await one.say('EHLO client')
    expect(await one.say(`MAIL FROM:<${from}>`)).toMatch(/^530 /)
    one.end()
  })
})
