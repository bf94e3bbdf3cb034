import { localReceiver } from '@posthorn/testkit'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { httpFeedReader, isPublicAddress, sandboxProcesses } from '../src/index.js'

const processes = sandboxProcesses()
afterAll(() => processes.close())
const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const limits = { allowPrivate: true, maxBytes: 1_000_000 }
const reader = httpFeedReader(processes, { ...limits, timeoutMs: 30_000 })
/** Soon gives up a server that says nothing. */
const hasty = httpFeedReader(processes, { ...limits, timeoutMs: 500 })

const serving = async (body: string, status = 200) => {
  const receiver = await localReceiver((_, response) => response.writeHead(status).end(body))
  open.push(receiver)
  return receiver.url
}

const read = async (body: string, feedType: 'rss-xml' | 'json') =>
  reader.read({ url: await serving(body), feedType }, 'project')
const reason = async (asked: Promise<unknown>) =>
  asked.then(
    () => 'nothing',
    (error: unknown) => (error as Error).message,
  )

describe('a feed', () => {
  it('is its channel and items for RSS, its entries for Atom, and itself for JSON', async () => {
    expect(
      await read('<rss><channel><title>T</title><item><title>A &amp; B</title></item></channel></rss>', 'rss-xml'),
    ).toEqual({
      title: 'T',
      item: [{ title: 'A & B' }],
    })
    expect(await read('<feed><title type="html">T</title></feed>', 'rss-xml')).toMatchObject({ entry: [] })
    expect(await read('{"a":[1,{"b":null}]}', 'json')).toEqual({ a: [1, { b: null }] })
  })

  it('has an element’s text beside its attributes', async () => {
    const entry = `<entry xml:lang="en"><title type="html"><![CDATA[A <b>]]></title><link href="https://a.example" item="1"/>
      <summary type="text"></summary><author role="x"><name>Ada</name></author></entry>`
    expect(await read(`<feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`, 'rss-xml')).toEqual({
      xmlns: 'http://www.w3.org/2005/Atom',
      entry: [
        {
          'xml:lang': 'en',
          title: { type: 'html', '#text': 'A <b>' },
          link: { href: 'https://a.example', item: '1', '#text': '' },
          summary: { type: 'text', '#text': '' },
          author: { role: 'x', name: 'Ada' },
        },
      ],
    })
    const rss = '<rss version="2.0"><channel><item><guid isPermaLink="false">7</guid></item></channel></rss>'
    expect(await read(rss, 'rss-xml')).toEqual({ item: [{ guid: { isPermaLink: 'false', '#text': '7' } }] })
  })

  it.each<[string, string, 'rss-xml' | 'json', string]>([
    ['is no JSON', '<a>', 'json', 'it is not JSON'],
    ['is neither RSS nor Atom', '<html></html>', 'rss-xml', 'it is neither RSS nor Atom'],
    ['is nested too deeply', '['.repeat(200) + ']'.repeat(200), 'json', 'it is nested more than 100 levels deep'],
    ['is nested very deeply', '['.repeat(400_000) + ']'.repeat(400_000), 'json', 'it is nested'],
    ['has too many values', JSON.stringify(Array(200_001).fill(0)), 'json', 'it has more than 200000 values'],
    ['is too long', `"${'x'.repeat(1_000_000)}"`, 'json', 'it sent more than 1000000 bytes'],
  ])('that %s is refused with the reason', async (_, body, feedType, why) => {
    expect(await reason(read(body, feedType))).toContain(why)
  })

  it('that fails is explained in plain words, without addresses or socket errors', async () => {
    const gone = await localReceiver((_, response) => response.end())
    await gone.close()
    const broken = await localReceiver((request) => request.socket.destroy())
    const slow = await localReceiver(() => undefined)
    open.push(broken, slow)
    const whyNot = (url: string, by = reader) => reason(by.read({ url, feedType: 'json' }, 'project'))
    const reasons = await Promise.all([
      whyNot(gone.url),
      whyNot(broken.url),
      whyNot(slow.url, hasty),
      whyNot(await serving('', 404)),
      whyNot(`https://127.0.0.1:${broken.port}/`),
      whyNot('ftp://127.0.0.1/'),
      whyNot('http://[::1'),
    ])
    expect(reasons.slice(0, 4)).toEqual([
      'it refused the connection',
      'it broke the connection',
      'it took too long to answer',
      'it answered 404',
    ])
    expect(reasons.slice(5)).toEqual(['only http and https are fetched', 'its address cannot be read'])
    expect(reasons.join()).not.toMatch(/127\.0\.0\.1|ECONN|SSL|socket/i)
  })

  it('is not read from this machine, whatever name resolves to it', async () => {
    const url = await serving('{}')
    const strict = httpFeedReader(processes)
    for (const private_ of [url, url.replace('127.0.0.1', 'localhost')])
      expect(await reason(strict.read({ url: private_, feedType: 'json' }, 'project'))).toBe(
        'it is not on the public internet',
      )
  })
})

describe('an IP address', () => {
  it.each(['8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::1'])('is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '::7f00:1',
    '::808:808',
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '2002:a00:1::',
    '2001::1',
    '::ffff:10.0.0.1',
    'x',
  ])('is not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
