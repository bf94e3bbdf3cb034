import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type MailboxReader, mailboxReader, mailboxUrl } from '../src/index.js'
import { returnedMailRecipients } from '../src/mailbox/mailbox-reader.js'
import { fakeImap } from './fake-imap.js'
import {
  aSentCampaign,
  bounceDomain,
  failing,
  feedbackReport,
  leavingAddressOf,
  returnPathOf,
  statusReport,
  until,
} from './world.js'

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const started = async ({
  readers = 2,
  isDown = (): boolean => false,
  every = 60_000,
  server = {} as Parameters<typeof fakeImap>[0],
} = {}) => {
  const world = await aSentCampaign(readers)
  const imap = await fakeImap(server)
  endings.push(imap.close)
  const read = (): MailboxReader => {
    const reader = mailboxReader({
      returnedMail: failing(world.core.returnedMail, isDown),
      log: world.ports.log,
      mailbox: mailboxUrl(imap.url),
      every,
      firstPause: 10,
      longestPause: 50,
    })
    endings.push(reader.close)
    return reader
  }
  return { ...world, imap, read }
}

describe('the bounce mailbox', () => {
  it('is read for old and new messages, which are marked as read', async () => {
    const { core, project, imap, read, sent, suppressed, totals } = await started({ readers: 3 })
    imap.deliver(statusReport(returnPathOf(sent[0])))
    read()
    await until(() => imap.unread() === 0)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: bounce`])
    await until(() => imap.idling() === 1)
    imap.deliver(feedbackReport(returnPathOf(sent[1])))
    imap.deliver(`Delivered-To: ${leavingAddressOf(sent[2])}\r\nSubject: unsubscribe\r\n\r\n`)
    imap.deliver('From: spam@example.net\r\nTo: bounces@example.com\r\n\r\nBuy this')
    await until(() => imap.unread() === 0)
    expect(await totals()).toMatchObject({ bounce: 1, complaint: 1 })
    expect(await core.subscriberLists.stats(project.scope, project.list._id)).toMatchObject({ unsubscribed: 1 })
  })

  it('continues after a restart, and processes nothing twice', async () => {
    const { imap, read, sent, totals } = await started()
    imap.deliver(statusReport(returnPathOf(sent[0])))
    const first = read()
    await until(() => imap.unread() === 0)
    await first.close()
    await until(() => imap.open() === 0)
    imap.deliver(statusReport(returnPathOf(sent[1])))
    const before = imap.fetched()
    read()
    await until(() => imap.unread() === 0)
    expect(imap.fetched()).toBe(before + 1)
    expect(await totals()).toMatchObject({ bounce: 2 })
  })

  it('is reconnected after the connection breaks', async () => {
    const { imap, read, sent, suppressed } = await started()
    read()
    await until(() => imap.connections() === 1 && imap.open() === 1)
    imap.breakOff()
    imap.deliver(statusReport(returnPathOf(sent[0])))
    await until(async () => (await suppressed()).length === 1)
    expect(imap.connections()).toBeGreaterThan(1)
  })

  it('counts a message once if it could not be marked', async () => {
    const { imap, read, sent, totals } = await started()
    imap.deliver(statusReport(returnPathOf(sent[0])))
    imap.breakAfterNextFetch()
    read()
    await until(() => imap.unread() === 0)
    expect(imap.fetched()).toBeGreaterThan(1)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('keeps a message unread if it could not be stored, continues with others, and retries later', async () => {
    let down = true
    const { imap, read, sent, totals, lines } = await started({ isDown: () => down, every: 50 })
    imap.deliver(statusReport(returnPathOf(sent[0])))
    imap.deliver('From: spam@example.net\r\n\r\n')
    read()
    await until(() => imap.unread() === 1)
    expect(lines.some(({ message }) => message === 'A returned message could not be recorded')).toBe(true)
    down = false
    await until(() => imap.unread() === 0)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('fetches a message once per poll if the server forgets marks', async () => {
    const { imap, read, sent, totals } = await started({ server: { remembers: false }, every: 100 })
    imap.deliver(statusReport(returnPathOf(sent[0])))
    read()
    await until(() => imap.fetched() >= 3)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('reads only the beginning of a message, however large it is', async () => {
    const { imap, read, sent, suppressed } = await started()
    imap.deliver(`${statusReport(returnPathOf(sent[0]))}${'x'.repeat(3_000_000)}`)
    read()
    await until(() => imap.unread() === 0)
    expect(await suppressed()).toHaveLength(1)
  })

  it('retries after a wrong password, which is not logged', async () => {
    const { imap, core, ports, lines } = await started()
    const mailbox = { ...mailboxUrl(imap.url), pass: 'a wrong secret' }
    const reader = mailboxReader({
      returnedMail: core.returnedMail,
      log: ports.log,
      mailbox,
      firstPause: 10,
      longestPause: 20,
    })
    await until(() => imap.connections() >= 2)
    await reader.close()
    expect(lines.some(({ message }) => message === 'The bounce mailbox cannot be read')).toBe(true)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('can be closed while the server does not respond', async () => {
    const { core, ports } = await started()
    const reader = mailboxReader({
      returnedMail: core.returnedMail,
      log: ports.log,
      mailbox: mailboxUrl('imap://a:b@127.0.0.1:9/INBOX'),
      firstPause: 60_000,
    })
    await expect(reader.close()).resolves.toBeUndefined()
  })
})

/** A server that speaks IMAP until the named command, and then sends the answer again and again, or once. */
const hostileImap = async (at: string, answer: string | Buffer, again = true) => {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    const flood = () => {
      while (socket.writable && socket.write(answer) && again);
      if (again && socket.writable) socket.once('drain', flood)
    }
    if (at === 'greeting') return flood()
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] hostile\r\n')
    let isHostile = false
    socket.on('data', (bytes) => {
      for (const line of bytes.toString('latin1').split('\r\n')) {
        const [, tag = '', name = ''] = /^(\S+) (UID \S+|\S+)/.exec(line) ?? []
        if (name === '' || isHostile) continue
        isHostile = name === at
        if (isHostile) flood()
        else if (name === 'SELECT')
          socket.write(`* 1 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n${tag} OK [READ-WRITE] done\r\n`)
        else if (name === 'LIST') socket.write(`* LIST () "/" "INBOX"\r\n${tag} OK done\r\n`)
        else if (name === 'UID SEARCH') socket.write(`* SEARCH 1 0 4294967296 -1 x 1\r\n${tag} OK done\r\n`)
        else socket.write(`${tag} OK done\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endings.push(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  const { port } = server.address() as AddressInfo
  return { url: `imap://a:b@127.0.0.1:${port}/INBOX`, connections: () => connections }
}

describe('a hostile IMAP server', () => {
  const noise = `* OK ${'noise '.repeat(100)}\r\n`.repeat(100)
  const attacks: readonly (readonly [string, string, string | Buffer, boolean])[] = [
    ['never greets', 'greeting', '', false],
    ['greets without an end', 'greeting', 'x'.repeat(64 * 1024), true],
    ['never answers a command', 'UID SEARCH', '', false],
    ['answers a search with endless numbers', 'UID SEARCH', `* SEARCH ${'1 '.repeat(32 * 1024)}`, true],
    ['sends responses that nobody requested', 'UID SEARCH', noise, true],
    ['announces a literal of 4 GB', 'UID FETCH', '* 1 FETCH (UID 1 BODY[]<0> {4294967295}\r\n', false],
    [
      'sends message after message',
      'UID FETCH',
      `* 1 FETCH (UID 1 BODY[]<0> {65536}\r\n${'x'.repeat(65_536)})\r\n`,
      true,
    ],
    ['sends a literal that never ends', 'UID FETCH', '* 1 FETCH (UID 1 BODY[]<0> {262144}\r\nabc', false],
    ['sends invalid MIME without an end', 'UID FETCH', Buffer.alloc(64 * 1024, 0xff), true],
    ['floods while it is waited for messages', 'IDLE', noise, true],
  ]

  it.each(attacks)('that %s is disconnected repeatedly, and logged once', async (_name, at, answer, again) => {
    const { core, ports, lines } = await aSentCampaign(1)
    const { url, connections } = await hostileImap(at, answer, again)
    const reader = mailboxReader({
      ...{ returnedMail: core.returnedMail, log: ports.log, mailbox: mailboxUrl(url) },
      ...{ firstPause: 10, longestPause: 20, limits: { commandTime: 500, commandBytes: 2 * 1024 * 1024 } },
    })
    const before = process.memoryUsage().rss
    await until(() => connections() >= 4)
    await reader.close()
    const outages = lines.filter(({ message }) => message === 'The bounce mailbox cannot be read')
    expect(outages).toHaveLength(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  })
})

describe('a mailbox URL', () => {
  it('contains host, port, user, password and folder', () => {
    expect(mailboxUrl('imaps://a%40b.example:p%3A%2Fw@mail.example.com')).toEqual({
      host: 'mail.example.com',
      port: 993,
      secure: true,
      user: 'a@b.example',
      pass: 'p:/w',
      path: 'INBOX',
    })
    expect(mailboxUrl('imap://a:b@[::1]:1143/Bounces/2026')).toMatchObject({
      host: '::1',
      port: 1143,
      path: 'Bounces/2026',
    })
  })

  it.each(['', 'no', 'https://a:b@c', 'imaps://c', 'imaps://a@c', 'imaps://a:b@c/x?y', 'imaps://%ff:secret@c'])(
    'is rejected without showing its password: %s',
    (text) => {
      expect(() => mailboxUrl(text)).toThrow(/^(?!.*secret).*expected/)
    },
  )
})

it('recipients are read only from fields that servers write', () => {
  const raw = `Delivered-To: one@${bounceDomain}\r\nX-Note: two@${bounceDomain}\r\nto: Three <three@${bounceDomain}>,\r\n four@${bounceDomain}\r\n\r\nTo: five@${bounceDomain}`
  expect(returnedMailRecipients(Buffer.from(raw))).toEqual(
    ['one', 'three', 'four'].map((name) => `${name}@${bounceDomain}`),
  )
  expect(returnedMailRecipients(Buffer.from(`To: ${'a@b.example, '.repeat(10_000)}`))).toHaveLength(50)
})
