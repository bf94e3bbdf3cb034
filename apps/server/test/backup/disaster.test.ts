import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import {
  countMails,
  projectOf,
  readMails,
  runCommand,
  startBuiltServer,
  startCommand,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../../tests/server-process.js'

let data = temporaryDirectory()
let out = temporaryDirectory()
afterEach(() => {
  for (const one of [data, out]) one.remove()
  data = temporaryDirectory()
  out = temporaryDirectory()
})

const passphrase = { POSTHORN_BACKUP_PASSPHRASE: 'correct horse battery staple' }
const at = (path: string) => ({ POSTHORN_DATA_DIR: path, ...passphrase })

const sizeBelow = (path: string): number =>
  existsSync(path)
    ? readdirSync(path, { recursive: true }).reduce((sum, name) => {
        const found = statSync(join(path, String(name)), { throwIfNoEntry: false })
        return sum + (found?.isFile() ? found.size : 0)
      }, 0)
    : 0

describe.each(['backup', 'backup.tar'])('a backup that is killed, to %s,', (name) => {
  it('leaves nothing that a restore takes, and the next one is made', async () => {
    await runCommand(['store', 'create'], at(data.path))
    const files = join(data.path, 'files')
    const large = join(files, 'large')
    mkdirSync(files)
    writeFileSync(large, '')
    truncateSync(large, 1_000_000_000)
    const target = join(out.path, name)
    const { child, ended } = startCommand(['backup', target], at(data.path))
    await until(() => sizeBelow(out.path) > 2_000_000)
    child.kill('SIGKILL')
    expect(await ended).toMatchObject({ code: null })
    expect(existsSync(target)).toBe(false)

    const left = readdirSync(out.path).filter((one) => one.endsWith('.part'))
    expect(left).toHaveLength(1)
    for (const part of [join(out.path, left[0] ?? ''), join(out.path, left[0] ?? '', 'backup')]) {
      const restored = await runCommand(['restore', part], at(join(out.path, 'restored')))
      expect(restored.code).toBe(1)
      expect(restored.stderr).toMatch(/no whole backup|is damaged/)
    }

    rmSync(large)
    // The lease of a process that is gone ends after ten seconds.
    const then = new Date(Date.now() - 11_000)
    utimesSync(join(files, '.backup', 'lease'), then, then)
    expect(await runCommand(['backup', target], at(data.path))).toMatchObject({ code: 0 })
    expect(await runCommand(['backup', 'verify', target], at(data.path))).toMatchObject({ code: 0 })
  }, 180_000)
})

const recipients = 300

const addressesIn = async (path: string) =>
  (await readMails(path)).flatMap(({ subject, to }) =>
    subject === 'News' ? (to ?? []).flatMap(({ address = '' }) => address) : [],
  )

const sentIn = async (path: string): Promise<readonly string[]> => {
  const { deliveries, repositories, close } = openSqliteStore({ file: join(path, 'posthorn.db') })
  const sent: string[] = []
  for await (const { _id, kind } of repositories.dispatches.each({}))
    if (kind === 'campaign') for await (const { email } of deliveries.each(_id, 'sent')) sent.push(email)
  await close()
  return sent
}

it('a campaign is finished from a backup that was made while it was sent: nobody is lost, and only mails that were sent since the backup are sent twice', async () => {
  const first = await startBuiltServer(data.path, { POSTHORN_MAIL_RATE: String(recipients / 20) })
  const project = projectOf(first)
  await runCommand(['access', 'approve', project.project], at(data.path))
  const file = join(out.path, 'people.csv')
  writeFileSync(file, `email\n${Array.from({ length: recipients }, (_, n) => `person${n}@example.com`).join('\n')}\n`)
  await runCommand(['contacts', 'import', file, '--list', project.list], at(data.path))
  const email = { type: 'text', timeZone: 'UTC', subscriberListId: project.list, status: 'scheduled' }
  const campaign = await project.post('/campaigns', {
    ...email,
    name: 'News',
    subject: 'News',
    document: 'Leave: {{unsubscribeLink}}',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  await until(() => countMails(data.path) > recipients / 10)
  const backup = join(out.path, 'backup.tar')
  expect(await runCommand(['backup', backup], at(data.path))).toMatchObject({ code: 0 })
  const atBackup = countMails(data.path)
  await until(() => countMails(data.path) > atBackup + 10)
  await stopServer(first, 'SIGKILL')

  const restored = join(out.path, 'restored')
  expect(await runCommand(['restore', backup, '--json'], at(restored))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"held":{"campaigns":1,"sends":0}'),
  })
  const sent = await sentIn(restored)
  expect(sent.length).toBeGreaterThan(0)
  const second = await startBuiltServer(restored)
  await until(() => second.printed().includes('Warning: 1 campaign is held back since a restore.'))
  expect((await runCommand(['doctor'], at(restored))).stdout).toContain(
    '! restored sends: 1 campaign is held back since a restore → ',
  )
  expect(await runCommand(['restore', '--hold'], at(restored))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Stop it first'),
  })
  const again = projectOf(second, project)
  expect(await again.get(`/campaigns/${campaign._id}`)).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('Held back after a restore'),
  })
  const [mail] = await readMails(data.path)
  const link = new URL(/Leave: (\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
  expect((await fetch(`${second.base}${link.pathname}${link.search}`)).status).toBe(200)
  expect(countMails(restored)).toBe(0)

  const released = { code: 0, stdout: '1 campaign continues\n' }
  expect(await runCommand(['restore', '--release'], at(restored))).toMatchObject(released)
  await until(async () => (await again.get(`/campaigns/${campaign._id}`)).status === 'sent')
  await stopServer(second)
  const later = await addressesIn(restored)
  expect(new Set(later).size).toBe(later.length)
  expect(later.filter((address) => sent.includes(address))).toEqual([])
  expect(new Set([...sent, ...later]).size).toBe(recipients)
  const check = await runCommand(['store', 'check', '--json'], at(restored))
  expect(JSON.parse(check.stdout)).toMatchObject({ ok: true, problems: [] })
}, 180_000)
