import type { WebhookView } from '@posthorn/core'
import { type WebhookLogEntry, webhookDeliveryStates } from '@posthorn/core/ports/storage'
import { unparsed, WebhookFields, webhookEventTypes } from '@posthorn/core/ports/transport'
import { Option } from 'commander'
import {
  type Columns,
  cardOf,
  type PageOptions,
  pageOptions,
  pageText,
  resourceCommands,
  tableOf,
  verb,
} from './commands.js'

const { url: _url, secretKey: _secretKey, batches: _batches, ...switches } = WebhookFields.shape
const kinds = Object.keys(switches) as (keyof typeof switches)[]

const columns: Columns<WebhookView> = {
  URL: ({ url }) => url,
  EVENTS: (webhook) => kinds.filter((kind) => webhook[kind]).join(', ') || 'none',
  BATCHES: ({ batches }) => (batches ? 'up to 100 events a post' : 'no'),
  FAILING: ({ failing }) => (failing ? `${failing.reason}, since ${failing.since}` : 'no'),
  DISABLED: ({ disabled }) => (disabled ? `${disabled.reason}, since ${disabled.since}` : 'no'),
}

/** Only `--json` contains the secret. */
const said = (webhook: WebhookView) => ({ value: webhook, text: cardOf(columns, webhook) })

const logColumns: Columns<WebhookLogEntry> = {
  ID: ({ _id }) => _id,
  TOLD: ({ createdAt }) => createdAt,
  TYPE: ({ type }) => type,
  STATE: ({ state }) => state,
  ATTEMPTS: ({ attempts }) => String(attempts.length),
  LAST: ({ attempts, reason }) => {
    const last = attempts.at(-1)
    return reason ?? (last ? (last.reason ?? `answered ${last.status}`) : '')
  },
}

type Wanted = { readonly state?: string; readonly type?: string }
const wanted = () => [
  new Option('--state <state>', 'those in that state').choices(webhookDeliveryStates),
  new Option('--type <event>', 'those of that type').choices(webhookEventTypes),
]
const listed = 30

/** Also `webhooks`; a project has one. */
export const webhookCommands = resourceCommands(['webhook', 'webhooks'], 'where the project’s events are posted to', [
  verb({
    name: 'show',
    about: 'the webhook and its events',
    run: async ({ core, scope }) => {
      const webhook = await core.webhooks.get(scope)
      return webhook ? said(webhook) : { value: null, text: 'There is no webhook yet.' }
    },
  }),
  verb<{ readonly secret: string; readonly events: string; readonly batches?: boolean }>({
    name: 'create',
    about: 'post events to a URL; replaces the webhook that is there',
    takes: [['<url>', 'what receives them']],
    options: () => [
      new Option('--secret <secret>', 'whsec_… , or an API key of the project').makeOptionMandatory(),
      new Option('--events <kinds>', `${kinds.join(', ')}; separated by commas`).default(kinds.join(',')),
      new Option('--batches', 'post up to 100 events together'),
    ],
    run: async ({ core, scope }, [url], { secret, events, batches = false }) => {
      const asked = Object.fromEntries(events.split(',').map((kind) => [kind.trim(), true]))
      return said(await core.webhooks.set(scope, unparsed({ url, secretKey: secret, batches, ...asked })))
    },
  }),
  verb({
    name: 'test',
    about: 'post a sample event now',
    takes: [['<event>', webhookEventTypes.join(', ')]],
    run: async ({ core, scope }, [type]) => ({
      value: await core.webhooks.test(scope, unparsed({ type })),
      text: 'The receiver took it',
    }),
  }),
  verb({
    name: 'enable',
    about: 'post again after three days of failures switched it off',
    run: async ({ core, scope }) => said(await core.webhooks.enable(scope)),
  }),
  verb<Wanted & PageOptions>({
    name: 'log',
    about: 'events for the webhook with their results, the newest first',
    options: () => [...wanted(), ...pageOptions()],
    run: async ({ core, scope }, _args, { state, type, limit, skip }) => {
      const filter = { ...(state && { state }), ...(type && { type }) }
      const items: WebhookLogEntry[] = []
      let count = 0
      do {
        const page = { skip: skip + items.length, limit: Math.min(listed, limit - items.length) }
        const found = await core.webhooks.log(scope, { ...page, filter })
        count = found.count
        items.push(...found.items)
        if (found.items.length < page.limit) break
      } while (items.length < limit)
      const text = pageText(tableOf(logColumns, items), { items, count }, { skip, limit })
      return { value: items, text: items.length === 0 ? 'There is nothing in the log.' : text }
    },
  }),
  verb<Wanted & { readonly since?: string; readonly until?: string }>({
    name: 'replay',
    about: 'post events of the log again, under the same ids; by default those that were given up',
    takes: [['[ids...]', 'their ids, as the log shows them']],
    options: () => [
      ...wanted(),
      new Option('--since <instant>', 'those told then or later'),
      new Option('--until <instant>', 'those told before'),
    ],
    run: async ({ core, scope }, given, { state, type, since, until }) => {
      const ids = given.flatMap((some) => some.split(',')).filter((id) => id !== '')
      const isAny = ids.length > 0 || state !== undefined
      const wish = {
        ...(ids.length > 0 && { ids }),
        ...(isAny ? { state } : { state: 'given-up' }),
        ...{ type, since, until },
      }
      let replayed = 0
      for (let after: string | null | undefined; after !== null; ) {
        const some = await core.webhooks.replay(scope, unparsed({ ...wish, after }))
        replayed += some.replayed
        after = some.next
      }
      return { value: { replayed }, text: `${replayed} are posted again` }
    },
  }),
  verb({
    name: 'delete',
    about: 'remove the webhook; waiting events are not posted',
    run: async ({ core, scope }) => {
      const removed = await core.webhooks.remove(scope)
      return { value: removed, text: `Nothing is posted to ${removed.url} any more` }
    },
  }),
])
