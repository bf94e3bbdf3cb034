import type { Core, ImportRow, Scope } from '@posthorn/core'
import type { Bootstrapped } from '../bootstrap.js'
import { CommandFailure, type ProgressBar } from './output.js'

const cities = ['Vienna', 'Lisbon', 'Oslo', 'Kyoto', 'Lima', 'Nairobi', 'Quebec']
const domains = ['example.com', 'example.org', 'example.net']

/** Reserved domains show that the contacts are not real. */
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

export const demoFeed = {
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

const importContacts = async (core: Core, scope: Scope, listId: string, n: number, bar?: ProgressBar) => {
  for (const [name, type] of [
    ['city', 'string'],
    ['plan', 'string'],
    ['joined', 'date'],
  ] as const)
    await core.customFields.create(scope, { name, type })
  let done = 0
  for await (const result of core.contacts.import(scope, generated(n), { subscriberListId: listId })) {
    if (!result.ok) throw new CommandFailure(`Row ${result.line}: ${result.error}`)
    done += 1
    if (done % 100 === 0) bar?.show(done / n, `${done} contacts`)
  }
  bar?.end()
}

/** Approves the project, imports `n` generated contacts and schedules a campaign; returns its id. */
export const prepareDemo = async (
  core: Core,
  made: Bootstrapped,
  { n, feedUrl, bar }: { readonly n: number; readonly feedUrl: string; readonly bar: ProgressBar | undefined },
): Promise<string> => {
  const scope: Scope = { projectId: made.projectId, caller: 'operator' }
  await core.accounts.addCredit(made.accountId, n)
  await core.accessReviews.approve(made.projectId)
  await importContacts(core, scope, made.listId, n, bar)
  const campaign = await core.campaigns.create(scope, {
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
  return campaign._id
}
