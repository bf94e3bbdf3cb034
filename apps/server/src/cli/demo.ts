import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Core, ImportRow, Repositories, Scope } from '@posthorn/core'
import type { Command } from 'commander'
import { type Bootstrapped, bootstrap } from '../bootstrap.js'
import { type Config, readConfig } from '../config.js'
import { endOnSignal } from '../ending.js'
import { type RunningServer, startServer } from '../server.js'
import { tokens } from '../tokens.js'
import { progressText, watchCampaign } from './campaigns.js'
import { CommandFailure, type Output, outputOf } from './output.js'
import { progressBar } from './progress-bar.js'

type Options = { readonly contacts: string; readonly fresh?: boolean; readonly exit?: boolean }

const cities = ['Vienna', 'Lisbon', 'Oslo', 'Kyoto', 'Lima', 'Nairobi', 'Quebec']
const domains = ['example.com', 'example.org', 'example.net']

const generated = function* (n: number): Generator<ImportRow> {
  for (let i = 1; i <= n; i += 1) {
    const number = String(i).padStart(4, '0')
    const joined = new Date(Date.UTC(2020, 0, 1 + (i % 2000))).toISOString().slice(0, 10)
    const values = {
      email: `contact-${number}@${domains[i % 3]}`,
      name: `Contact ${number}`,
      city: cities[i % cities.length],
      plan: i % 4 === 0 ? 'pro' : 'free',
      joined,
    }
    yield { line: i + 1, values }
  }
}

const feed = {
  articles: [
    { title: 'A ledger for every mail', link: 'https://example.com/ledger' },
    { title: 'What a crash cannot lose', link: 'https://example.com/crash' },
    { title: 'Feeds in a campaign', link: 'https://example.com/feeds' },
  ],
}

const template = `<!doctype html>
<html><body style="font:16px/1.5 system-ui,sans-serif;color:#1d2430;max-width:34rem;margin:auto;padding:1rem">
<h1 style="font-size:1.4rem">Hello {{contact.name}}</h1>
<p>Greetings to {{DEFAULT contact.city "wherever you are"}}.</p>
{{#if (EQ contact.plan "pro")}}<p><strong>Thank you for being on the pro plan.</strong></p>{{else}}<p>You are on the free plan.</p>{{/if}}
<h2 style="font-size:1.1rem">News</h2>
<ul>{{#each news.articles limit=2}}<li><a href="{{link}}">{{title}}</a></li>{{/each}}</ul>
<p><a href="{{unsubscribeLink}}">Unsubscribe</a> or <a href="{{pauseSubscriptionLink}}">pause</a></p>
</body></html>`

/** A feed of the demo's own, on this machine, so that it needs no network. */
const serveFeed = (): Promise<{ server: Server; url: string }> =>
  new Promise((resolve) => {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(feed))
    })
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/news.json` }),
    )
  })

const unfinished = async (repositories: Repositories) =>
  repositories.campaigns.get({ status: ['being-sent', 'scheduled'] })

const importContacts = async (core: Core, scope: Scope, listId: string, n: number, quiet: boolean) => {
  for (const [name, type] of [
    ['city', 'string'],
    ['plan', 'string'],
    ['joined', 'date'],
  ] as const)
    await core.customFields.create(scope, { name, type })
  const bar = quiet ? undefined : progressBar('Importing')
  let done = 0
  for await (const result of core.contacts.import(scope, generated(n), { subscriberListId: listId })) {
    if (!result.ok) throw new CommandFailure(`Row ${result.line}: ${result.error}`)
    done += 1
    if (done % 100 === 0) bar?.show(done / n, `${done} contacts`)
  }
  bar?.end()
}

const prepare = async ({ core }: RunningServer, made: Bootstrapped, n: number, feedUrl: string, output: Output) => {
  const scope: Scope = { projectId: made.projectId, via: 'operator' }
  await core.accounts.addCredit(made.accountId, n)
  await core.projects.approveProduction(made.projectId, {})
  await importContacts(core, scope, made.listId, n, output.json)
  return core.campaigns.create(scope, {
    name: 'Demo',
    subject: 'Hello {{contact.name}}, news from {{contact.city}}',
    previewText: 'Two articles and a greeting',
    type: 'html',
    document: template,
    feeds: [{ url: feedUrl, feedType: 'json', variableName: 'news' }],
    timeZone: 'UTC',
    subscriberListId: made.listId,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
}

const demoConfig = (): Config => {
  const config = readConfig(process.env)
  const mailer = { mailer: 'outbox', smtpUrl: undefined } as const
  return {
    ...config,
    ...mailer,
    store: 'sqlite',
    dataDir: join(config.dataDir, 'demo'),
    allowPrivateFeeds: true,
    roles: new Set(['api', 'worker']),
    logLevel: 'error',
  }
}

const run = async ({ contacts, fresh, exit }: Options, output: Output) => {
  const n = Number(contacts)
  if (!Number.isInteger(n) || n < 1 || n > 1_000_000)
    throw new CommandFailure('--contacts: expected a number from 1 to 1000000', 2)
  const config = demoConfig()
  if (fresh) rmSync(config.dataDir, { recursive: true, force: true })
  let server = await startServer(config)
  let going = await unfinished(server.container.get(tokens.store).repositories)
  const before = (await server.core.accounts.list()).length > 0
  if (!going && before) {
    await server.stop()
    rmSync(config.dataDir, { recursive: true, force: true })
    server = await startServer(config)
  }
  endOnSignal(server)
  const { server: feedServer, url } = await serveFeed()
  const [region = ''] = config.regions
  const made = going
    ? undefined
    : await bootstrap(server.core, { key: config.bootstrapKey, region, name: 'Posthorn demo' })
  if (going) output.note('An earlier demo was interrupted: its campaign goes on')
  if (made) {
    const campaign = await prepare(server, made, n, url, output)
    going = await server.container.get(tokens.store).repositories.campaigns.get({ _id: campaign._id })
  }
  if (!going) throw new CommandFailure('The demo has no campaign.')
  const { _id, projectId } = going
  const progress = await watchCampaign(
    () => server.core.campaigns.progress({ projectId, via: 'operator' }, _id),
    output.json,
  )
  feedServer.close()
  output.result(
    {
      campaignId: _id,
      projectId,
      ...progress,
      base: server.base,
      outbox: join(config.dataDir, 'outbox'),
      ...(made && { key: made.key }),
    },
    `${progressText(progress)}

  The mail   ${server.base}/outbox   (files in ${join(config.dataDir, 'outbox')})
  The API    ${server.base}/docs${made ? `\n  API key    ${made.key}` : ''}
${exit ? '' : '\n  Ctrl-C ends the server; the data stays until the next demo.'}`,
  )
  if (exit) await server.stop()
}

/** `posthorn demo`: a campaign to 1,000 generated contacts, on a data directory of its own. */
export const demoCommand = (program: Command): void => {
  program
    .command('demo')
    .option('--contacts <n>', 'how many contacts', '1000')
    .option('--fresh', 'begin anew although an earlier demo was interrupted')
    .option('--exit', 'end when the campaign has been sent')
    .description('send a personalised campaign to generated contacts, into the outbox')
    .action(async (options: Options, command: Command) => {
      await run(options, outputOf(command))
      if (options.exit) process.exit(0)
    })
}
