import type { WebhookView } from '@posthorn/core'
import { unparsed, WebhookFields, webhookEventTypes } from '@posthorn/core/ports'
import { Option } from 'commander'
import { type Columns, cardOf, resourceCommands, verb } from './resource.js'

const { url: _url, secretKey: _secretKey, ...switches } = WebhookFields.shape
const kinds = Object.keys(switches) as (keyof typeof switches)[]

const columns: Columns<WebhookView> = {
  URL: ({ url }) => url,
  EVENTS: (webhook) => kinds.filter((kind) => webhook[kind]).join(', ') || 'none',
  DISABLED: ({ disabled }) => (disabled ? `${disabled.reason}, since ${disabled.since}` : 'no'),
}

/** A secret is not shown on a screen; `--json` has it, as the API does. */
const said = (webhook: WebhookView) => ({ value: webhook, text: cardOf(columns, webhook) })

/** `posthorn webhook …`: a project has one. */
export const webhookCommands = resourceCommands('webhook', 'where the project’s events are posted to', [
  verb({
    name: 'show',
    about: 'the webhook, and what is posted to it',
    run: async ({ core, scope }) => {
      const webhook = await core.webhooks.get(scope)
      return webhook ? said(webhook) : { value: null, text: 'There is no webhook yet.' }
    },
  }),
  verb<{ readonly secret: string; readonly events: string }>({
    name: 'create',
    about: 'post events to a URL; replaces the webhook that is there',
    takes: [['<url>', 'what receives them']],
    options: () => [
      new Option('--secret <secret>', 'whsec_… , or an API key of the project').makeOptionMandatory(),
      new Option('--events <kinds>', `${kinds.join(', ')}; separated by commas`).default(kinds.join(',')),
    ],
    run: async ({ core, scope }, [url], { secret, events }) => {
      const asked = Object.fromEntries(events.split(',').map((kind) => [kind.trim(), true]))
      return said(await core.webhooks.set(scope, unparsed({ url, secretKey: secret, ...asked })))
    },
  }),
  verb({
    name: 'test',
    about: 'post a made-up event now',
    takes: [['<event>', webhookEventTypes.join(', ')]],
    run: async ({ core, scope }, [type]) => ({
      value: await core.webhooks.test(scope, unparsed({ type })),
      text: 'The receiver took it',
    }),
  }),
  verb({
    name: 'delete',
    about: 'post nothing any more, nor what still waits',
    run: async ({ core, scope }) => {
      const removed = await core.webhooks.remove(scope)
      return { value: removed, text: `Nothing is posted to ${removed.url} any more` }
    },
  }),
])
