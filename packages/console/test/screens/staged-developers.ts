import type { Page } from 'playwright-core'
import type { ApiKey, WebhookEndpoint, WebhookLogEntry } from '../../src/api/types.js'
import { edited } from './edited.js'
import type { Console } from './world.js'

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const keys: readonly Omit<ApiKey, '_id'>[] = [
  { name: 'Shop', scope: 'send', lastFour: 'x7Qd', createdAt: minutesAgo(4_000), lastUsedAt: minutesAgo(12) },
  { name: 'Warehouse reports', scope: 'read', lastFour: 'p2Lm', createdAt: minutesAgo(90_000) },
  { name: 'CRM', scope: 'full', lastFour: '9sKe', createdAt: minutesAgo(200_000), lastUsedAt: minutesAgo(70_000) },
  { name: 'Old shop', scope: 'full', lastFour: 'aa0B', createdAt: minutesAgo(400_000), revokedAt: minutesAgo(4_100) },
]

/** A few keys of a shop. */
export const manyKeys = (page: Page, { ids }: Console): Promise<void> =>
  edited(page, /^\/api-keys$/, (is) =>
    'items' in is ? { items: keys.map((key, at) => ({ _id: `${ids.sent.slice(0, -1)}${at}`, ...key })) } : is,
  )

const failing = { since: minutesAgo(200), reason: 'The receiver answered 503' }

const refused = (...ago: readonly number[]) => ago.map((minutes) => ({ at: minutesAgo(minutes), status: 503 }))

const log: readonly Omit<WebhookLogEntry, '_id' | 'updatedAt'>[] = [
  { type: 'click', state: 'pending', createdAt: minutesAgo(1), nextAt: minutesAgo(-1), attempts: refused(1) },
  { type: 'sent', state: 'pending', createdAt: minutesAgo(2), nextAt: minutesAgo(-2), attempts: refused(2, 1) },
  {
    type: 'bounce',
    state: 'pending',
    createdAt: minutesAgo(40),
    nextAt: minutesAgo(-26),
    attempts: refused(40, 39, 37, 29),
  },
  {
    type: 'pause-subscription',
    state: 'pending',
    createdAt: minutesAgo(190),
    nextAt: minutesAgo(-200),
    attempts: [...refused(190, 189), { at: minutesAgo(187), reason: 'connect ECONNREFUSED 192.0.2.7:443' }],
  },
  { type: 'open', state: 'delivered', createdAt: minutesAgo(210), attempts: [{ at: minutesAgo(209), status: 200 }] },
  {
    type: 'subscribe',
    state: 'delivered',
    createdAt: minutesAgo(230),
    attempts: [...refused(230), { at: minutesAgo(229), status: 204 }],
  },
  {
    type: 'complaint',
    state: 'given-up',
    createdAt: minutesAgo(3_000),
    reason: 'The receiver answered 410',
    attempts: refused(3_000, 2_999, 2_997, 2_990, 2_970, 2_880, 2_640, 2_220, 1_560),
  },
]

const endpoint: Partial<WebhookEndpoint> = {
  failing,
  types: ['sent', 'open', 'click', 'bounce', 'complaint', 'subscribe'],
}

const body = {
  type: 'bounce',
  createdAt: minutesAgo(40),
  reason: '552 5.2.2 Mailbox is full',
  emailData: { subject: 'The winter catalogue', to: 'w.arens@hafenpost.example' },
}

/** The webhook whose receiver fails, with the log of a busy day, beside one that is switched off. */
export const troubledWebhook = async (page: Page, { ids }: Console): Promise<void> => {
  const entries = log.map((entry, at) => ({
    ...entry,
    _id: `${ids.webhook.slice(0, -1)}${at}`,
    updatedAt: entry.attempts.at(-1)?.at ?? entry.createdAt,
  }))
  await edited(page, /^\/webhooks$/, (is) => {
    const [first] = is.items as readonly WebhookEndpoint[]
    const disabled = { reason: 'It was switched off by a request', since: minutesAgo(9_000) }
    const others = [
      { ...first, _id: ids.draft, url: 'https://crm.kestrel.example/mail', description: '' },
      { ...first, _id: ids.sent, url: 'https://old.kestrel.example/in', description: '', enabled: false, disabled },
    ]
    return { ...is, items: [{ ...first, ...endpoint }, ...others], count: 3 }
  })
  await edited(page, /^\/webhooks\/\w+$/, (is) => ({ ...is, ...endpoint }))
  await edited(page, /^\/webhooks\/\w+\/log$/, (is, url) => {
    const state = url.searchParams.get('filter[state]')
    const items = entries.filter((entry) => state === null || entry.state === state)
    const isOldestFirst = url.searchParams.get('order') === 'asc'
    return { ...is, items: isOldestFirst ? items.reverse().slice(0, 1) : items, count: items.length * 172 }
  })
  const nothing = { status: 200, result: { items: [], count: 0 } }
  for (const id of [ids.draft, ids.sent])
    await page.route(new RegExp(`/webhooks/${id}/log`), (route) => route.fulfill({ json: nothing }))
  await page.route(/\/webhooks\/\w+\/log\/\w+$/, (route) =>
    route.fulfill({ json: { status: 200, result: { ...entries[2], event: body } } }),
  )
}

export const repeatedRequests = (page: Page): Promise<void> =>
  edited(page, /^\/repeated-requests$/, () => ({
    items: [
      ['sendTransactional', 'order-4711-receipt', 3],
      ['bulkContacts', 'sync-2026-11-26/12', 1],
      ['createSubscriberList', 'x'.repeat(255), 2_048],
      ['ofALaterVersion', '<b>4711</b>', 1],
    ].map(([operation, key, repeats], n) => ({
      ...{ _id: `6650a1b2c3d4e5f6a7b8c9d${n}`, operation, key, repeats },
      ...{ createdAt: '2026-11-26T08:00:00.000Z', repeatedAt: '2026-11-26T08:00:31.000Z' },
    })),
  }))
