import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dnsLookup, isDnsServer } from '../src/index.js'
import { dnsServer } from './dns-server.js'

let server: Awaited<ReturnType<typeof dnsServer>>
let dns: ReturnType<typeof dnsLookup>
/** Soon gives up a server that says nothing. */
let hasty: typeof dns
const timeoutMilliseconds = 100
beforeAll(async () => {
  server = await dnsServer()
  // The resolver waits ever less for a server that was quick before.
  dns = dnsLookup({ servers: [server.address], timeoutMilliseconds: 20_000, tries: 20 })
  hasty = dnsLookup({ servers: [server.address], timeoutMilliseconds, tries: 2 })
})
afterAll(() => server.close())

describe('a DNS lookup', () => {
  it('joins split texts, and separates records', async () => {
    server.say('TXT', 'split.example.com', [{ data: ['v=spf1 include:', 'provider.example ~all'] }, { data: 'other' }])
    expect((await dns.txt('split.example.com')).toSorted()).toEqual(['other', 'v=spf1 include:provider.example ~all'])
  })

  it('finds a name in any case, with or without a final dot, and keeps the records’ case', async () => {
    server.say('CNAME', 'case.example.com', [{ domain: 'K.DKIM.Provider.Example' }])
    for (const name of ['case.example.com', 'CASE.Example.COM', 'case.example.com.'])
      expect(await dns.cname(name)).toEqual(['K.DKIM.Provider.Example'])
  })

  it('uses TCP for large answers', async () => {
    const long = Array.from({ length: 40 }, (_, i) => ({ data: `${i} ${'x'.repeat(200)}` }))
    server.say('TXT', 'long.example.com', long)
    expect(await dns.txt('long.example.com')).toHaveLength(40)
  })

  it('drops oversized records', async () => {
    const vast = Array.from({ length: 150 }, (_, i) => ({ data: `${i} ${'x'.repeat(150)}` }))
    const long = Array.from({ length: 9 }, () => 'x'.repeat(250))
    server.say('TXT', 'vast.example.com', [{ data: long }, { data: 'v=spf1 -all' }, ...vast])
    const found = await dns.txt('vast.example.com')
    expect(found).toHaveLength(100)
    expect(found).not.toContain(long.join(''))
  })

  it.each(['SERVFAIL', 'REFUSED', 'silence', 'rubbish'] as const)('fails if the answer is %s', async (said) => {
    server.say('TXT', `${said}.example.com`, said)
    await expect(hasty.txt(`${said}.example.com`)).rejects.toBeInstanceOf(Error)
  })

  it('queries a silent server as often as configured', async () => {
    server.say('TXT', 'silent.example.com', 'silence')
    await expect(hasty.txt('silent.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' })
    await expect.poll(() => server.asked.filter((name) => name === 'silent.example.com')).toHaveLength(2)
  })

  it('tries the next server if one does not respond', async () => {
    const silent = await dnsServer()
    silent.say('TXT', 'second.example.com', 'silence')
    server.say('TXT', 'second.example.com', [{ data: 'found' }])
    const both = dnsLookup({ servers: [silent.address, server.address], timeoutMilliseconds: 1_000 })
    expect(await both.txt('second.example.com')).toEqual(['found'])
    await silent.close()
  })
})

it.each([
  ['192.0.2.1', true],
  ['192.0.2.1:5353', true],
  ['2001:db8::1', true],
  ['[2001:db8::1]:5353', true],
  ['dns.example.com', false],
  ['192.0.2.1:dns', false],
  ['', false],
])('%j is a DNS server address: %s', (text, is) => {
  expect(isDnsServer(text)).toBe(is)
})

it('supplies the domain check', async () => {
  const { ports } = inMemoryPorts({ dns })
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const { _id, requiredDns } = await core.domains.create(scope, { domain: 'shop.example.org', region: 'eu-west-1' })
  const { dkimCNAMEs, mx, spf, dmarc } = requiredDns
  for (const { name, value } of dkimCNAMEs) server.say('CNAME', name, [{ domain: value }])
  server.say('MX', mx.name, [{ exchange: mx.value, priority: Number(mx.priority) }])
  server.say('TXT', spf.name, [{ data: spf.value.split(/(?= )/) }])
  server.say('TXT', dmarc.name, 'SERVFAIL')
  const first = (await core.domains.check(scope, _id)).observed
  expect(first).toMatchObject({ spf: { present: true }, mx: { present: true }, dkim: { allOk: true }, allOk: false })
  expect(first.dmarc).toEqual({ present: false, raw: '', checkedAt: '' })
  server.say('TXT', dmarc.name, [{ data: dmarc.value }])
  expect((await core.domains.check(scope, _id)).observed.allOk).toBe(true)
})
