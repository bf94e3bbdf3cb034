import { execFile } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { receivingRelay } from '../../apps/server/test/receiving-relay.js'
import { bootstrapKey, checkout, freePort, idsIn, projectOf, stopServer } from '../../tests/server-process.js'
import { writeInstallation } from '../packing/installation.js'
import { bareMachine, variablesIn } from './bare-machine.js'
import { largeDump } from './listmonk-dump.js'

const contacts = 10_000
/** Per channel and worker, that were sent and not yet stored (packages/core/src/sending/README.md). */
const unconfirmed = 200
const mailsPerSecond = 150

const machine = bareMachine()
const installation = '/opt/posthorn'
const posthorn = `${installation}/node_modules/.bin/posthorn`
/** Of the first server, and of the one that takes over. */
const [user, nextUser] = [10_011, 10_012] as const
let relay: Awaited<ReturnType<typeof receivingRelay>>

beforeAll(async () => {
  const packed = machine.place(installation)
  await writeInstallation({ repository: 'https://git.example.com/posthorn.git', out: packed })
  const options = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', ['ci', ...options], { cwd: packed })
  await promisify(execFile)('chmod', ['-R', 'a+rX,a-w', packed])
  relay = await receivingRelay()
}, 900_000)
afterAll(async () => {
  await relay.close()
  chmodSync(machine.at(installation), 0o755)
  await promisify(execFile)('chmod', ['-R', 'u+w', machine.at(installation)])
  machine.remove()
}, 300_000)

/** posthorn.env, as an operator edits it. */
const edited = async (changes: Readonly<Record<string, string>> = {}) => ({
  ...variablesIn(readFileSync(join(checkout, 'deploy/systemd/posthorn.env'), 'utf8')),
  PORT: String(await freePort()),
  POSTHORN_SECRET: 'hB2mT6l0cY4q9vXr8sKfJ3wNzE5uAqPd',
  SMTP_URL: relay.url,
  POSTHORN_BOOTSTRAP_KEY: bootstrapKey,
  POSTHORN_BACKUP_PASSPHRASE: 'correct horse battery staple',
  ...changes,
})

/** Commands of the operator, as docs/deploy.md runs them beside the unit. */
const operator = (as: number, environment: Readonly<Record<string, string>>, dataDirectory = '/var/lib/posthorn') => {
  const inside = { ...environment, POSTHORN_DATA_DIR: machine.here(`${dataDirectory}/`).slice(0, -1) }
  return async (...args: readonly string[]) => {
    const printed = await machine.run({ user: as, environment: inside, directory: '/var' }, posthorn, ...args)
    note(`$ posthorn ${args.join(' ')}`, printed.stdout + printed.stderr, `exit code ${printed.code}`)
    return printed
  }
}

/** A transcript, in the file that JOURNEY_TRANSCRIPT names. */
const said: string[] = []
const note = (...lines: readonly string[]) => {
  said.push(...lines)
  const { JOURNEY_TRANSCRIPT: file } = process.env
  if (file !== undefined) writeFileSync(file, `${said.join('\n')}\n`.replaceAll(machine.at('/').slice(0, -1), ''))
}

const addressesIn = (csv: string): readonly string[] =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '')

type Server = Awaited<ReturnType<typeof machine.startUnit>>
type Command = ReturnType<typeof operator>

/** Everybody of listmonk's export, in the first project; answers who gets mail of its list, and who does not. */
const migrated = async (command: Command, project: string) => {
  const { text, readers, others } = largeDump(contacts)
  const dump = machine.at('/var/backups/listmonk.sql')
  writeFileSync(dump, text)
  machine.give('/var/backups/listmonk.sql', user)
  const migration = ['migrate-from', 'listmonk', dump, '--project', project]
  const [tried, done] = [await command(...migration, '--dry-run'), await command(...migration)]
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was written.') })
  // The kept dump has two subscribers who cannot be imported.
  const taken = new RegExp(`Contacts: ${readers.length + others.length + 5} created, .* 2 not taken`)
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(taken) })
  return { readers, others }
}

const campaignTo = async (server: Server, listName: string) => {
  const api = projectOf(server)
  const { items } = await api.get('/subscriber-lists?limit=50')
  const { _id } = await api.post('/campaigns', {
    ...{ name: 'News', subject: 'News', type: 'text', document: 'Leave: {{unsubscribeLink}}', timeZone: 'UTC' },
    subscriberListId: items.find(({ name }) => name === listName)?._id ?? '',
    ...{ status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' },
  })
  return _id ?? ''
}

/** As long as thousands of mails may take on a busy machine. */
const patience = { timeout: 300_000 }
const sent = async (atLeast: number) => {
  await expect.poll(() => relay.received.length, patience).toBeGreaterThan(atLeast)
}

/** How many mails had left when the backup began, and to whom until the kill. */
const backedUpAndKilled = async (server: Server, command: Command, archive: string) => {
  await sent(contacts * 0.3)
  const before = relay.received.length
  expect(await command('backup', machine.at(archive))).toMatchObject({ code: 0 })
  const after = relay.received.length
  await sent(after + 100)
  expect(await stopServer(server, 'SIGKILL')).toBe(null)
  await expect.poll(relay.connections).toBe(0)
  note('$ kill -9 the server, which had printed:', server.printed())
  const killed = relay.received.map(({ to }) => to)
  expect(killed.length).toBeLessThan(contacts)
  note(`(${before} mails had left when the backup began, ${after} when it was made, ${killed.length} at the kill)`)
  return { before, killed }
}

/** What is said to a user who may read neither the backup nor the data directory of the first server. */
const refusals = async (command: Command, archive: string, elsewhere: Command) => {
  const said = [await command('restore', machine.at(archive)), await elsewhere('campaign', 'list')]
  return said.map(({ code, stderr }) => [code, stderr.replaceAll(machine.at('/'), '/').replaceAll(/\(.*?\)/g, '(…)')])
}

/** Who got the mail, as a store knows it. */
const sentOf = async (command: Command, campaign: string, table: string): Promise<ReadonlySet<string>> => {
  const asked = ['campaign', 'recipients', campaign, machine.at(table), '--status', 'sent']
  expect(await command(...asked)).toMatchObject({ code: 0 })
  return new Set(addressesIn(readFileSync(machine.at(table), 'utf8')))
}

const refusedToOthers = (archive: string) => [
  [
    1,
    `error: The backup ${archive} cannot be read by this user (…). Only who made it can: give this user a copy of its own.\n`,
  ],
  [1, 'error: The data directory /var/lib/posthorn cannot be used (…). Run this as the user of the server.\n'],
]

/** Who got the mail before the backup, as the restored store knows it. */
const restored = async (command: Command, archive: string, campaign: string): Promise<ReadonlySet<string>> => {
  machine.directoryOf(nextUser, '/var/restoring')
  cpSync(machine.at(archive), machine.at('/var/restoring/today.tar'))
  machine.give('/var/restoring/today.tar', nextUser)
  const held = '1 campaign is held back'
  expect(await command('restore', machine.at('/var/restoring/today.tar'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(held),
  })
  expect(await command('store', 'check')).toMatchObject({ code: 0 })
  return sentOf(command, campaign, '/var/restoring/sent.csv')
}

it(`from an installation to the last of ${contacts} mails: migrated from listmonk, backed up and killed while sending, restored as another user`, async () => {
  machine.directoryOf(user, '/var/lib/posthorn')
  machine.directoryOf(user, '/var/backups')
  const environment = await edited({ POSTHORN_MAIL_RATE: String(mailsPerSecond) })
  const first = await machine.startUnit(user, environment)
  const ids = idsIn(first.printed())
  const command = operator(user, environment)
  expect(await command('doctor')).toMatchObject({ code: 0 })
  const { readers, others } = await migrated(command, ids.project)
  expect(await command('access', 'approve', ids.project)).toMatchObject({ code: 0 })
  expect(await command('credit', 'add', ids.account, '5000')).toMatchObject({ code: 0 })
  const campaign = await campaignTo(first, 'Default list')
  const archive = '/var/backups/today.tar'
  const { before, killed } = await backedUpAndKilled(first, command, archive)
  const stored = await sentOf(command, campaign, '/var/backups/sent.csv')
  expect([...stored].filter((address) => !killed.includes(address))).toEqual([])
  expect(killed.length - stored.size).toBeLessThanOrEqual(unconfirmed)

  const there = '/var/lib/posthorn-restored'
  machine.directoryOf(nextUser, there)
  const nextEnvironment = await edited()
  const next = operator(nextUser, nextEnvironment, there)
  const closed = machine.isRoot ? await refusals(next, archive, operator(nextUser, nextEnvironment)) : []
  expect(closed).toEqual(machine.isRoot ? refusedToOthers(archive) : [])
  const known = await restored(next, archive, campaign)

  const second = await machine.startUnit(nextUser, nextEnvironment, there)
  const again = projectOf(second, ids)
  expect(await again.get(`/campaigns/${campaign}`)).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('Held back after a restore'),
  })
  expect(relay.received.length).toBe(killed.length)
  expect(await next('restore', '--release')).toMatchObject({
    code: 0,
    stdout: '1 campaign continues\n',
  })
  await expect.poll(async () => (await again.get(`/campaigns/${campaign}`)).status, patience).toBe('sent')
  expect(await next('campaign', 'report', campaign)).toMatchObject({ code: 0 })
  expect(await next('doctor')).toMatchObject({ code: 0 })
  expect(await stopServer(second)).toBe(0)
  note('$ stop the second server, which had printed:', second.printed())

  const times = new Map<string, number>()
  for (const { to } of relay.received) times.set(to, (times.get(to) ?? 0) + 1)
  expect(new Set(times.keys())).toEqual(new Set(readers))
  expect(others.filter((address) => times.has(address))).toEqual([])
  const twice = [...times].filter(([, count]) => count > 1)
  expect(twice.filter(([, count]) => count > 2)).toEqual([])
  // Sent between backup and kill, which the backup cannot know, and what was in transfer at the backup.
  expect(new Set(twice.map(([address]) => address))).toEqual(new Set(killed.filter((address) => !known.has(address))))
  expect(killed.slice(0, before).filter((address) => !known.has(address)).length).toBeLessThanOrEqual(unconfirmed)
  note(`(${times.size} of ${readers.length} recipients got the mail, ${twice.length} of them twice, nobody more often)`)
}, 900_000)

it('a store of an earlier version is opened by a new installation, and everything is there', async () => {
  const there = '/var/lib/posthorn-earlier'
  machine.directoryOf(user, there)
  const file = `${there}/posthorn.db`
  const fixture = readFileSync(join(checkout, 'tests/fixtures/store-v2.db.gz'))
  writeFileSync(machine.at(file), gunzipSync(fixture), { mode: 0o600 })
  machine.give(file, user)
  const environment = await edited()
  const server = await machine.startUnit(user, environment, there)
  expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
  const { stdout } = await operator(user, environment, there)('store', 'check', '--json')
  // The kept store has no files beside it.
  expect(JSON.parse(stdout)).toMatchObject({ counts: { contacts: 610, campaigns: 2, projects: 2 } })
  expect(await stopServer(server)).toBe(0)
})
