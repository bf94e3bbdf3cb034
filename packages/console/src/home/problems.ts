import type { Campaign, CampaignResult, Domain, ResponseOf, WebhookEndpoint } from '../api/types.js'
import { hostOf } from '../developers/host.js'
import { graceOf, stateOf } from '../sending/domain-state.js'
import type { Messages } from '../text/en.js'
import type { Say } from '../text/text.js'
import type { IconName } from '../ui/icons.js'

type Deliverability = ResponseOf<'get', '/production/deliverability'>

export type Facts = {
  readonly now: number
  readonly access: Pick<ResponseOf<'get', '/production-access'>, 'restricted' | 'restrictedReason' | 'sendingRates'>
  readonly deliverability?: Pick<Deliverability, 'bounce' | 'complaint'> | undefined
  readonly domains: readonly Domain[]
  readonly senders: readonly { readonly email: string }[]
  readonly webhooks: readonly WebhookEndpoint[]
  readonly overview: ResponseOf<'get', '/home'>
  readonly stopped: readonly Campaign[]
  readonly putOff: readonly { readonly campaign: Campaign; readonly reason: string; readonly waiting: number }[]
  readonly results: ReadonlyMap<string, CampaignResult>
  readonly retries: readonly { readonly campaign: Campaign; readonly mails: number; readonly isComplete: boolean }[]
}

export type Words = {
  readonly say: Say
  readonly dateTime: (at: string) => string
  readonly percent: (n: number) => string
}

export type HomeProblem = {
  readonly id: string
  /** Mails that do not arrive until it is fixed: of campaigns, or of a month at the present rate. Infinity: all. */
  readonly cost: number
  readonly tone: 'bad' | 'warn'
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly fix: keyof Messages
  readonly path: string
}

/** In percent of a threshold. */
const nearThreshold = 70
const daysOfMonth = 30

const hostIn = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

const ofSending = (
  { access, deliverability, senders, domains }: Facts,
  { say, percent }: Words,
): readonly HomeProblem[] => {
  const fix = { fix: 'homeSeeReputation', path: '/sending/reputation', icon: 'barred' } as const
  if (access.restricted) {
    const text = access.restrictedReason ?? ''
    return [{ id: 'restricted', cost: Infinity, tone: 'bad', title: say('homeRestricted'), text, ...fix }]
  }
  const shut = access.sendingRates.filter(({ ratePerSecond, reason }) => ratePerSecond === 0 && reason !== undefined)
  const near = (['bounce', 'complaint'] as const).flatMap((kind): readonly HomeProblem[] => {
    const pct = deliverability?.[kind].pct ?? 0
    const title = say(kind === 'bounce' ? 'homeNearBounces' : 'homeNearComplaints', { share: percent(pct / 100) })
    const look = { id: kind, cost: 0, tone: 'warn', title, text: say('homeNearText') } as const
    return pct >= nearThreshold ? [{ ...look, ...fix }] : []
  })
  return [
    ...shut.map(
      ({ region, reason = '' }): HomeProblem => ({
        ...{ id: `rate ${region}`, cost: Infinity, tone: 'bad', icon: 'globe', text: reason },
        ...{ title: say('homeNoRate', { region }), fix: 'homeSeeSending', path: '/sending/domains' },
      }),
    ),
    ...near,
    ...(senders.length === 0 && domains.length > 0
      ? [
          {
            ...({ id: 'senders', cost: Infinity, tone: 'bad', icon: 'mail', title: say('homeNoSender') } as const),
            ...({ text: say('homeNoSenderText'), fix: 'newSender', path: '/sending/senders?add=senders' } as const),
          },
        ]
      : []),
  ]
}

const ofSupply = ({ overview: { credit, month } }: Facts, { say, dateTime }: Words): readonly HomeProblem[] => {
  const monthly = (perDay = 0) => perDay * daysOfMonth
  const path = '/sending/reputation'
  const credits = {
    ...({ id: 'credit', icon: 'clock', fix: 'homeSeeLimits', path } as const),
    text: say('homeCreditText', { left: Math.max(credit.left, 0), perDay: Math.round(credit.perDay ?? 0) }),
  }
  const limit = month && {
    ...({ id: 'month', icon: 'clock', cost: monthly(month.perDay), fix: 'homeAskLimit', path } as const),
    text: say('homeMonthText', { sent: month.sent, limit: month.limit, perDay: Math.round(month.perDay ?? 0) }),
  }
  return [
    ...(credit.left <= 0
      ? [{ ...credits, cost: Infinity, tone: 'bad' as const, title: say('homeNoCredit') }]
      : credit.endsAt
        ? [
            {
              ...{ ...credits, cost: monthly(credit.perDay), tone: 'warn' as const },
              title: say('homeCreditEnds', { time: dateTime(credit.endsAt) }),
            },
          ]
        : []),
    ...(!limit || !month?.endsAt
      ? []
      : month.left <= 0
        ? [{ ...limit, tone: 'bad' as const, title: say('homeMonthReached') }]
        : [{ ...limit, tone: 'warn' as const, title: say('homeMonthEnds', { time: dateTime(month.endsAt) }) }]),
  ]
}

const unverifiedTexts = {
  verified: 'homeDomainUnverifiedText',
  relay: 'homeDomainRelayText',
  account: 'homeDomainAccountText',
} as const

const ofDomains = ({ domains, senders, overview, now }: Facts, { say, dateTime }: Words): readonly HomeProblem[] =>
  domains.flatMap((domain): readonly HomeProblem[] => {
    const state = stateOf(domain, now)
    if (state === 'verified') return []
    const users = senders.filter(({ email }) => hostIn(email) === domain.domain).length
    const share = senders.length === 0 ? 0 : users / senders.length
    const mails = overview.days.reduce((sum, { sent }) => sum + sent, 0) * share
    // Only a server that checks the domains itself stops their mail.
    const grace = overview.senderDomains === 'verified' ? graceOf(domain, now) : undefined
    const common = {
      id: domain._id,
      icon: 'clock',
      fix: 'homeSeeRecords',
      path: `/sending/domains/${domain._id}`,
    } as const
    if (grace)
      return [
        {
          ...{ ...common, cost: mails + 1, tone: 'bad' },
          title: say('homeDomainStops', { domain: domain.domain, time: dateTime(grace.until) }),
          text: say('homeDomainStopsText', { time: dateTime(grace.since) }),
        },
      ]
    const title = say('homeDomainUnverified', { domain: domain.domain })
    const text = say(unverifiedTexts[overview.senderDomains])
    return [{ ...common, icon: 'globe', cost: mails, tone: 'warn', title, text }]
  })

const ofCampaigns = ({ stopped, putOff, retries, results }: Facts, { say }: Words): readonly HomeProblem[] => [
  ...stopped.map((campaign): HomeProblem => {
    const { recipients = 0, sent = 0, excluded = 0 } = results.get(campaign._id) ?? {}
    return {
      ...{ id: campaign._id, cost: recipients - sent - excluded, tone: 'bad', icon: 'warning' },
      title: say('homeStopped', { name: campaign.name, sent, recipients }),
      ...{ text: campaign.errorMessage ?? '', fix: 'homeFix', path: `/campaigns/${campaign._id}` },
    }
  }),
  ...putOff.map(
    ({ campaign, reason, waiting }): HomeProblem => ({
      ...{ id: campaign._id, cost: waiting, tone: 'warn', icon: 'pause', text: reason },
      title: say('homePutOff', { name: campaign.name }),
      ...{ fix: 'homeWatch', path: `/campaigns/${campaign._id}` },
    }),
  ),
  ...retries.map(
    ({ campaign, mails, isComplete }): HomeProblem => ({
      ...{ id: campaign._id, cost: mails, tone: 'warn', icon: 'retry', text: say('homeRetryText') },
      title: say(isComplete ? 'homeRetry' : 'homeRetryAtLeast', { name: campaign.name, count: mails }),
      ...{ fix: 'homeChooseRetry', path: `/campaigns/${campaign._id}` },
    }),
  ),
]

const ofWebhooks = ({ webhooks }: Facts, { say, dateTime }: Words): readonly HomeProblem[] =>
  webhooks.flatMap(({ _id, url, disabled, failing }): readonly HomeProblem[] => {
    const trouble = disabled ?? failing
    if (!trouble) return []
    const since = { host: hostOf(url), time: dateTime(trouble.since) }
    return [
      {
        ...{ id: _id, cost: 0, tone: disabled ? 'bad' : 'warn', icon: 'code', text: trouble.reason },
        title: say(disabled ? 'homeHookOff' : 'homeHookFails', since),
        ...{ fix: 'homeOpenHook', path: `/developers/webhooks/${_id}` },
      },
    ]
  })

/** Highest cost first. */
export const problemsOf = (facts: Facts, words: Words): readonly HomeProblem[] =>
  [ofSending, ofSupply, ofDomains, ofCampaigns, ofWebhooks]
    .flatMap((of) => of(facts, words))
    .sort((a, b) => {
      if (a.cost !== b.cost) return a.cost > b.cost ? -1 : 1
      return Number(a.tone === 'warn') - Number(b.tone === 'warn')
    })

/** At a domain that RFC 2606 reserves, or below it: nobody can send from there. */
export const isExampleAddress = (email: string): boolean => /[@.]example\.(?:com|net|org)$/i.test(email.trim())
