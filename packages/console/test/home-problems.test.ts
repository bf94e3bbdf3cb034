import { describe, expect, it } from 'vitest'
import type { Campaign, CampaignResult, Domain, WebhookEndpoint } from '../src/api/types.js'
import { type Facts, isExampleAddress, problemsOf } from '../src/home/problems.js'

const words = {
  say: (key: string) => key,
  dateTime: (at: string) => at,
  percent: (share: number) => `${share}`,
}

const now = Date.parse('2026-11-27T12:00:00.000Z')

const fine: Facts = {
  now,
  access: { restricted: false, sendingRates: [{ region: 'eu-west-1', ratePerSecond: 14 }] },
  deliverability: undefined,
  domains: [],
  senders: [{ email: 'post@shop.example' }],
  webhooks: [],
  overview: {
    credit: { left: 1_000, perDay: 1 },
    senderDomains: 'verified',
    days: [{ day: '2026-11-27', sent: 600, failed: 0 }],
  },
  stopped: [],
  putOff: [],
  results: new Map(),
  retries: [],
}

const titlesOf = (facts: Partial<Facts>) => problemsOf({ ...fine, ...facts }, words).map(({ title }) => title)
const campaign = (_id: string) => ({ _id, name: _id }) as Campaign
const result = (of: Partial<CampaignResult>) => ({ recipients: 0, sent: 0, excluded: 0, ...of }) as CampaignResult

const domain = (name: string, allOk: boolean, warnings: readonly string[] = []) =>
  ({
    ...{ _id: name, domain: name, region: 'eu-west-1', warnings },
    observed: { dkim: { allOk, selectors: [], checkedAt: '2026-11-27T11:00:00.000Z' } },
  }) as unknown as Domain

describe('the problems of a project', () => {
  it('are none if all is well', () => {
    expect(titlesOf({})).toEqual([])
    expect(titlesOf({ domains: [domain('shop.example', true)] })).toEqual([])
  })

  it('begin with what stops every mail, then with what stops most', () => {
    const missing = 'missing since 2026-11-26T12:00:00.000Z. From 2026-11-29T12:00:00.000Z on, mail is not sent.'
    const facts = {
      access: { ...fine.access, restricted: true, restrictedReason: 'bounces' },
      domains: [domain('shop.example', false, [missing]), domain('unused.example', false)],
      stopped: [campaign('stopped')],
      results: new Map([['stopped', result({ recipients: 900, sent: 100, excluded: 50 })]]),
      retries: [{ campaign: campaign('sent'), mails: 12, isComplete: false }],
      webhooks: [
        { _id: 'hook', url: 'https://a.example/', disabled: { since: '', reason: 'three days' } } as WebhookEndpoint,
      ],
    }
    expect(titlesOf(facts)).toEqual([
      'homeRestricted',
      'homeStopped',
      'homeDomainStops',
      'homeRetryAtLeast',
      'homeHookOff',
      'homeDomainUnverified',
    ])
  })

  it('say of a domain without its records who decides about its mail', () => {
    const missing = 'missing since 2026-11-26T12:00:00.000Z. From 2026-11-29T12:00:00.000Z on, mail is not sent.'
    const textsOf = (senderDomains: Facts['overview']['senderDomains']) =>
      problemsOf(
        {
          ...{ ...fine, overview: { ...fine.overview, senderDomains } },
          domains: [domain('shop.example', false, [missing]), domain('new.example', false)],
        },
        words,
      ).map(({ text }) => text)
    expect(textsOf('verified')).toEqual(['homeDomainStopsText', 'homeDomainUnverifiedText'])
    expect(textsOf('relay')).toEqual(['homeDomainRelayText', 'homeDomainRelayText'])
    expect(textsOf('account')).toEqual(['homeDomainAccountText', 'homeDomainAccountText'])
  })

  it('have a limit that is near, but none that is far', () => {
    const rates = (pct: number) => ({ rate: 1, pct, windowLabel: 'last 7 days' as const })
    expect(titlesOf({ deliverability: { bounce: rates(69), complaint: rates(0) } })).toEqual([])
    expect(titlesOf({ deliverability: { bounce: rates(70), complaint: rates(71) } })).toEqual([
      'homeNearBounces',
      'homeNearComplaints',
    ])
  })

  it('say when the credit or the month ends, and when it has', () => {
    const of = (credit: Facts['overview']['credit'], month?: Facts['overview']['month']) =>
      titlesOf({ overview: { ...fine.overview, credit, ...(month && { month }) } })
    const endsAt = '2026-12-24T00:00:00.000Z'
    expect(of({ left: 10, perDay: 1, endsAt })).toEqual(['homeCreditEnds'])
    expect(of({ left: -1, perDay: 0, endsAt })).toEqual(['homeNoCredit'])
    const month = { left: 0, perDay: 3, limit: 10, sent: 10 }
    expect(of({ left: 10 }, { ...month, endsAt })).toEqual(['homeMonthReached'])
    expect(of({ left: 10 }, { ...month, left: 9, endsAt })).toEqual(['homeMonthEnds'])
    expect(of({ left: 10 }, { ...month, left: 9 })).toEqual([])
  })

  it('have no missing sender before there is a domain', () => {
    expect(titlesOf({ senders: [] })).toEqual([])
    expect(titlesOf({ senders: [], domains: [domain('shop.example', true)] })).toEqual(['homeNoSender'])
  })
})

describe('an address of an example', () => {
  it('is at a domain that is reserved for examples, or below it', () => {
    expect(['hello@example.com', 'a@mail.example.org', 'A@EXAMPLE.NET'].every(isExampleAddress)).toBe(true)
    expect(['a@example.company', 'a@myexample.com', 'a@shop.example'].some(isExampleAddress)).toBe(false)
  })
})
