import type { Page } from 'playwright-core'
import type { CampaignProgress } from '../../src/api/types.js'
import { edited } from './edited.js'
import { troubledWebhook } from './staged-developers.js'
import { busySending } from './staged-sending.js'
import type { Console } from './world.js'

const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()

const campaignsIn: Readonly<Record<string, readonly (readonly [name: string, inDays: number])[]>> = {
  'being-sent': [['Winter catalogue 2026', -0.01]],
  scheduled: [
    ['Gift guide 2026', 4],
    ['Advent reading nights, for everybody who came last year', 9],
    ['Between the years', 18],
  ],
  draft: [
    ['A letter to our translators', -1],
    ['January sale', -3],
  ],
  error: [['Wholesale price list Q4', -1]],
  sent: [
    ['Autumn staff picks', -4],
    ['October letter', -13],
    ['Open Sunday', -20],
  ],
}

const books: Readonly<Record<string, object>> = {
  'being-sent': { recipients: 48_216, sent: 27_964, failed: 214, excluded: 2_318, waiting: 17_720 },
  error: { recipients: 1_204, sent: 806, failed: 374, excluded: 24, waiting: 0 },
  sent: { recipients: 46_902, sent: 44_118, failed: 517, excluded: 2_267, waiting: 0 },
}

const sentOn = (at: number) => (at % 9 === 4 ? 44_706 - at * 310 : at % 7 < 5 ? 560 + ((at * 131) % 240) : 120)

/** A project with something wrong of every kind, something that waits, and something that happened. */
export const busyHome = async (page: Page, world: Console): Promise<void> => {
  await busySending(page)
  await troubledWebhook(page, world)
  const idOf = (status: string, at: number) => `${status}${at}`
  await edited(page, /^\/campaigns$/, (is, url) => {
    const status = url.searchParams.get('filter[status]') ?? ''
    const items = (campaignsIn[status] ?? []).map(([name, days], at) => ({
      ...{ type: 'html', subject: name, timeZone: 'Europe/Berlin', subscriberListId: world.ids.list },
      ...{ createdAt: inDays(-30), updatedAt: inDays(Math.min(days, 0)) },
      ...(status !== 'draft' && { scheduledTo: inDays(days) }),
      ...(status === 'error' && { errorMessage: 'The relay refused the sign-in: 535 5.7.8 authentication failed' }),
      ...{ _id: idOf(status, at), name, status },
    }))
    return { ...is, items, count: status === 'scheduled' ? 41 : items.length }
  })
  await page.route(/\/campaigns\/[\w-]+\d\/progress$/, (route) =>
    route.fulfill({
      json: {
        status: 200,
        result: {
          status: 'being-sent',
          deliveries: { queued: 17_664, sending: 40, uncertain: 16, sent: 27_964, failed: 214, excluded: 2_318 },
          expanding: false,
          canContinue: false,
          waitsFor: '454 4.7.0 Throttling failure: Maximum sending rate exceeded.',
        } satisfies Partial<CampaignProgress>,
      },
    }),
  )
  await page.route(/\/campaigns\/sent\d\/retry-failed\/preview$/, (route) =>
    route.fulfill({
      json: { status: 200, result: { failed: 517, recipients: 312, excluded: { suppressed: 205 }, isComplete: true } },
    }),
  )
  await page.route(/\/campaign-results\?/, (route) =>
    route.fulfill({
      json: {
        status: 200,
        result: {
          items: Object.entries(books).flatMap(([status, counts]) =>
            (campaignsIn[status] ?? []).map((_, at) => ({
              ...counts,
              ...{ campaignId: idOf(status, at), opens: 23_340, uniqueOpens: 15_883, machineOpens: 18_204 },
              ...{ clicks: 4_412, uniqueClicks: 2_956, machineClicks: 6_870 },
            })),
          ),
        },
      },
    }),
  )
  await edited(page, /^\/production\/deliverability$/, (is) => ({
    ...is,
    complaint: { rate: 0.041, pct: 82, windowLabel: 'last 7 days' },
  }))
  await edited(page, /^\/home$/, (is) => ({
    ...is,
    credit: { left: 31_640, perDay: 5_320.4, endsAt: inDays(5.9) },
    month: { left: 21_640, perDay: 5_320.4, limit: 250_000, sent: 228_360, endsAt: inDays(4) },
    days: (is.days as readonly { readonly day: string }[]).map(({ day: name }, at) => ({
      ...{ day: name, sent: sentOn(at), failed: Math.round(sentOn(at) / 60) },
    })),
  }))
}

/** Nothing is sent any more, for two reasons. */
export const haltedHome = async (page: Page): Promise<void> => {
  await edited(page, /^\/production-access$/, (is) => ({
    ...is,
    restricted: true,
    restrictedReason: 'bounce rate of 4.1 % over the last 7 days (41 of 1000 mails), above 2.5 %',
  }))
  await edited(page, /^\/home$/, (is) => ({ ...is, credit: { left: 0, perDay: 12, endsAt: new Date().toISOString() } }))
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** Mails of every kind and state, and more of them. */
export const manyMails = async (page: Page, { ids }: Console): Promise<void> => {
  const mails = [
    [
      'reader17@mailnord.example',
      'Four evenings, a lamp and Hamburg',
      'campaign',
      'Autumn staff picks',
      'failed',
      '554 5.7.1 Client host blocked by mailnord.example',
    ],
    ['ada@hartwell.example', 'Your order 20381 is on its way', 'transactional', 'Order shipped', 'sent', ''],
    [
      'jonas.rieck@hafenpost.example',
      'Four evenings, a lamp and Kiel',
      'campaign',
      'Autumn staff picks',
      'excluded',
      'suppressed',
    ],
    ['zoe@fair.example', 'Welcome to Kestrel Books', 'triggered', 'Welcome', 'sent', '552 5.2.2 Mailbox is full'],
    ['w.arens@hafenpost.example', 'Invoice 4711', 'direct', '', 'scheduled', '451 4.3.0 Try again later'],
    [
      'press@kestrel.example',
      'Four evenings, a lamp and {{contact.city}}',
      'test',
      'Advent reading nights',
      'being-sent',
      '',
    ],
  ] as const
  await edited(page, /^\/mails$/, () => ({
    items: mails.map(([email, subject, kind, name, status, reason], at) => ({
      ...{
        email,
        subject,
        kind,
        name,
        status,
        emailId: ids.sent,
        dispatchId: ids.sent,
        deliveryId: `${ids.sent}:${at}`,
      },
      ...{ createdAt: minutesAgo(20 + at * 70), opens: 0, clicks: 0, complained: false, unsubscribed: false },
      ...{ paused: false, subscribed: false, resubscribed: false, bounced: email.startsWith('zoe') },
      ...(status === 'sent' && { sentAt: minutesAgo(19 + at * 70) }),
      errors: reason === '' ? [] : [{ name: status === 'excluded' ? 'Excluded' : '550', message: reason }],
    })),
    next: `${minutesAgo(600)}~x`,
  }))
}

/** A search that has to go on further back. */
export const longSearch = (page: Page): Promise<void> =>
  edited(page, /^\/mails$/, () => ({ items: [], next: `${minutesAgo(600)}~x`, searchedTo: minutesAgo(600) }))

/** Requests in every state, for a project in production. */
export const askedLimits = async (page: Page): Promise<void> => {
  await busySending(page)
  const asked = (requestedLimit: number, status: string, reason: string, daysAgo: number, approvedLimit?: number) => ({
    ...{ requestedLimit, status, reason, createdAt: inDays(-daysAgo), ...(approvedLimit && { approvedLimit }) },
  })
  await edited(page, /^\/production-access$/, (is) => ({
    ...is,
    ...{
      requestStatus: 'approved',
      domainStatus: 'verified',
      verifiedDomain: 'kestrel.example',
      monthlyLimit: 250_000,
    },
    limitIncreases: [
      asked(100_000, 'declined', 'We would like to send more', 300),
      asked(
        500_000,
        'approved',
        'Three shops write from this project now, and the autumn programme begins',
        90,
        250_000,
      ),
      asked(400_000, 'pending', 'The Christmas letters go to 130,000 people, three times', 2),
    ],
  }))
}

/** The operator has not decided yet. */
export const pendingAccess = (page: Page): Promise<void> =>
  edited(page, /^\/production-access$/, (is) => ({ ...is, requestStatus: 'pending', domainStatus: 'verified' }))
