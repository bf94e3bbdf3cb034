import { afterEach, describe, expect, it } from 'vitest'
import { type MailboxReader, mailboxReader, mailboxUrl } from '../src/index.js'
import { recipientsIn } from '../src/mailbox/recipients.js'
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

describe('the mailbox of bounces', () => {
  it('is read for what it holds and for what comes, and each message is marked', async () => {
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

  it('is gone on with after a restart, and nothing is taken twice', async () => {
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

  it('is connected to again when the connection breaks', async () => {
    const { imap, read, sent, suppressed } = await started()
    read()
    await until(() => imap.connections() === 1 && imap.open() === 1)
    imap.breakOff()
    imap.deliver(statusReport(returnPathOf(sent[0])))
    await until(async () => (await suppressed()).length === 1)
    expect(imap.connections()).toBeGreaterThan(1)
  })

  it('counts a message once that was taken and could not be marked', async () => {
    const { imap, read, sent, totals } = await started()
    imap.deliver(statusReport(returnPathOf(sent[0])))
    imap.breakAfterNextFetch()
    read()
    await until(() => imap.unread() === 0)
    expect(imap.fetched()).toBeGreaterThan(1)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('keeps a message unread that could not be recorded, goes on with others, and takes it later', async () => {
    let down = true
    const { imap, read, sent, totals, lines } = await started({ isDown: () => down, every: 50 })
    imap.deliver(statusReport(returnPathOf(sent[0])))
    imap.deliver('From: spam@example.net\r\n\r\n')
    read()
    await until(() => imap.unread() === 1)
    expect(lines.some(({ message }) => message === 'A message that came back could not be recorded')).toBe(true)
    down = false
    await until(() => imap.unread() === 0)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('is asked for a message once a look, where the server forgets marks', async () => {
    const { imap, read, sent, totals } = await started({ server: { remembers: false }, every: 100 })
    imap.deliver(statusReport(returnPathOf(sent[0])))
    read()
    await until(() => imap.fetched() >= 3)
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('is read by the beginning of a message, however large it is', async () => {
    const { imap, read, sent, suppressed } = await started()
    imap.deliver(`${statusReport(returnPathOf(sent[0]))}${'x'.repeat(3_000_000)}`)
    read()
    await until(() => imap.unread() === 0)
    expect(await suppressed()).toHaveLength(1)
  })

  it('is tried again with a wrong password, and the log has no password', async () => {
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
    expect(lines.some(({ message }) => message === 'The mailbox of bounces cannot be read now')).toBe(true)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('is let go by close while nobody answers', async () => {
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

describe('the URL of a mailbox', () => {
  it('says where it is, and who reads it', () => {
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
    'is refused without its password: %s',
    (text) => {
      expect(() => mailboxUrl(text)).toThrow(/^(?!.*secret).*expected/)
    },
  )
})

it('recipients are read from the fields that servers write, and nowhere else', () => {
  const raw = `Delivered-To: one@${bounceDomain}\r\nX-Note: two@${bounceDomain}\r\nto: Three <three@${bounceDomain}>,\r\n four@${bounceDomain}\r\n\r\nTo: five@${bounceDomain}`
  expect(recipientsIn(Buffer.from(raw))).toEqual(['one', 'three', 'four'].map((name) => `${name}@${bounceDomain}`))
  expect(recipientsIn(Buffer.from(`To: ${'a@b.example, '.repeat(10_000)}`))).toHaveLength(50)
})
