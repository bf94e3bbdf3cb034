import { openMongoStore, type SentMongoCommand } from '@posthorn/adapters-mongo'
import { agendaJobs, nodeSecrets, objectIdGenerator, systemClock, systemSleep } from '@posthorn/adapters-node'
import { createCore, type ImportRow, type Log, type Scope, serverMailer } from '@posthorn/core'
import { inMemoryPorts, recordingMailer } from '@posthorn/testkit'
import { startJavaServer } from '../../packages/adapters-mongo/test/server/java-server.js'
import { routeOfCommand, shardsOfCommand } from './mongodb-routing.js'

/** How often each command was sent, by its name and collection, `find deliveries`, and where a cluster would send it if not to one shard. */
export type CommandCounts = Readonly<Record<string, number>>

const log: Log = (level, message, fields) => {
  if (level === 'error' || level === 'warn') console.error(message, fields)
}

/** Where a router would send it, beside those that go to one shard. */
const routeWords = { some: 'to the shards of its keys', all: 'to all shards' } as const

/** Of how many shards the routing is tried. */
const shardCount = 4
const noShards = (): number[] => Array.from({ length: shardCount }, () => 0)

/** A process's own clients, and what they have sent since they were asked last. */
const counting = () => {
  let counts: Record<string, number> = {}
  let onShards = noShards()
  let shardsTaken = onShards
  return {
    onCommand: (sent: SentMongoCommand) => {
      const { name, collection } = sent
      const route = routeOfCommand(sent)
      const key = `${[name, collection].join(' ').trim()}${route === undefined || route === 'one' ? '' : ` (${routeWords[route]})`}`
      counts[key] = (counts[key] ?? 0) + 1
      for (const shard of shardsOfCommand(sent, shardCount) ?? []) onShards[shard] = (onShards[shard] ?? 0) + 1
    },

    take: (): CommandCounts => {
      const taken = counts
      counts = {}
      shardsTaken = onShards
      onShards = noShards()
      return taken
    },
    /** How many of what was taken last each shard would have been sent. */
    shards: (): readonly number[] => shardsTaken,
  }
}

/** One Posthorn process on the database: what it keeps is there, mails and posts are taken at once. */
const processOn = async (url: string, workerName: string, onCommand: ReturnType<typeof counting>['onCommand']) => {
  const store = await openMongoStore({ url, log, onCommand })
  const { ports } = inMemoryPorts()
  const mailer = recordingMailer({ concurrency: 50 })
  const core = createCore({
    ...ports,
    ...store,
    mailers: serverMailer(mailer),
    clock: systemClock,
    sleep: systemSleep,
    newId: objectIdGenerator(systemClock),
    secrets: nodeSecrets(['a secret for measuring only']),
    jobs: agendaJobs({ backend: store.jobBackend, log }),
    log,
    settings: { ...ports.settings, workerName },
  })
  return { core, mailer, store }
}

type Scene = {
  readonly url: string
  readonly recipients: number
  /** Whether a second campaign is sent, of which a webhook hears. */
  readonly withWebhook?: boolean
  /** How long a worker has after its start, in which it looks once for memberships without a contact or a list: a quarter of a minute. */
  readonly startSeconds?: number
  /** How long the idle worker is watched, in seconds: a minute, unless told otherwise, in which it does all that it does now and then. */
  readonly idleSeconds?: number
  /** Hears of each measure as soon as it is taken. */
  readonly onMeasured?: (what: keyof MeasuredCommands, counts: CommandCounts, shards: readonly number[]) => void
}

export type MeasuredCommands = {
  /** Of 1,000 rows that are imported onto a list. */
  readonly import: CommandCounts
  /** Of 1,000 deliveries of a campaign that two workers send. */
  readonly campaign: CommandCounts
  /** The same, where a webhook asks for every `sent`: until the last event was posted. */
  readonly webhook: CommandCounts
  /** Of a second of one worker that has nothing to do. */
  readonly idle: CommandCounts
}

const per = (counts: CommandCounts, share: number): CommandCounts =>
  Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n * share]))

export const sumOf = (counts: CommandCounts): number => Object.values(counts).reduce((sum, n) => sum + n, 0)

const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await systemSleep(250)
}

/** What Posthorn sends to the database of that address, which is new, while it does each of these. Who asks how it goes counts for nothing. */
export const measureCommands = async ({
  url,
  recipients,
  withWebhook = true,
  startSeconds = 15,
  idleSeconds = 60,
  onMeasured = () => {},
}: Scene): Promise<MeasuredCommands> => {
  const measured = (what: keyof MeasuredCommands, counts: CommandCounts, share: number): CommandCounts => {
    const each = per(counts, share)
    onMeasured(
      what,
      each,
      counter.shards().map((n) => n * share),
    )
    return each
  }
  const share = 1000 / recipients
  const counter = counting()
  const api = await processOn(url, 'api', counter.onCommand)
  const workers = [await processOn(url, 'first', counter.onCommand), await processOn(url, 'second', counter.onCommand)]
  const watcher = await openMongoStore({ url, log })
  const { core } = api
  const account = await core.accounts.create({ name: 'Bench' })
  await core.accounts.addCredit(account._id, 4 * recipients)
  const project = await core.projects.create({ accountId: account._id, name: 'Bench' })
  await core.accessReviews.approve(project._id)
  const scope: Scope = { projectId: project._id, caller: 'operator' }
  await core.senderIdentities.create(scope, { email: 'post@example.com', name: 'Post', region: 'eu-west-1' })
  const list = await core.subscriberLists.create(scope, { name: 'Readers' })

  const rows = function* (): Generator<ImportRow> {
    for (let i = 0; i < recipients; i += 1)
      yield { line: i + 2, values: { email: `reader${i}@example.com`, name: `Reader ${i}` } }
  }
  counter.take()
  for await (const result of core.contacts.import(scope, rows(), { subscriberListId: list._id }))
    if (!result.ok) throw new Error(result.error)
  const imported = measured('import', counter.take(), share)

  const campaign = async () => {
    counter.take()
    const { _id } = await core.campaigns.create(scope, {
      name: 'Bench',
      subject: 'Hello {{contact.name}}',
      type: 'html',
      document: '<p>Dear {{contact.name}}</p><a href="{{unsubscribeLink}}">Unsubscribe</a>',
      timeZone: 'UTC',
      subscriberListId: list._id,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    await until(async () => {
      const { status, errorMessage } = (await watcher.repositories.campaigns.get({ _id })) ?? {}
      if (status === 'error') throw new Error(errorMessage)
      return status === 'sent'
    })
    const where = { projectId: project._id, state: ['pending'] }
    await until(async () => (await watcher.repositories.webhookDeliveries.get(where)) === undefined)
    return counter.take()
  }

  const [first, second] = workers
  await first?.core.worker.start()
  await systemSleep(startSeconds * 1_000)
  counter.take()
  await systemSleep(idleSeconds * 1_000)
  const idle = measured('idle', counter.take(), 1 / idleSeconds)

  await second?.core.worker.start()
  await systemSleep(startSeconds * 1_000)
  const plain = measured('campaign', await campaign(), share)
  const handed = workers.reduce((sum, { mailer }) => sum + mailer.sent.length, 0)
  if (handed !== recipients) throw new Error(`${handed} mails were sent to ${recipients} recipients`)

  if (withWebhook)
    await core.webhooks.set(scope, {
      url: 'https://hooks.example.com/',
      secretKey: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      sent: true,
    })
  const told = withWebhook ? measured('webhook', await campaign(), share) : {}
  for (const { core: worker } of workers) await worker.worker.stop()
  for (const { store } of [api, ...workers]) await store.close()
  await watcher.close()
  return { import: imported, campaign: plain, webhook: told, idle }
}

const shown = (title: string, counts: CommandCounts, shards: readonly number[]) => {
  console.log(`\n${title}: ${sumOf(counts).toFixed(1)}`)
  for (const [name, n] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    if (n >= 0.05) console.log(`  ${n.toFixed(1).padStart(8)}  ${name}`)
  console.log(
    `  on a cluster of ${shardCount} shards, each would be sent ${shards.map((n) => n.toFixed(1)).join(', ')}`,
  )
}

const titles: Readonly<Record<keyof MeasuredCommands, string>> = {
  import: 'per 1,000 rows imported onto a list',
  campaign: 'per 1,000 deliveries of a campaign',
  idle: 'per second of an idle worker',
  webhook: 'per 1,000 deliveries with a webhook on every sent, until the last event was posted',
}

/**
 * `npm run bench -- --store mongodb --only commands --recipients 10000`: what MongoDB is asked for, on mongo-java-server or the server of
 * `MONGODB_URL`. Numbers of commands say the same on every server; how long they take says nothing about a real one, and is not shown.
 */
export const benchCommands = async (recipients: number): Promise<void> => {
  const given = process.env.MONGODB_URL
  const server = given ? undefined : await startJavaServer()
  try {
    const url = given ?? `${server?.url}/posthorn_commands`
    console.log(`MongoDB commands, ${recipients} recipients, two workers`)
    await measureCommands({ url, recipients, onMeasured: (what, ...of) => shown(titles[what], ...of) })
  } finally {
    await server?.stop()
  }
}
