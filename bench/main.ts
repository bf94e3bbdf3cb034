import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  agendaJobs,
  dnsLookup,
  htmlToPlainText,
  httpEventPoster,
  httpFeedReader,
  localFiles,
  nodeSecrets,
  objectIds,
  siteverifyChallenge,
  svgCaptchaDrawing,
  systemClock,
  systemSleep,
  templateTrial,
  tenantThreads,
} from '@posthorn/adapters-node'
import { relayIdentities, smtpMailer } from '@posthorn/adapters-smtp'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import {
  anyDomain,
  type Core,
  createCore,
  type ImportRow,
  type Scope,
  serverMailer,
  standardSettings,
} from '@posthorn/core'

/** What `npm run bench -- <recipients>` measures: this machine, SQLite durable, an SMTP sink in a second process. */
const recipients = Number(process.argv[2] ?? 50_000)
const transactional = 20_000

const say = (what: string, n: number, milliseconds: number) =>
  console.log(
    `${what.padEnd(58)} ${String(Math.round((n / milliseconds) * 1000)).padStart(7)} /s   ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
  )

const timed = async <T>(run: () => Promise<T>): Promise<{ value: T; milliseconds: number }> => {
  const started = process.hrtime.bigint()
  const value = await run()
  return { value, milliseconds: Number(process.hrtime.bigint() - started) / 1e6 }
}

const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const sink = fork(fileURLToPath(new URL('./smtp-sink.ts', import.meta.url)))
const port = await new Promise<number>((resolve) =>
  sink.once('message', (message) => resolve((message as { port: number }).port)),
)

const directory = mkdtempSync(join(tmpdir(), 'posthorn-bench-'))
const log = (level: string, message: string, fields?: object) => {
  if (level === 'error' || level === 'warn') console.error(message, fields)
}
const store = openSqliteStore({ file: join(directory, 'posthorn.db') })
const threads = tenantThreads()
const core: Core = createCore({
  ...store,
  clock: systemClock,
  sleep: systemSleep,
  newId: objectIds(systemClock),
  secrets: nodeSecrets(['a secret for measuring only']),
  jobs: agendaJobs({ backend: store.jobBackend, log }),
  files: localFiles(join(directory, 'files')),
  mailers: serverMailer(smtpMailer({ host: '127.0.0.1', port, pool: 10, log })),
  feedReader: httpFeedReader(threads),
  eventPoster: httpEventPoster(),
  plainText: htmlToPlainText(threads),
  templateTrial: templateTrial(threads),
  dns: dnsLookup(),
  identities: relayIdentities({ relayDomain: 'mail.example.com' }),
  drawCaptcha: svgCaptchaDrawing,
  domainVerified: anyDomain,
  verifyChallenge: siteverifyChallenge({ url: 'http://127.0.0.1:9/' }),
  log,
  settings: { ...standardSettings, publicUrl: 'https://mail.example.com', workerName: 'bench' },
})

const account = await core.accounts.create({ name: 'Bench' })
await core.accounts.addCredit(account._id, 10 * (recipients + transactional))
const project = await core.projects.create({ accountId: account._id, name: 'Bench' })
await core.accessReviews.approve(project._id)
const scope: Scope = { projectId: project._id, via: 'operator' }
await core.senderIdentities.create(scope, { email: 'post@example.com', name: 'Post', region: 'eu-west-1' })
const list = await core.subscriberLists.create(scope, { name: 'Readers' })
await core.customFields.create(scope, { name: 'city', type: 'string' })

const rows = function* (): Generator<ImportRow> {
  for (let i = 0; i < recipients; i += 1)
    yield { line: i + 2, values: { email: `reader${i}@example.com`, name: `Reader ${i}`, city: `City ${i % 100}` } }
}
const imported = await timed(async () => {
  for await (const result of core.contacts.import(scope, rows(), { subscriberListId: list._id }))
    if (!result.ok) throw new Error(result.error)
})
say(`import of ${recipients} contacts onto a list`, recipients, imported.milliseconds)

const paragraph =
  '<p style="margin:0 0 1em">Dear {{contact.name}} in {{contact.city}}, this is a paragraph of an ordinary length that says nothing of note.</p>\n'
const document = `<html><body>${paragraph.repeat(3)}${'<p>Words that are the same for everybody, as most of a newsletter is, line after line.</p>\n'.repeat(45)}<a href="{{unsubscribeLink}}">Unsubscribe</a></body></html>`

await core.worker.start()
const sent = await timed(async () => {
  const { _id } = await core.campaigns.create(scope, {
    name: 'Bench',
    subject: 'Hello {{contact.name}}',
    type: 'html',
    document,
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  for (;;) {
    const { status, errorMessage } = await core.campaigns.get(scope, _id)
    if (status === 'sent') return core.campaigns.progress(scope, _id)
    if (status === 'error') throw new Error(errorMessage)
    await systemSleep(20)
  }
})
if (sent.value.deliveries.sent !== recipients) throw new Error(JSON.stringify(sent.value))
say(`campaign of 5 kB to ${recipients}, durable ledger, SMTP`, recipients, sent.milliseconds)

const receipt = await core.transactionalEmails.create(scope, {
  name: 'Receipt',
  subject: 'Receipt {{n}}',
  type: 'html',
  document: '<p>{{n}}</p>',
})
const waits: number[] = []
const accepted = await timed(async () => {
  let next = 0
  const client = async () => {
    while (next < transactional) {
      next += 1
      const { milliseconds } = await timed(() =>
        core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: receipt._id, data: { n: next } }),
      )
      waits.push(milliseconds)
    }
  }
  await Promise.all(Array.from({ length: 50 }, client))
})
waits.sort((a, b) => a - b)
say('send-transactional, durable, 50 at once, while they are sent', transactional, accepted.milliseconds)
console.log(`  p50 ${percentile(waits, 0.5).toFixed(1)} ms, p99 ${percentile(waits, 0.99).toFixed(1)} ms`)

await core.worker.stop()
await store.close()
sink.disconnect()
rmSync(directory, { recursive: true, force: true })
process.exit(0)
