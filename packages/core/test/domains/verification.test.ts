import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dkimSelectorOf, requiredDnsOf } from '../../src/domains/dns-records.js'
import { hasSpfMxAndDkim, overallDomainStatus } from '../../src/domains/domain.js'
import {
  type DnsLookupResults,
  fittingSpf,
  initialObservedDns,
  observedDnsFrom,
  usableDmarcRecord,
} from '../../src/domains/verification.js'

const required = requiredDnsOf('example.com', {
  dkim: ['a', 'b', 'c'].map((selector) => ({ selector, target: `${selector}.dkim.provider.example` })),
  bounceHost: 'feedback.provider.example',
  spf: 'v=spf1 include:provider.example ~all',
})
const now = '2026-03-01T12:00:00.000Z'
const good: DnsLookupResults = {
  cnames: required.dkimCNAMEs.map(({ value }) => [value]),
  confirmed: true,
  mx: [{ exchange: required.mx.value, priority: 10 }],
  spf: [required.spf.value],
  dmarc: [required.dmarc.value],
}
const nobody: DnsLookupResults = {
  cnames: [undefined, undefined, undefined],
  confirmed: undefined,
  mx: undefined,
  spf: undefined,
  dmarc: undefined,
}
const observed = (changes: Partial<DnsLookupResults>, before = initialObservedDns) =>
  observedDnsFrom(required, { ...good, ...changes }, before, now)

describe('the required DNS records', () => {
  it('are below the domain, its MAIL FROM and _dmarc', () => {
    expect(required.dkimCNAMEs[0]).toEqual({
      type: 'CNAME',
      name: 'a._domainkey.example.com',
      value: 'a.dkim.provider.example',
    })
    expect(required.mx).toEqual({
      type: 'MX',
      name: 'mail.example.com',
      value: 'feedback.provider.example',
      priority: '10',
    })
    expect([required.spf.name, required.dmarc.name]).toEqual(['mail.example.com', '_dmarc.example.com'])
    expect(required.dkimCNAMEs.map(({ name }) => dkimSelectorOf(name))).toEqual(['a', 'b', 'c'])
  })
})

describe('an SPF record', () => {
  it.each([
    'v=spf1 include:provider.example ~all',
    'V=SPF1 INCLUDE:Provider.Example -ALL',
    'v=spf1 +include:provider.example ?all',
    'v=spf1  mx include:provider.example  include:other.example -all',
    'v=spf1 include:provider.example',
  ])('fits if it includes the provider: %s', (text) => {
    expect(fittingSpf(required.spf.value, ['site-verification=1', text])).toBe(text)
  })

  it.each([
    [[]],
    [['v=spf1 -all']],
    [['v=spf1 -all include:provider.example']],
    [['v=spf1 -include:provider.example ~all']],
    [['v=spf1 ~include:provider.example ~all']],
    [['v=spf1 include:provider.example.evil.example ~all']],
    [['v=spf10 include:provider.example ~all']],
    [['v=spf1include:provider.example']],
    [['include:provider.example ~all']],
    [['v=spf1 include:provider.example ~all', 'v=spf1 -all']],
  ])('does not fit as %j', (texts) => {
    expect(fittingSpf(required.spf.value, texts)).toBeUndefined()
  })
})

describe('a DMARC record', () => {
  it.each([
    'v=DMARC1; p=none;',
    'v=DMARC1;p=reject',
    'v = DMARC1 ; p = Quarantine; rua=mailto:a@example.com',
    'v=DMARC1; rua=mailto:a@example.com',
  ])('fits with a policy or a report address: %s', (text) => {
    expect(usableDmarcRecord([text])).toBe(text)
  })

  it.each([
    [[]],
    [['v=DMARC1']],
    [['v=DMARC1; p=maybe']],
    [['v=DMARC2; p=none']],
    [['v=dmarc1; p=none']],
    [['p=none; v=DMARC1']],
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject']],
  ])('does not fit as %j', (texts) => {
    expect(usableDmarcRecord(texts)).toBeUndefined()
  })
})

describe('the observed records', () => {
  it('are all correct if every record exists', () => {
    expect(observed({})).toEqual({
      spf: { present: true, raw: required.spf.value, checkedAt: now },
      dmarc: { present: true, raw: required.dmarc.value, checkedAt: now },
      mx: { present: true, raw: '10 feedback.provider.example', checkedAt: now },
      dkim: { selectors: ['a', 'b', 'c'], allOk: true, checkedAt: now },
      allOk: true,
    })
  })

  it('ignore case, a final dot, the priority and additional records', () => {
    const seen = observed({
      cnames: required.dkimCNAMEs.map(({ value }) => [`${value.toUpperCase()}.`]),
      mx: [
        { exchange: 'mx.example.org', priority: 5 },
        { exchange: 'FEEDBACK.provider.example.', priority: 50 },
      ],
    })
    expect(seen.dkim.allOk).toBe(true)
    expect(seen.mx).toMatchObject({ present: true, raw: '50 FEEDBACK.provider.example.' })
  })

  it.each([
    ['a selector that leads elsewhere', { cnames: [['elsewhere.example'], ...good.cnames.slice(1)] }, ['b', 'c']],
    ['a selector that leads nowhere', { cnames: [...good.cnames.slice(0, 2), []] }, ['a', 'b']],
    ['targets in another order', { cnames: good.cnames.toReversed() }, ['b']],
    ['a provider that does not confirm', { confirmed: false }, ['a', 'b', 'c']],
  ])('are not signed with %s', (_, changes, selectors) => {
    const { dkim, allOk } = observed(changes)
    expect({ dkim, allOk }).toEqual({ dkim: { selectors, allOk: false, checkedAt: now }, allOk: false })
  })

  it('show the records that exist instead', () => {
    const seen = observed({
      spf: ['v=spf1 -all', 'other'],
      mx: [{ exchange: 'mx.example.org', priority: 5 }],
      dmarc: [],
    })
    expect(seen.spf).toEqual({ present: false, raw: 'v=spf1 -all\nother', checkedAt: now })
    expect(seen.mx).toEqual({ present: false, raw: '5 mx.example.org', checkedAt: now })
    expect(seen.dmarc).toEqual({ present: false, raw: '', checkedAt: now })
  })

  it('have a limited number and length', () => {
    const { spf, mx } = observed({
      spf: Array.from({ length: 100 }, (_, n) => `${n} ${'x'.repeat(2_000)}`),
      mx: Array.from({ length: 100 }, (_, n) => ({ exchange: `mx${n}.example.org`, priority: n })),
    })
    expect([spf.raw.length, mx.raw.split('\n').length]).toEqual([10 * 502 + '… and 90 more'.length, 11])
    expect(spf.raw).toMatch(/^0 x+…\n1 x+…\n[\s\S]+\n… and 90 more$/)
  })

  it('stay unchanged for failed queries', () => {
    const before = observed({})
    expect(observedDnsFrom(required, nobody, before, '2026-04-01T12:00:00.000Z')).toEqual(before)
    expect(observedDnsFrom(required, nobody, initialObservedDns, now)).toEqual(initialObservedDns)
  })

  const texts = fc.option(fc.array(fc.constantFrom('', 'v=spf1 -all', required.spf.value, required.dmarc.value)), {
    nil: undefined,
  })
  const targets = fc.option(
    fc.array(fc.constantFrom('elsewhere.example', ...good.cnames.flatMap((one) => one ?? []))),
    {
      nil: undefined,
    },
  )
  const exchange = fc.record({ exchange: fc.constantFrom('mx.example.org', required.mx.value), priority: fc.nat(99) })
  const answers: fc.Arbitrary<DnsLookupResults> = fc.record({
    cnames: fc.array(targets, { minLength: 3, maxLength: 3 }),
    confirmed: fc.option(fc.boolean(), { nil: undefined }),
    mx: fc.option(fc.array(exchange), { nil: undefined }),
    spf: texts,
    dmarc: texts,
  })

  it('are all correct only while each record is', () => {
    fc.assert(
      fc.property(fc.array(answers, { minLength: 1, maxLength: 4 }), (checks) => {
        const seen = checks.reduce((before, one) => observedDnsFrom(required, one, before, now), initialObservedDns)
        const { spf, dmarc, mx, dkim } = seen
        expect(seen.allOk).toBe(spf.present && dmarc.present && mx.present && dkim.allOk)
        expect(dkim.allOk && dkim.selectors.length < 3).toBe(false)
        for (const { present, raw, checkedAt } of [spf, dmarc, mx])
          expect(present && (raw === '' || checkedAt === '')).toBe(false)
        const last = checks.at(-1)
        const refused = last?.confirmed === false && !last.cnames.includes(undefined)
        expect(refused && dkim.allOk).toBe(false)
      }),
    )
  })
})

describe('the domain status of a project', () => {
  const at = (domain: string, changes: Partial<DnsLookupResults>) => ({ domain, observed: observed(changes) })
  const [verified, waiting] = [at('b.example', { spf: [] }), at('a.example', { confirmed: false })]

  it('is none, pending or verified', () => {
    expect(overallDomainStatus([])).toEqual({ domainStatus: 'none', verifiedDomain: '' })
    expect(overallDomainStatus([waiting])).toEqual({ domainStatus: 'pending', verifiedDomain: '' })
    expect(overallDomainStatus([waiting, verified])).toEqual({ domainStatus: 'verified', verifiedDomain: 'b.example' })
  })

  it('allows production with SPF, MX and DKIM, whatever DMARC says', () => {
    expect(hasSpfMxAndDkim(at('a.example', { dmarc: [] }))).toBe(true)
    expect([verified, waiting, at('c.example', { mx: [] })].some(hasSpfMxAndDkim)).toBe(false)
  })
})

it('replaces control characters of DNS responses', () => {
  const hostile = 'v=spf1 \u001b[2J\n200 OK\u0000\u009b31m'
  const answers: DnsLookupResults = {
    cnames: [],
    confirmed: undefined,
    mx: undefined,
    spf: [hostile],
    dmarc: undefined,
  }
  const { raw } = observedDnsFrom(required, answers, initialObservedDns, '2026-01-01T00:00:00.000Z').spf
  expect(raw).not.toMatch(/\p{Cc}/u)
  expect(raw).toContain('v=spf1')
})
