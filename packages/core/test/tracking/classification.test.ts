import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hit, type HitMailContext, hitVerdictOf, hitVerdictSettleTime } from '../../src/tracking/classification.js'

const deliveredAt = '2026-03-02T09:00:00.000Z'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'
const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Edg/126.0.0.0'

/** A hit so many seconds after delivery, by Firefox unless another name is given. */
const hitAt = (seconds: number, more: Partial<Hit> = {}): Hit => ({
  kind: 'click',
  method: 'GET',
  at: new Date(Date.parse(deliveredAt) + seconds * 1000).toISOString(),
  link: 0,
  headers: { 'user-agent': firefox },
  ...more,
})
const named = (agent: string) => ({ headers: { 'user-agent': agent } })
const judge = (hit: Hit, context: Partial<HitMailContext> = {}) => {
  const verdict = hitVerdictOf(hit, { deliveredAt, earlier: [], ...context })
  return verdict.by === 'machine' ? verdict.reason : verdict.by
}

describe('a hit', () => {
  it('is a person’s by default', () => {
    expect(judge(hitAt(60))).toBe('person')
    expect(judge(hitAt(60, { kind: 'open' }))).toBe('person')
  })

  it.each(['HEAD', 'head', 'OPTIONS', 'POST'])('with method %s is a machine’s', (method) => {
    expect(judge(hitAt(60, { method }))).toBe('head')
  })

  it.each([
    ['purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['Sec-Purpose'.toLowerCase(), 'Prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('that prefetches by %s: %s is a machine’s', (name, value) => {
    expect(judge(hitAt(60, { headers: { 'user-agent': firefox, [name]: value } }))).toBe('prefetch')
  })

  it('on the trap link is a machine’s', () => {
    expect(judge(hitAt(60, { kind: 'trap' }))).toBe('trap')
  })

  it('without a user agent is a machine’s', () => {
    expect(judge(hitAt(60, { headers: {} }))).toBe('agent')
    expect(judge(hitAt(60, named('  ')))).toBe('agent')
  })

  it('of a Cubot phone is a person’s, and of a bot on one a machine’s', () => {
    expect(judge(hitAt(60, named('Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/112.0')))).toBe(
      'person',
    )
    expect(judge(hitAt(60, named('Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Bot/1')))).toBe('agent')
  })

  it('is classified by the first 512 characters of its user agent', () => {
    expect(judge(hitAt(60, named(`${' x'.repeat(250)}Googlebot`)))).toBe('agent')
    expect(judge(hitAt(60, named(`${firefox}${'x'.repeat(1_000_000)}Googlebot`)))).toBe('person')
  })

  it('with an invalid time is still classified', () => {
    expect(judge(hitAt(60, { at: 'never' }), { earlier: [hitAt(60, { kind: 'trap' })] })).toBe('person')
  })
})

describe('an image proxy', () => {
  const gmail = named('Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)')

  it('of Gmail or Yahoo shows that a person opened the mail', () => {
    expect(judge(hitAt(60, { kind: 'open', ...gmail }))).toBe('person')
    expect(judge(hitAt(60, { kind: 'open', ...named('YahooMailProxy; https://help.yahoo.com/') }))).toBe('person')
  })

  it('of Gmail shows nothing right after delivery', () => {
    expect(judge(hitAt(1, { kind: 'open', ...gmail }))).toBe('too-soon')
  })

  it('of Apple never shows anything', () => {
    expect(judge(hitAt(90_000, { kind: 'open', ...named('Mozilla/5.0') }))).toBe('image-proxy')
  })

  it('that Gmail uses for open inboxes shows nothing', () => {
    const ahead = named('Mozilla/5.0 (Windows NT 10.0) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0')
    expect(judge(hitAt(60, { kind: 'open', ...ahead }))).toBe('image-proxy')
  })

  it('never follows a link for a person', () => {
    expect(judge(hitAt(60, gmail))).toBe('agent')
    expect(judge(hitAt(60, named('Mozilla/5.0')))).toBe('agent')
  })
})

describe('hits soon after delivery', () => {
  it('are a machine’s for opens within two seconds and clicks within four', () => {
    expect(judge(hitAt(1.999, { kind: 'open' }))).toBe('too-soon')
    expect(judge(hitAt(2, { kind: 'open' }))).toBe('person')
    expect(judge(hitAt(3.999))).toBe('too-soon')
    expect(judge(hitAt(4))).toBe('person')
  })

  it('are a machine’s before the relay has replied', () => {
    expect(judge(hitAt(-5))).toBe('too-soon')
  })

  it('cannot be recognised without the time of delivery', () => {
    expect(hitVerdictOf(hitAt(0), { earlier: [] })).toEqual({ by: 'person' })
  })
})

describe('clicks on several links', () => {
  const clicksAt = (...seconds: readonly number[]) => seconds.map((second, link) => hitAt(second, { link }))

  it('are a machine’s from the first to the last, once later ones are known', () => {
    const [first, ...later] = clicksAt(600, 600.7, 601.4)
    expect(judge(first ?? hitAt(0), { later })).toBe('burst')
  })

  it('are recognised in any order', () => {
    const [first, second, third] = clicksAt(600, 600.7, 601.4)
    const earlier = [third, first].flatMap((hit) => hit ?? [])
    expect(judge(second ?? hitAt(0), { earlier })).toBe('burst')
  })

  it('are a person’s if two are more than half a second apart', () => {
    const [first, second] = clicksAt(600, 600.501)
    expect(judge(second ?? hitAt(0), { earlier: [first ?? hitAt(0)] })).toBe('person')
  })

  it('are a machine’s if two are within half a second', () => {
    const [first, second] = clicksAt(600, 600.5)
    expect(judge(second ?? hitAt(0), { earlier: [first ?? hitAt(0)] })).toBe('burst')
  })

  it('count over ten seconds right after delivery, and over one and a half later', () => {
    expect(judge(hitAt(60, { link: 2 }), { earlier: clicksAt(51, 58) })).toBe('burst')
    expect(judge(hitAt(600, { link: 2 }), { earlier: clicksAt(591, 598) })).toBe('person')
  })

  it('must be within one window, not around the click', () => {
    const [first, second, third] = clicksAt(600, 602, 604)
    const others = [first, third].flatMap((hit) => hit ?? [])
    expect(judge(second ?? hitAt(0), { earlier: others })).toBe('person')
  })

  it('are a person’s if they are on the same link', () => {
    const earlier = Array.from({ length: 5 }, (_, i) => hitAt(600 + i * 0.2))
    expect(judge(hitAt(601.2), { earlier })).toBe('person')
  })

  it('are a machine’s if there are twenty in ten seconds on any links', () => {
    const earlier = Array.from({ length: 19 }, (_, i) => hitAt(600 + i * 0.4))
    expect(judge(hitAt(608), { earlier })).toBe('burst')
  })

  it('also classify the same user agent’s open', () => {
    const earlier = clicksAt(600, 600.7, 601.4)
    expect(judge(hitAt(599, { kind: 'open' }), { later: earlier })).toBe('burst')
    expect(judge(hitAt(599, { kind: 'open', ...named(edge) }), { later: earlier })).toBe('person')
  })
})

describe('clicks at even intervals', () => {
  const sweep = (every: number, n: number) =>
    Array.from({ length: n }, (_, link) => hitAt(600 + link * every, { link }))
  const judgeAll = (hits: readonly Hit[]) =>
    hits.map((hit) => judge(hit, { earlier: hits.filter((other) => other !== hit) }))

  it.each([4, 5, 12, 15])('are a machine’s from the first to the last: every %d seconds', (every) => {
    expect(new Set(judgeAll(sweep(every, 5)))).toEqual(new Set(['burst']))
  })

  it('are a machine’s if three are exactly even', () => {
    expect(judgeAll([hitAt(600), hitAt(612, { link: 1 }), hitAt(624.2, { link: 2 })])).toEqual(Array(3).fill('burst'))
    expect(judgeAll([hitAt(600), hitAt(612, { link: 1 }), hitAt(624.5, { link: 2 })])).toEqual(Array(3).fill('person'))
  })

  it('are a machine’s if four are nearly even', () => {
    const clicks = [600, 612.3, 623.9, 636.1].map((seconds, link) => hitAt(seconds, { link }))
    expect(judgeAll(clicks)).toEqual(Array(4).fill('burst'))
  })

  it('are a person’s on one link, if only two, or every two seconds in tabs', () => {
    expect(judgeAll(sweep(12, 4).map((hit) => ({ ...hit, link: 0 })))).toEqual(Array(4).fill('person'))
    expect(judgeAll(sweep(12, 2))).toEqual(['person', 'person'])
    expect(judgeAll(sweep(2, 4))).toEqual(Array(4).fill('person'))
  })

  it('are recognised among others, also for hundreds', () => {
    const [first, ...rest] = [...sweep(12, 3), hitAt(607, { link: 7 }), hitAt(640, { link: 8 })]
    expect(judge(first ?? hitAt(0), { later: rest })).toBe('burst')
    const many = Array.from({ length: 100 }, (_, link) => hitAt(600 + link / 5, { link }))
    expect(judge(hitAt(601), { later: many })).toBe('burst')
  })
})

describe('a click', () => {
  it.each([
    'Amazon CloudFront',
    'Typhoeus - https://example.org',
    'LinkChecker-internal 3',
    'Mozilla/4.0 (compatible;)',
    'Mozilla/5.0 (compatible; Link Analysis)',
    'okhttp/4.9.3',
  ])('by neither a browser nor a known agent is a machine’s: %s', (agent) => {
    expect(judge(hitAt(60, named(agent)))).toBe('agent')
  })

  it.each([
    'Lynx/2.9.0dev.12 libwww-FM/2.14',
    'w3m/0.5.3',
    'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80) Presto/2.5.25',
    'Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko',
  ])('by any browser is a person’s: %s', (agent) => {
    expect(judge(hitAt(60, named(agent)))).toBe('person')
  })

  it('on another link than the same browser’s early click is a machine’s, and on the same link a person’s', () => {
    expect(judge(hitAt(6, { link: 1 }), { earlier: [hitAt(1)] })).toBe('too-soon')
    expect(judge(hitAt(6), { earlier: [hitAt(1)] })).toBe('person')
    expect(judge(hitAt(6, { link: 1, ...named(edge) }), { earlier: [hitAt(1)] })).toBe('person')
  })
})

describe('an open', () => {
  it('near an early click of the same browser is a machine’s', () => {
    expect(judge(hitAt(5, { kind: 'open' }), { earlier: [hitAt(1)] })).toBe('too-soon')
    expect(judge(hitAt(5, { kind: 'open', ...named(edge) }), { earlier: [hitAt(1)] })).toBe('person')
    expect(judge(hitAt(12, { kind: 'open' }), { earlier: [hitAt(1)] })).toBe('person')
  })

  it('near a click of the same program is a machine’s, and of Office a person’s', () => {
    const open = (agent: string) => hitAt(60, { kind: 'open', ...named(agent) })
    expect(judge(open('Scan 1'), { later: [hitAt(62, named('Scan 1'))] })).toBe('agent')
    expect(judge(open('Scan 1'))).toBe('person')
    const office = 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'
    expect(judge(open(office), { later: [hitAt(62, named(office))] })).toBe('person')
  })
})

describe('other hits nearby', () => {
  it('on the trap link make a hit a machine’s, whatever the user agents', () => {
    const trap = hitAt(605, { kind: 'trap', ...named(edge) })
    expect(judge(hitAt(600), { later: [trap] })).toBe('trap')
    expect(judge(hitAt(615), { earlier: [trap] })).toBe('trap')
    expect(judge(hitAt(615.001), { earlier: [trap] })).toBe('person')
    expect(judge(hitAt(615.001, named(edge)), { earlier: [trap] })).toBe('trap')
  })

  it('with HEAD on the same link and user agent make a hit a machine’s', () => {
    const head = hitAt(600, { method: 'HEAD' })
    expect(judge(hitAt(601), { earlier: [head] })).toBe('head')
    expect(judge(hitAt(601, named(edge)), { earlier: [head] })).toBe('person')
    expect(judge(hitAt(601, { link: 1 }), { earlier: [head] })).toBe('person')
  })

  it('of a link preview do not matter', () => {
    expect(judge(hitAt(601), { earlier: [hitAt(600, named('Slackbot-LinkExpanding 1.0'))] })).toBe('person')
  })
})

describe('any verdict', () => {
  const anyHit: fc.Arbitrary<Hit> = fc
    .record({
      seconds: fc.integer({ min: -50, max: 900 }),
      link: fc.nat({ max: 4 }),
      kind: fc.constantFrom<Hit['kind'][]>('open', 'click', 'click', 'click', 'trap'),
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      agent: fc.constantFrom(firefox, edge, 'Mozilla/5.0', 'curl/8.5.0', ''),
    })
    .map(({ seconds, agent, ...more }) => hitAt(seconds / 10, { ...more, ...named(agent) }))
  const hits = fc.array(anyHit, { maxLength: 12 })

  it('of a machine never changes with later hits', () => {
    fc.assert(
      fc.property(anyHit, hits, hits, (hit, earlier, later) => {
        const before = hitVerdictOf(hit, { deliveredAt, earlier })
        const after = hitVerdictOf(hit, { deliveredAt, earlier, later })
        expect(before.by === 'person' ? 'machine' : after.by).toBe('machine')
      }),
    )
  })

  it('is final after its delay', () => {
    fc.assert(
      fc.property(anyHit, hits, hits, (hit, known, more) => {
        const late = more.filter(({ at }) => Date.parse(at) > Date.parse(hit.at) + hitVerdictSettleTime[hit.kind])
        const settled = hitVerdictOf(hit, { deliveredAt, earlier: known })
        expect(hitVerdictOf(hit, { deliveredAt, earlier: known, later: late })).toEqual(settled)
      }),
    )
  })

  it('does not depend on the order of other hits', () => {
    fc.assert(
      fc.property(anyHit, hits, hits, (hit, earlier, later) => {
        expect(hitVerdictOf(hit, { deliveredAt, earlier, later })).toEqual(
          hitVerdictOf(hit, { deliveredAt, earlier: [...later, ...earlier] }),
        )
      }),
    )
  })
})
