import { describe, expect, it } from 'vitest'
import {
  countingIds,
  deferringMailerScript,
  fakeSecrets,
  htmlWithoutTags,
  mailerScriptsInTurn,
  outcomeLosingMailerScript,
  recordingMailer,
  refusingMailerScript,
  scriptedFeeds,
  throttlingMailerScript,
  unansweringMailerScript,
} from '../src/index.js'

const mailTo = (to: string) => ({
  deliveryId: `d:${to}`,
  projectId: 'p',
  from: 'post@example.com',
  to,
  mime: 'Subject: Hello\r\n\r\nHello\r\n',
})

describe('the recording mailer', () => {
  it('answers by address as scripted, and separates accepted mails from all transmitted ones', async () => {
    const mailer = recordingMailer()
    mailer.answerTo({
      'b@x.org': refusingMailerScript(),
      'c@x.org': deferringMailerScript(),
      'd@x.org': throttlingMailerScript(),
      'e@x.org': outcomeLosingMailerScript(),
    })
    const kinds: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) kinds.push((await mailer.send(mailTo(`${name}@x.org`))).kind)
    expect(kinds).toEqual(['accepted', 'refused', 'deferred', 'deferred', 'unknown'])
    expect(mailer.sent.map(({ to }) => to)).toEqual(['a@x.org'])
    expect(mailer.handed).toHaveLength(5)
  })

  it('uses scripts in sequence, and accepts mails after the last', async () => {
    const mailer = recordingMailer()
    mailer.answer(mailerScriptsInTurn(deferringMailerScript(), refusingMailerScript()))
    const kinds: string[] = []
    for (let n = 0; n < 3; n += 1) kinds.push((await mailer.send(mailTo('a@x.org'))).kind)
    expect(kinds).toEqual(['deferred', 'refused', 'accepted'])
  })

  it('can hang', async () => {
    const mailer = recordingMailer()
    mailer.answer(unansweringMailerScript())
    const answer = await Promise.race([
      mailer.send(mailTo('a@x.org')),
      new Promise((resolve) => setImmediate(() => resolve('nothing yet'))),
    ])
    expect(answer).toBe('nothing yet')
  })
})

describe('the fake secrets', () => {
  it('open what they sealed, and reject what was changed or sealed by another key', () => {
    const secrets = fakeSecrets()
    const sealed = secrets.seal('Zoë “😀”')
    expect(secrets.open(sealed)).toBe('Zoë “😀”')
    expect(() => secrets.open(`${sealed.slice(0, -2)}AA`)).toThrow('None of the accepted secrets')
    expect(() => fakeSecrets('another').open(sealed)).toThrow('None of the accepted secrets')
    expect(() => secrets.open('short')).toThrow('None of the accepted secrets')
  })

  it('verify their own signatures', () => {
    const secrets = fakeSecrets()
    expect(secrets.verifies('text', secrets.sign('text'))).toBe(true)
    expect(secrets.verifies('other', secrets.sign('text'))).toBe(false)
    expect(secrets.verifies('text', '')).toBe(false)
    expect(secrets.verifies('text', fakeSecrets('another').sign('text'))).toBe(false)
    expect(secrets.verifies('text', secrets.sign('text', 'operator-token'))).toBe(false)
    expect(secrets.verifies('text', secrets.sign('text', 'operator-token'), 'operator-token')).toBe(true)
  })

  it('look random, are the same in every run, and never repeat', () => {
    const [one, other] = [fakeSecrets(), fakeSecrets()]
    const made = [one.random(32), one.random(32), one.random(100)]
    expect(made).toEqual([other.random(32), other.random(32), other.random(100)])
    expect(new Set(made).size).toBe(3)
    expect(made.map((text) => Buffer.from(text, 'base64url').length)).toEqual([32, 32, 100])
  })
})

describe('counting ids', () => {
  it('have 24 hexadecimal digits and increase', () => {
    const next = countingIds()
    const ids = Array.from({ length: 300 }, next)
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true)
    expect(ids.toSorted()).toEqual(ids)
    expect(countingIds(1)()).not.toBe(countingIds(2)())
  })
})

describe('scripted feeds', () => {
  it('fail as scripted, and for unknown URLs', async () => {
    const feeds = scriptedFeeds({ 'https://x.org/a': { item: [1] }, 'https://x.org/b': new Error('too large') })
    const read = (url: string) => feeds.read({ url, feedType: 'json' }, 'project')
    expect(await read('https://x.org/a')).toEqual({ item: [1] })
    await expect(read('https://x.org/b')).rejects.toThrow('too large')
    await expect(read('https://x.org/toString')).rejects.toThrow('cannot be reached')
    expect(feeds.reads).toHaveLength(3)
  })
})

describe('text without tags', () => {
  it('keeps the text, one line per block, without styles', async () => {
    const html = '<head><title>x</title></head><style>p{}</style><p>Dear <b>{{name}}</b>,</p><p>hello<br>there</p>'
    expect(await htmlWithoutTags(html, 'project')).toBe('Dear {{name}},\nhello\nthere')
  })
})
