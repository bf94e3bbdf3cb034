import { describe, expect, it } from 'vitest'
import type { Domain } from '../src/api/types.js'
import { checkedAtOf, domainFor, graceOf, recordsOf, stateOf, withTimes } from '../src/sending/domain-state.js'

const at = '2026-11-20T06:10:00.000Z'
const now = Date.parse('2026-11-21T06:10:00.000Z')
const cname = (name: string) => ({ type: 'CNAME' as const, name, value: `${name}.relay.example` })
const txt = (name: string, value: string) => ({ type: 'TXT' as const, name, value })
const unread = { present: false, raw: '', checkedAt: '' }
const nothing: Domain['observed'] = {
  ...{ spf: unread, dmarc: unread, mx: unread, allOk: false },
  dkim: { selectors: [], allOk: false, checkedAt: '' },
}

const aDomain = (observed: Partial<Domain['observed']> = {}, others: Partial<Domain> = {}): Domain => ({
  _id: 'one',
  domain: 'shop.example',
  region: 'eu-west-1',
  tenant: { name: '', configurationSet: '' },
  requiredDns: {
    dkimCNAMEs: ['a', 'b'].map((key) => cname(`${key}._domainkey.shop.example`)),
    mx: { type: 'MX', name: 'mail.shop.example', value: 'relay.example', priority: '10' },
    spf: txt('mail.shop.example', 'v=spf1 include:relay.example ~all'),
    dmarc: txt('_dmarc.shop.example', 'v=DMARC1; p=none;'),
  },
  observed: { ...nothing, ...observed },
  createdAt: at,
  updatedAt: at,
  ...others,
})

const lost = (until: string) =>
  `The last check of shop.example did not find its DKIM records; they have been missing since ${at}. From ${until} on, mail from the domain is not sent.`

describe('the records of a domain', () => {
  it('are neither there nor missing before the first check', () => {
    const records = recordsOf(aDomain())
    expect(records.map(({ purpose }) => purpose)).toEqual(['dkim', 'dkim', 'mx', 'spf', 'dmarc'])
    expect(new Set(records.map(({ isPresent }) => isPresent))).toEqual(new Set([undefined]))
  })

  it('are judged one by one, each DKIM key by its selector', () => {
    const dkim = { selectors: ['b'], allOk: false, checkedAt: at }
    expect(recordsOf(aDomain({ dkim })).map(({ isPresent }) => isPresent)).toEqual([
      ...[false, true],
      ...[undefined, undefined, undefined],
    ])
  })

  it('say what DNS has only where it differs', () => {
    const spf = { present: true, raw: 'v=spf1 include:relay.example ~all', checkedAt: at }
    const dmarc = { present: true, raw: 'v=DMARC1; p=reject', checkedAt: at }
    const found = recordsOf(aDomain({ spf, dmarc })).map((record) => record.found)
    expect(found).toEqual(['', '', '', '', 'v=DMARC1; p=reject'])
  })

  it('contain those that only some domains need', () => {
    const { requiredDns } = aDomain()
    const more = { tracking: cname('links.shop.example'), ownership: txt('_posthorn.shop.example', 'account') }
    const records = recordsOf(aDomain({}, { requiredDns: { ...requiredDns, ...more } }))
    expect(records.slice(-2).map(({ purpose, isPresent }) => [purpose, isPresent])).toEqual([
      ['tracking', undefined],
      ['ownership', undefined],
    ])
  })

  it('were checked at the time of the latest answer', () => {
    expect(checkedAtOf(aDomain())).toBe('')
    const spf = { present: true, raw: '', checkedAt: '2026-11-22T00:00:00.000Z' }
    const dkim = { selectors: [], allOk: false, checkedAt: at }
    expect(checkedAtOf(aDomain({ spf, dkim }))).toBe(spf.checkedAt)
  })
})

describe('the state of a domain', () => {
  const dkim = { selectors: [], allOk: false, checkedAt: at }
  const ending = aDomain({ dkim }, { warnings: ['Links lead to localhost.', lost('2026-11-23T06:10:00.000Z')] })

  it('is verified as soon as DKIM is, whatever else is missing', () => {
    expect(stateOf(aDomain({ dkim: { selectors: ['a', 'b'], allOk: true, checkedAt: at } }), now)).toBe('verified')
  })

  it('is unchecked, then unverified', () => {
    expect(stateOf(aDomain(), now)).toBe('unchecked')
    expect(stateOf(aDomain({ dkim }), now)).toBe('unverified')
  })

  it('ends at the time that the warning says, until then', () => {
    expect(stateOf(ending, now)).toBe('ending')
    expect(graceOf(ending, now)).toMatchObject({ since: at, until: '2026-11-23T06:10:00.000Z' })
    expect(stateOf(ending, Date.parse('2026-11-23T06:10:00.000Z'))).toBe('unverified')
  })

  it('has no end where a warning names one time or none', () => {
    const warnings = [`DNS names another account as the owner since ${at}.`, 'Links lead to localhost.']
    expect(graceOf(aDomain({ dkim }, { warnings }), now)).toBeUndefined()
    expect(warnings.map((warning) => withTimes(warning, () => 'Friday'))).toEqual([
      'DNS names another account as the owner since Friday.',
      'Links lead to localhost.',
    ])
  })
})

describe('the domain of an address', () => {
  const [west, north] = [aDomain(), aDomain({}, { _id: 'two', region: 'eu-north-1' })]

  it('is the one of its region, in any case of letters', () => {
    expect(domainFor({ email: 'Ada@SHOP.example', region: 'eu-north-1' }, [west, north])).toBe(north)
  })

  it('is none above or below it', () => {
    expect(domainFor({ email: 'ada@mail.shop.example', region: 'eu-west-1' }, [west])).toBeUndefined()
    expect(domainFor({ email: 'ada@example', region: 'eu-west-1' }, [west])).toBeUndefined()
  })
})
