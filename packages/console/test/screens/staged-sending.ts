import type { Page } from 'playwright-core'
import type { Domain, SenderIdentity } from '../../src/api/types.js'
import { edited } from './edited.js'

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

type State = 'verified' | 'lost' | 'pending' | 'unchecked'

const selectors = ['ph1', 'ph2', 'ph3']

const requiredOf = (domain: string): Domain['requiredDns'] => ({
  dkimCNAMEs: selectors.map((selector) => ({
    type: 'CNAME',
    name: `${selector}._domainkey.${domain}`,
    value: `${selector}.dkim.mail.kestrel-relay.example`,
  })),
  mx: { type: 'MX', name: `mail.${domain}`, value: 'feedback-smtp.eu-west-1.kestrel-relay.example', priority: '10' },
  spf: { type: 'TXT', name: `mail.${domain}`, value: 'v=spf1 include:kestrel-relay.example ~all' },
  dmarc: { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;' },
  tracking: { type: 'CNAME', name: `links.${domain}`, value: 'mail.kestrel.example' },
})

const observedIn = (state: State, { mx, spf, tracking }: Domain['requiredDns']): Domain['observed'] => {
  const checkedAt = state === 'unchecked' ? '' : hoursAgo(0.2)
  const seen = (present: boolean, raw: string) => ({ present, raw, checkedAt })
  const isChecked = state !== 'unchecked'
  const isVerified = state === 'verified'
  const hasSpf = isVerified || state === 'lost'
  return {
    mx: seen(isChecked, isChecked ? mx.value : ''),
    spf: seen(hasSpf, hasSpf ? spf.value : isChecked ? 'v=spf1 include:old.example -all' : ''),
    dmarc: seen(isChecked, isChecked ? 'v=DMARC1; p=quarantine; rua=mailto:dmarc@kestrel.example' : ''),
    tracking: seen(isVerified, isVerified ? (tracking?.value ?? '') : ''),
    dkim: { selectors: isVerified ? selectors : [], allOk: isVerified, checkedAt },
    allOk: isVerified,
  }
}

const domainIn = (state: State, domain: string): Partial<Domain> => {
  const requiredDns = requiredOf(domain)
  const [since, until] = [hoursAgo(32.5), hoursAgo(32.5 - 72)]
  return {
    domain,
    region: 'eu-west-1',
    trackingDomain: `links.${domain}`,
    requiredDns,
    observed: observedIn(state, requiredDns),
    warnings:
      state === 'lost'
        ? [
            `The last check of ${domain} in eu-west-1 did not find its DKIM records; they have been missing since ${since}. From ${until} on, mail from the domain is not sent until a check finds them.`,
          ]
        : [],
  }
}

/** The page of a domain in this state. */
export const domainThatIs =
  (state: State, domain = 'events.kestrel.example') =>
  (page: Page): Promise<void> =>
    edited(page, /^\/domains\/\w+$/, (is) => ({ ...is, ...domainIn(state, domain) }))

/** A project that was approved, with a domain in each state and several senders. */
export const busySending = async (page: Page): Promise<void> => {
  const states: readonly (readonly [State, string])[] = [
    ['verified', 'kestrel.example'],
    ['lost', 'events.kestrel.example'],
    ['pending', 'shop.kestrel.example'],
    ['unchecked', 'wholesale-and-libraries.kestrel-books.example'],
  ]
  await edited(page, /^\/domains$/, (is) => {
    const [first] = is.items as readonly Domain[]
    const items = states.map(([state, domain], at) => ({ ...first, ...domainIn(state, domain), _id: `domain${at}` }))
    return { items, count: items.length }
  })
  const senders = [
    ['Kestrel Books', 'hello@kestrel.example'],
    ['Kestrel Events', 'seats@events.kestrel.example'],
    ['', 'no-reply@shop.kestrel.example'],
    ['The old shop', 'post@another.example'],
  ] as const
  await edited(page, /^\/sender-identities$/, (is) => {
    const [first] = is.items as readonly SenderIdentity[]
    const items = senders.map(([name, email], at) => ({
      ...{ ...first, name, email },
      ...{ region: 'eu-west-1', _id: `sender${at}` },
    }))
    return { items, count: items.length }
  })
  await edited(page, /^$/, (is) => ({ ...is, status: 'production', monthlyLimit: 250_000 }))
  await edited(page, /^\/production-access$/, (is) => ({
    ...is,
    sendingRates: [{ region: 'eu-west-1', ratePerSecond: 14 }],
  }))
  await edited(page, /^\/production\/deliverability$/, () => ({
    bounce: { rate: 0.9, pct: 36, windowLabel: 'last 7 days' },
    complaint: { rate: 0.02, pct: 40, windowLabel: 'last 30 days' },
    domains: [{ domain: 'kestrel.example', region: 'eu-west-1', sent: 261_340, bounces: 412, complaints: 19 }],
    monthly: { sent: 85_822, limit: 250_000 },
  }))
}

/** Sending was stopped for bounces. */
export const restrictedSending = (page: Page): Promise<void> =>
  edited(page, /^\/production-access$/, (is) => ({
    ...is,
    restricted: true,
    restrictedReason: 'the bounce rate over the last 7 days is 4.1 %, above 2.5 %',
  }))

/** Gmail refuses, the others do not. */
export const refusingProvider = async (page: Page): Promise<void> => {
  const at = (provider: string, sent: number, refused: number, complaints: number, opens: number, isWorse = false) =>
    ({ provider, sent, refused, complaints, opens, isWorse }) as const
  await edited(page, /^\/mailbox-providers$/, () => ({
    providers: [
      at('gmail', 118_204, 10_310, 12, 40_118, true),
      at('other', 61_340, 212, 3, 19_008),
      at('microsoft', 40_921, 96, 2, 11_762),
      at('gmx', 21_778, 31, 0, 9_120),
      at('telekom', 5_203, 4, 0, 2_411),
      at('libero', 12, 1, 0, 0),
    ],
  }))
}
