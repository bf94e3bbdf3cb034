import type { WebhookView } from '@posthorn/core'
import { type WebhookLogEntry, webhookDeliveryStates } from '@posthorn/core/ports/storage'
import {
  type ReplayEvents,
  uncheckedInput,
  type WebhookEndpointView,
  WebhookFields,
  webhookEventTypes,
} from '@posthorn/core/ports/transport'
import { Option } from 'commander'
import {
  itemsTextTable,
  itemTextTable,
  listVerb,
  type PagingCommandOptions,
  pagingCommandOptions,
  projectCommandVerb,
  resourceCommands,
  type TextTableColumns,
  withSkipAndLimitHint,
} from './commands.js'

const { url: _url, secretKey: _secretKey, batches: _batches, ...switches } = WebhookFields.shape
const kinds = Object.keys(switches) as (keyof typeof switches)[]

const columns: TextTableColumns<WebhookView> = {
  URL: ({ url }) => url,
  EVENTS: (webhook) => kinds.filter((kind) => webhook[kind]).join(', ') || 'none',
  BATCHES: ({ batches }) => (batches ? 'up to 100 events a post' : 'no'),
  FAILING: ({ failing }) => (failing ? `${failing.reason}, since ${failing.since}` : 'no'),
  DISABLED: ({ disabled }) => (disabled ? `${disabled.reason}, since ${disabled.since}` : 'no'),
}

const endpointColumns: TextTableColumns<WebhookEndpointView> = {
  ID: ({ _id }) => _id,
  URL: ({ url }) => url,
  DESCRIPTION: ({ description }) => description,
  EVENTS: ({ types }) => types.join(', '),
  FAILING: ({ failing }) => (failing ? `${failing.reason}, since ${failing.since}` : 'no'),
  DISABLED: ({ disabled }) => (disabled ? `${disabled.reason}, since ${disabled.since}` : 'no'),
}

type Which = { readonly id?: string }
const which = () =>
  new Option('--id <id>', 'another webhook, as `webhooks list` shows it; without it: the one of `webhook show`')

/** Only `--json` contains the secret. */
const said = (webhook: WebhookView) => ({ value: webhook, text: itemTextTable(columns, webhook) })

const logColumns: TextTableColumns<WebhookLogEntry> = {
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

export const webhookCommands = resourceCommands(['webhook', 'webhooks'], 'where the project’s events are posted to', [
  listVerb<WebhookEndpointView>({
    about: 'all webhooks of the project',
    columns: endpointColumns,
    none: () => 'There is no webhook yet.',
    list: ({ core, scope }, page) => core.webhooks.endpoints.list(scope, page),
  }),
  projectCommandVerb<{
    readonly secret?: string
    readonly types?: string
    readonly description?: string
    readonly batches?: boolean
  }>({
    name: 'add',
    about: 'post events to a further URL; prints the generated secret once',
    takes: [['<url>', 'what receives them']],
    options: () => [
      new Option('--secret <secret>', 'whsec_… , or an API key of the project; without it one is generated'),
      new Option('--types <types>', `${webhookEventTypes.join(', ')}; separated by commas; without it all`),
      new Option('--description <text>', 'what it is for'),
      new Option('--batches', 'post up to 100 events together'),
    ],
    run: async ({ core, scope }, [url], { secret, types, description, batches = false }) => {
      const made = await core.webhooks.endpoints.create(
        scope,
        uncheckedInput({
          url,
          batches,
          ...(secret !== undefined && { secretKey: secret }),
          ...(types !== undefined && { types: types.split(',').map((type) => type.trim()) }),
          ...(description !== undefined && { description }),
        }),
      )
      const shown = itemTextTable(endpointColumns, made)
      return { value: made, text: secret === undefined ? `${shown}\nSecret, shown only now: ${made.secretKey}` : shown }
    },
  }),
  projectCommandVerb({
    name: 'show',
    about: 'the webhook and its events',
    run: async ({ core, scope }) => {
      const webhook = await core.webhooks.get(scope)
      return webhook ? said(webhook) : { value: null, text: 'There is no webhook yet.' }
    },
  }),
  projectCommandVerb<{ readonly secret: string; readonly events: string; readonly batches?: boolean }>({
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
      return said(await core.webhooks.set(scope, uncheckedInput({ url, secretKey: secret, batches, ...asked })))
    },
  }),
  projectCommandVerb<Which>({
    name: 'test',
    about: 'post a sample event now',
    takes: [['<event>', webhookEventTypes.join(', ')]],
    options: () => [which()],
    run: async ({ core, scope }, [type], { id }) => ({
      value: id
        ? await core.webhooks.endpoints.test(scope, id, uncheckedInput({ type }))
        : await core.webhooks.test(scope, uncheckedInput({ type })),
      text: 'The receiver took it',
    }),
  }),
  projectCommandVerb<Which>({
    name: 'enable',
    about: 'post again after three days of failures switched it off',
    options: () => [which()],
    run: async ({ core, scope }, _args, { id }) => {
      if (!id) return said(await core.webhooks.enable(scope))
      const value = await core.webhooks.endpoints.update(scope, id, { enabled: true })
      return { value, text: itemTextTable(endpointColumns, value) }
    },
  }),
  projectCommandVerb<Wanted & Which & PagingCommandOptions>({
    name: 'log',
    about: 'events for the webhook with their results, the newest first',
    options: () => [which(), ...wanted(), ...pagingCommandOptions()],
    run: async ({ core, scope }, _args, { id, state, type, limit, skip }) => {
      const filter = { ...(state && { state }), ...(type && { type }) }
      const items: WebhookLogEntry[] = []
      let count = 0
      do {
        const page = { skip: skip + items.length, limit: Math.min(listed, limit - items.length) }
        const query = { ...page, filter }
        const found = id ? await core.webhooks.endpoints.log(scope, id, query) : await core.webhooks.log(scope, query)
        count = found.count
        items.push(...found.items)
        if (found.items.length < page.limit) break
      } while (items.length < limit)
      const text = withSkipAndLimitHint(itemsTextTable(logColumns, items), { items, count }, { skip, limit })
      return { value: items, text: items.length === 0 ? 'There is nothing in the log.' : text }
    },
  }),
  projectCommandVerb<Wanted & Which & { readonly since?: string; readonly until?: string }>({
    name: 'replay',
    about: 'post events of the log again, under the same ids; by default those that were given up',
    takes: [['[ids...]', 'their ids, as the log shows them']],
    options: () => [
      which(),
      ...wanted(),
      new Option('--since <instant>', 'those told then or later'),
      new Option('--until <instant>', 'those told before'),
    ],
    run: async ({ core, scope }, given, { id, state, type, since, until }) => {
      const ids = given.flatMap((some) => some.split(',')).filter((id) => id !== '')
      const isAny = ids.length > 0 || state !== undefined
      const wish = {
        ...(ids.length > 0 && { ids }),
        ...(isAny ? { state } : { state: 'given-up' }),
        ...{ type, since, until },
      }
      let replayed = 0
      for (let after: string | null | undefined; after !== null; ) {
        const asked = uncheckedInput<ReplayEvents>({ ...wish, after })
        const some = id
          ? await core.webhooks.endpoints.replay(scope, id, asked)
          : await core.webhooks.replay(scope, asked)
        replayed += some.replayed
        after = some.next
      }
      return { value: { replayed }, text: `${replayed} are posted again` }
    },
  }),
  projectCommandVerb<Which>({
    name: 'delete',
    about: 'remove the webhook; waiting events are not posted',
    options: () => [which()],
    run: async ({ core, scope }, _args, { id }) => {
      const removed = id ? await core.webhooks.endpoints.remove(scope, id) : await core.webhooks.remove(scope)
      return { value: removed, text: `Nothing is posted to ${removed.url} any more` }
    },
  }),
])
