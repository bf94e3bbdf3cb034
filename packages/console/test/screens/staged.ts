import type { Page } from 'playwright-core'
import type { CampaignProgress, CampaignReport, MailHistory } from '../../src/api/types.js'
import { edited, fetched } from './edited.js'
import type { Console } from './world.js'

const refusals = [
  { name: '554', message: '554 5.7.1 Client host blocked by mailnord.example', count: 312 },
  { name: '550', message: '550 5.1.1 User unknown', count: 128 },
  { name: '552', message: '552 5.2.2 Mailbox is full', count: 61 },
  { name: '553', message: '553 5.1.3 Address syntax not allowed', count: 16 },
]

const exclusions: CampaignReport['exclusions'] = [
  { reason: 'unverified', count: 868 },
  { reason: 'unengaged', count: 604 },
  { reason: 'paused', count: 412 },
  { reason: 'suppressed', count: 340 },
  { reason: 'unsubscribed', count: 32 },
  { reason: 'invalid-address', count: 11 },
]

const report = {
  recipients: 46_902,
  sent: 44_118,
  failed: 517,
  excluded: 2_267,
  waiting: 0,
  bounced: 153,
  complained: 7,
  opens: 23_340,
  uniqueOpens: 15_883,
  clicks: 4_412,
  uniqueClicks: 2_956,
  unsubscribed: 96,
  paused: 41,
  failures: refusals,
  exclusions,
  links: ['picks/autumn', 'events/reading-night', 'shop/gift-card', 'journal/translators'].map((path, at) => ({
    link: `https://kestrel.example/${path}`,
    clicks: 1_902 - at * 480,
    uniqueClicks: 1_544 - at * 400,
  })),
  otherClicks: 0,
  otherUniqueClicks: 0,
} satisfies Partial<CampaignReport>

type Status = 'sent' | 'being-sent' | 'error'

const progressOf = (status: Status): Partial<CampaignProgress> => ({
  deliveries: { queued: 17_664, sending: 40, uncertain: 16, sent: 27_964, failed: 214, excluded: 2_318 },
  expanding: false,
  canContinue: status === 'error',
  ...(status === 'being-sent' && { waitsFor: '454 4.7.0 Throttling failure: Maximum sending rate exceeded.' }),
})

const stopReason = 'The relay refused the sign-in: 535 5.7.8 authentication failed'

/** The campaign that the server has sent, with the numbers of a large one, in this state. */
export const ranCampaign =
  (status: Status) =>
  async (page: Page, { ids }: Console): Promise<void> => {
    const one = `^/campaigns/${ids.sent}`
    const stopped = status === 'error' && { errorMessage: stopReason }
    const live = status === 'being-sent' && {
      ...{ recipients: 48_216, sent: 27_964, failed: 214, excluded: 2_318, waiting: 17_720 },
    }
    await edited(page, new RegExp(`${one}$`), (campaign) => ({ ...campaign, status, ...stopped }))
    const halted = stopped && { failures: [{ name: 'CampaignStopped', message: '', count: 371 }, ...refusals] }
    await edited(page, new RegExp(`${one}/report$`), (is) => ({
      ...is,
      ...report,
      ...live,
      status,
      ...stopped,
      ...halted,
    }))
    await edited(page, new RegExp(`${one}/progress$`), (is) => ({ ...is, ...progressOf(status), status, ...stopped }))
    await edited(page, new RegExp(`${one}/stats$`), (is, url) => {
      const metric = url.searchParams.get('metric')
      if (metric === null) return { ...is, opens: 23_340, machineOpens: 18_204, clicks: 4_412, machineClicks: 6_870 }
      const from = Date.parse(url.searchParams.get('from') ?? '')
      const of = (at: number) => Math.round((metric.startsWith('machine') ? 4_800 : 3_900) / (1 + at * at * 0.08))
      return {
        ...is,
        buckets: Array.from({ length: 36 }, (_, at) => ({
          period: new Date(from + at * 3_600_000).toISOString(),
          count: of(at),
        })),
      }
    })
    await edited(page, /^\/campaigns\/\w+\/retry-failed\/preview$/, (is) => ({
      ...is,
      recipients: 307,
      excluded: { unsubscribed: 5 },
      isComplete: true,
    }))
  }

/** A few campaigns of a busy shop, in the list. */
export const manyCampaigns = async (page: Page, { ids }: Console): Promise<void> => {
  const looks = [
    ['Winter catalogue', 'being-sent', { sent: 27_964, failed: 214, excluded: 2_318, waiting: 17_720 }],
    ['Advent reading nights', 'draft', undefined],
    ['Gift guide', 'scheduled', undefined],
    ['Autumn staff picks', 'sent', { sent: 44_118, failed: 517, excluded: 2_267, waiting: 0 }],
    ['Wholesale price list Q4', 'error', { sent: 806, failed: 374, excluded: 24, waiting: 0 }],
    ['Translators’ month', 'sent', { sent: 42_730, failed: 166, excluded: 2_211, waiting: 0 }],
    ['October letter', 'sent', { sent: 42_016, failed: 201, excluded: 2_163, waiting: 0 }],
    ['Leipzig reading', 'sent', { sent: 5_877, failed: 18, excluded: 225, waiting: 0 }],
    ['September letter', 'sent', { sent: 41_604, failed: 188, excluded: 2_079, waiting: 0 }],
    ['Open Sunday', 'sent', { sent: 5_764, failed: 21, excluded: 203, waiting: 0 }],
  ] as const
  const idOf = (at: number) => `${ids.sent.slice(0, -2)}${(at + 16).toString(16)}`
  await edited(page, /^\/campaigns$/, (is) => {
    const [first] = is.items as readonly Record<string, unknown>[]
    const items = looks.map(([name, status], at) => ({
      ...first,
      ...(status !== 'draft' && {
        scheduledTo: new Date(Date.now() - (status === 'being-sent' ? 0.02 : at - 2.5) * 7 * 86_400_000).toISOString(),
      }),
      ...(status === 'error' && { errorMessage: stopReason }),
      _id: idOf(at),
      name,
      status,
    }))
    return { ...is, items, count: 41 }
  })
  await page.route(/\/campaign-results\?/, (route) =>
    route.fulfill({
      json: {
        status: 200,
        result: {
          items: looks.flatMap(([, , books], at) =>
            books
              ? {
                  campaignId: idOf(at),
                  ...books,
                  recipients: books.sent + books.failed + books.excluded + books.waiting,
                  opens: Math.round(books.sent * 0.5),
                  uniqueOpens: Math.round(books.sent * (0.3 + at * 0.012)),
                  machineOpens: Math.round(books.sent * 0.4),
                  clicks: Math.round(books.sent * 0.08),
                  uniqueClicks: Math.round(books.sent * 0.06),
                  machineClicks: Math.round(books.sent * 0.11),
                }
              : [],
          ),
        },
      },
    }),
  )
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const happened: MailHistory['events'] = [
  { type: 'accepted', at: minutesAgo(9_000) },
  { type: 'sent', at: minutesAgo(8_999), attempts: 2 },
  { type: 'open', at: minutesAgo(8_998), by: 'machine' },
  { type: 'open', at: minutesAgo(4_000), by: 'person' },
  { type: 'click', at: minutesAgo(3_990), by: 'person', link: 'https://kestrel.example/journal/translators' },
  { type: 'pause', at: minutesAgo(3_980) },
  { type: 'bounce', at: minutesAgo(60), reply: { name: '5.2.2', message: '552 5.2.2 Mailbox is full' } },
]

const posts: MailHistory['webhooks'] = (
  [
    ['delivered', 'bounce', { at: minutesAgo(59), status: 200 }],
    ['pending', 'click', { at: minutesAgo(3_989), status: 503, reason: 'The receiver answered 503' }],
    ['given-up', 'open', { at: minutesAgo(3_999), reason: 'connect ECONNREFUSED' }],
  ] as const
).map(([state, type, lastAttempt], at) => ({
  ...{ _id: `post${at}`, webhookId: 'webhook', state, type, lastAttempt },
  ...{ createdAt: lastAttempt.at, attempts: at + 1 },
}))

/** A mail to which everything has happened. */
export const eventfulMail = (page: Page): Promise<void> =>
  edited(page, /^\/deliveries$/, (is) => {
    const [first] = is.items as readonly Record<string, unknown>[]
    return { ...is, items: [{ ...first, events: happened, webhooks: posts }] }
  })

/** Every list that a page reads is empty. */
export const emptyLists = (page: Page) =>
  page.route(/\/console\/api\/projectId\/[^?]*/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await fetched(route)
    const text = await response.text()
    if (!text.includes('"items":[')) return route.fulfill({ response })
    const body = JSON.parse(text) as { readonly result: object }
    await route.fulfill({ response, json: { ...body, result: { ...body.result, items: [], count: 0 } } })
  })

/** Calls below the project are never answered. */
export const noAnswer = (page: Page) => page.route(/\/console\/api\/(projectId|operator)\//, () => undefined)

/** As with an identity provider beside passwords. */
export const providerSignIn = (page: Page) =>
  page.route(/\/console\/api\/sign-in$/, (route) =>
    route.fulfill({ json: { status: 200, result: { passwords: true, provider: 'Kestrel ID' } } }),
  )
