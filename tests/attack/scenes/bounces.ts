import { randomBytes } from 'node:crypto'
import { rest, type Scene, type Stage, unless } from '../scene.js'
import { type Smtp, smtp } from '../smtp.js'
import { bounceDomain } from '../target.js'

const role = `fbl@${bounceDomain}`
const bytesRead = 256 * 1024

/** Another address of loopback for each: callers are told apart by their addresses. */
const callerOf = (n: number) => `127.0.${1 + (Math.floor(n / 250) % 250)}.${1 + (n % 250)}`

const filled = (line: string, bytes: number) => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes)

/** A connection that stands before DATA. */
const beforeData = async ({ target }: Stage, caller: number, to: readonly string[] = [role]): Promise<Smtp> => {
  const one = smtp(target.bouncePort, callerOf(caller))
  await one.heard(1)
  for (const line of ['EHLO mx.example.net', 'MAIL FROM:<>', ...to.map((address) => `RCPT TO:<${address}>`), 'DATA'])
    await one.say(line)
  return one
}

/** One message as it is; answers the reply to it. */
const handedOver = async (stage: Stage, caller: number, message: string, to?: readonly string[]): Promise<string> => {
  const one = await beforeData(stage, caller, to)
  await one.write(message)
  const reply = await one.say('\r\n.')
  one.end()
  return reply
}

/** The attack, while the other tenant sends a mail ten times a second. Every one of them has to leave. */
const whileMailsGoOn = (name: string, run: Scene['run']): Scene => ({
  name,
  run: async (stage) => {
    const { asVictim } = stage
    const mail = { name: 'Receipt', subject: 'Receipt', type: 'html', document: '<p>R</p>' }
    const transactionalId = await asVictim.made('/transactional-emails', mail)
    let isOver = false
    let asked = 0
    const sending = (async () => {
      while (!isOver) {
        const { status } = await asVictim.post('/send-transactional', { transactionalId, email: `a${asked}@b.example` })
        if (status === 200) asked += 1
        await rest(100)
      }
    })()
    const broken = await run(stage).finally(() => {
      isOver = true
    })
    await sending
    const sent = async () => {
      const { result } = await asVictim.get(`/transactional-emails/${transactionalId}/stats?timeZone=UTC`)
      return (result as { readonly sent?: number } | undefined)?.sent ?? 0
    }
    for (let tries = 0; tries < 120 && (await sent()) < asked; tries += 1) await rest(250)
    const left = asked - (await sent())
    const suppressed = await asVictim.get('/suppression-list')
    const { count = 0 } = (suppressed.result ?? {}) as { readonly count?: number }
    return [
      ...broken,
      ...unless(asked > 0 && left === 0, `${left} of ${asked} mails had not left half a minute later`),
      ...unless(count === 0, `${count} addresses were suppressed`),
    ]
  },
})

const parts = (part: string) => `Content-Type: multipart/mixed; boundary="b"\r\n\r\n${filled(part, bytesRead)}`
const nested = (depth: number) =>
  Array.from({ length: depth }, (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`).join('')

/** Messages that are small, and take as long as possible to read. */
const bombs: Readonly<Record<string, string>> = {
  'a million parts': parts('--b\r\n\r\n\r\n'),
  'parts of HTML': parts('--b\r\nContent-Type: text/html\r\n\r\n<p>a\r\n'),
  'parts in parts': nested(4_000),
  'mails in mails': filled('Content-Type: message/rfc822\r\n\r\n', bytesRead),
  'nothing but line breaks': filled('\n', bytesRead),
  'one header field without an end': `Subject: ${filled('a', bytesRead)}`,
  'one header field, folded without an end': `Subject: ${filled('a\r\n ', bytesRead)}`,
  'header fields without an end': filled('A: b\r\n', bytesRead),
  'a field of encoded words': `Subject: ${filled('=?utf-8?q?=41?= ', 60_000)}\r\n\r\n`,
  'a field of groups': `To: ${filled('g:', 60_000)}\r\n\r\n`,
  'a long boundary': `Content-Type: multipart/mixed; boundary="${filled('b', 60_000)}"\r\n\r\n${filled('--\r\n', 190_000)}`,
  'a status without an end': `Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${filled('Final-Recipient: rfc822; a@b\r\nStatus: 5.1.1\r\n\r\n', bytesRead)}`,
  'NUL bytes': filled('\0', bytesRead),
  'lines of NUL bytes': `Subject: a\r\n\r\n${filled('\0\r\n', bytesRead)}`,
}

const hundredMegabytes = async (stage: Stage): Promise<readonly string[]> => {
  const one = await beforeData(stage, 1)
  const chunk = Buffer.alloc(1024 * 1024, `${'x'.repeat(70)}\r\n`)
  for (let sent = 0; sent < stage.size(100, 12) && !one.isOver(); sent += 1) await one.write(chunk)
  const reply = await one.say('\r\n.')
  one.end()
  return unless(/^552 /.test(reply) || one.isOver(), `100 MB were answered “${reply}”`)
}

/** What a mail server in front may take for a part of the message, and this one for its end. */
const smuggled = ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\r\n.\r', '\r.\r\n', '\n.\r', '\r\n\0.\r\n', '\r\n.\0\r\n']

/** Attempts to stop, mislead or fill the port that mail comes back to. */
export const bounceScenes: readonly Scene[] = [
  whileMailsGoOn('the bounce port, with 10,000 connections of 2,000 callers', async (stage) => {
    const { target, size } = stage
    const all: Smtp[] = []
    const callers = size(2_000, 40)
    for (let n = 0; n < size(10_000, 200); n += 1) {
      all.push(smtp(target.bouncePort, callerOf(n % callers)))
      if (n % 100 === 99) await rest(5)
    }
    await rest(1_000)
    const held = all.filter((one) => !one.isOver() && one.replies().some((reply) => reply.startsWith('220'))).length
    for (const one of all) one.end()
    await rest(500)
    const after = await handedOver(stage, 9_999, 'Subject: a\r\n\r\n')
    return [
      ...unless(held <= 50, `${held} connections were held at the same time`),
      ...unless(after.startsWith('250'), `afterwards a mail was answered “${after}”`),
    ]
  }),
  whileMailsGoOn('the bounce port, with one caller who takes every place, again and again', async (stage) => {
    const { target, size } = stage
    let refused = 0
    const mine = async (seconds: number) => {
      for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
        const some = Array.from({ length: 60 }, () => smtp(target.bouncePort, callerOf(7)))
        await rest(50)
        for (const one of some) one.end()
      }
    }
    const honest = async (seconds: number) => {
      for (const end = performance.now() + seconds * 1000; performance.now() < end; await rest(200))
        if (!(await handedOver(stage, 8, 'Subject: a\r\n\r\n')).startsWith('250')) refused += 1
    }
    const seconds = size(10, 2)
    await Promise.all([mine(seconds), honest(seconds)])
    return unless(refused === 0, `${refused} mails of somebody else were refused`)
  }),
  whileMailsGoOn('the bounce port, with fifty who send a byte at a time', async (stage) => {
    const { target, size } = stage
    const slow = Array.from({ length: 50 }, (_, n) => smtp(target.bouncePort, callerOf(n)))
    await Promise.all(slow.map((one) => one.heard(1)))
    for (let seconds = 0; seconds < size(32, 3); seconds += 1) {
      for (const one of slow) await one.write('N')
      await rest(1_000)
    }
    const reply = await handedOver(stage, 300, 'Subject: a\r\n\r\n')
    for (const one of slow) one.end()
    // The tests have not the patience until the first gives way.
    return size(1, 0) === 0 ? [] : unless(reply.startsWith('250'), `somebody else was answered “${reply}”`)
  }),
  whileMailsGoOn('the bounce port, with lines and commands that do not end', async ({ target, size }) => {
    const megabytes = size(50, 5)
    const broken: string[] = []
    for (const [n, chunk] of [
      'X'.repeat(1024 * 1024),
      `EHLO ${'a'.repeat(1024 * 1024)}`,
      '\0'.repeat(1024 * 1024),
      filled('NOOP\r\n', 1024 * 1024),
      filled('RSET\r\nVRFY a\r\nHELP\r\n', 1024 * 1024),
      filled('\r\n', 1024 * 1024),
      randomBytes(1024 * 1024).toString('latin1'),
      filled('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 1024 * 1024),
    ].entries()) {
      const one = smtp(target.bouncePort, callerOf(n))
      await one.heard(1)
      for (let sent = 0; sent < megabytes && !one.isOver(); sent += 1)
        await Promise.race([one.write(Buffer.from(chunk, 'latin1')), rest(2_000)])
      if (!(await one.ended(30_000))) broken.push(`it still listens to “${JSON.stringify(chunk.slice(0, 12))}…”`)
      one.end()
    }
    return broken
  }),
  whileMailsGoOn('the bounce port, with who talks before they are greeted', async ({ target, size }) => {
    const broken: string[] = []
    for (let n = 0; n < size(100, 10); n += 1) {
      const one = smtp(target.bouncePort, callerOf(n))
      await one.write(`EHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<${role}>\r\nDATA\r\nSubject: a\r\n\r\n.\r\nQUIT\r\n`)
      await one.ended(5_000)
      if (one.replies().some((reply) => reply.startsWith('354'))) broken.push('a mail was taken of who did not wait')
      one.end()
    }
    return broken.slice(0, 1)
  }),
  whileMailsGoOn('the bounce port, with messages that take long to read', async (stage) => {
    const broken: string[] = []
    const spellings = [
      'fbl',
      'FBL',
      'fBl',
      'abuse',
      'ABUSE',
      'aBuse',
      'postmaster',
      'POSTMASTER',
      'Postmaster',
      'pOstmaster',
    ]
    for (let round = 0; round < stage.size(4, 1); round += 1) {
      const replies = await Promise.all(
        Object.entries(bombs).map(async ([name, text], n) => {
          const to = spellings.map((one) => `${one}@${bounceDomain}`)
          return [name, await handedOver(stage, 20 + n, text, to)] as const
        }),
      )
      for (const [name, reply] of replies) if (!reply.startsWith('250')) broken.push(`${name}: “${reply}”`)
    }
    return broken
  }),
  whileMailsGoOn('the bounce port, with messages of 100 MB', async (stage) => {
    const all = await Promise.all(Array.from({ length: stage.size(4, 1) }, () => hundredMegabytes(stage)))
    return all.flat()
  }),
  whileMailsGoOn('the bounce port, with commands that are hidden in a message', async (stage) => {
    const broken: string[] = []
    for (const [n, end] of smuggled.entries()) {
      const one = await beforeData(stage, 60 + n)
      const before = one.replies().length
      await one.write(
        Buffer.from(
          `Subject: a\r\n\r\nb${end}MAIL FROM:<>\r\nRCPT TO:<${role}>\r\nDATA\r\nSubject: c\r\n\r\nd\r\n`,
          'latin1',
        ),
      )
      await rest(stage.size(300, 100))
      if (one.replies().length > before) broken.push(`${JSON.stringify(end)} ended a message`)
      const reply = await one.say('.')
      if (!reply.startsWith('250')) broken.push(`${JSON.stringify(end)}: “${reply}”`)
      one.end()
    }
    return broken
  }),
  whileMailsGoOn('the bounce port, with forged addresses and floods of recipients', async (stage) => {
    const { target, size } = stage
    const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
    const forged = () => Array.from(randomBytes(58), (byte) => alphabet[byte % 32]).join('')
    let taken = 0
    let asked = 0
    for (let caller = 0; caller < size(200, 10); caller += 1) {
      const one = smtp(target.bouncePort, callerOf(caller))
      await one.heard(1)
      await one.say('EHLO a')
      await one.say('MAIL FROM:<>')
      const before = one.replies().length
      const lines = Array.from(
        { length: 1_000 },
        (_, n) => `RCPT TO:<${n % 2 ? 'b' : 'u'}-${forged()}@${bounceDomain}>\r\n`,
      )
      await one.write(lines.join(''))
      await one.ended(5_000)
      const replies = one.replies().slice(before)
      taken += replies.filter((reply) => reply.startsWith('250')).length
      asked = Math.max(asked, replies.length)
      one.end()
    }
    return [
      ...unless(taken === 0, `${taken} forged addresses were taken`),
      ...unless(asked <= 12, `a connection could try ${asked} addresses`),
    ]
  }),
  whileMailsGoOn('the bounce port, with mails that go round in circles', async (stage) => {
    const looping = `${'Received: from a by b\r\n'.repeat(60)}Subject: a\r\n\r\n`
    const reply = await handedOver(stage, 90, looping)
    const { result } = await stage.asVictim.get('/transactional-emails?limit=1')
    return [
      ...unless(reply.startsWith('554'), `a mail that went through 60 servers was answered “${reply}”`),
      ...unless(result !== undefined, 'the other tenant was not answered'),
    ]
  }),
]
