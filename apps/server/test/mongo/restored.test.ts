import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase, withDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import {
  countMails,
  projectOf,
  readMails,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../../tests/server-process.js'

const recipients = 300

onMongoDB('a database that was copied while a campaign was sent', () => {
  let [first, second] = ['', '']
  let data = temporaryDirectory()
  let restored = temporaryDirectory()
  beforeEach(() => {
    first = databaseUrl()
    second = databaseUrl()
    data = temporaryDirectory()
    restored = temporaryDirectory()
  })
  afterEach(async () => {
    data.remove()
    restored.remove()
    await Promise.all([dropDatabase(first), dropDatabase(second)])
  })

  /** As it is at one moment, if no process writes: every collection, without the indexes, which a start makes. */
  const copy = async () => {
    await withDatabase(first, ({ db: from }) =>
      withDatabase(second, async ({ db: to }) => {
        for (const { name } of await from.listCollections({}, { nameOnly: true }).toArray()) {
          const documents = await from.collection(name).find().toArray()
          if (documents.length > 0) await to.collection(name).insertMany(documents)
        }
      }),
    )
  }

  const sentIn = (url: string) =>
    withDatabase(url, async ({ db }) => {
      const [campaign] = await db.collection('dispatches').find({ kind: 'campaign' }).toArray()
      const sent = await db.collection('deliveries').find({ dispatchId: campaign?._id, status: 'sent' }).toArray()
      return sent.map(({ email }) => String(email))
    })

  const newsIn = async (path: string) =>
    (await readMails(path)).flatMap(({ subject, to }) =>
      subject === 'News' ? (to ?? []).map(({ address }) => address) : [],
    )

  it('with all its processes frozen, as by a snapshot or mongodump --oplog (the copy is made by the driver, not by these): sends are held back by one command, and a release finishes them', async () => {
    const secret = { POSTHORN_SECRET: 's'.repeat(40) }
    const on = (url: string, path: string) => ({ MONGODB_URL: url, POSTHORN_DATA_DIR: path, ...secret })
    const server = await startBuiltServer(data.path, {
      ...on(first, data.path),
      POSTHORN_MAIL_RATE: String(recipients / 20),
    })
    const project = projectOf(server)
    await runCommand(['access', 'approve', project.project], on(first, data.path))
    const file = join(data.path, 'people.csv')
    writeFileSync(file, `email\n${Array.from({ length: recipients }, (_, n) => `person${n}@example.com`).join('\n')}\n`)
    await runCommand(['contacts', 'import', file, '--list', project.list], on(first, data.path))
    const campaign = await project.post('/campaigns', {
      ...{ name: 'News', subject: 'News', type: 'text', document: 'Leave: {{unsubscribeLink}}', timeZone: 'UTC' },
      ...{ subscriberListId: project.list, status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' },
    })
    await until(() => countMails(data.path) > recipients / 10)
    process.kill(server.child.pid ?? 0, 'SIGSTOP')
    await copy()
    process.kill(server.child.pid ?? 0, 'SIGCONT')
    const atCopy = countMails(data.path)
    await until(() => countMails(data.path) > atCopy + 10)
    await stopServer(server, 'SIGKILL')

    expect(await runCommand(['restore', '--hold'], on(second, restored.path))).toMatchObject({
      code: 0,
      stdout:
        '1 campaign is held back: posthorn restore --release continues all, or continue each campaign by itself\n',
    })
    const sent = await sentIn(second)
    expect(sent.length).toBeGreaterThan(0)
    const again = await startBuiltServer(restored.path, on(second, restored.path))
    await until(() => again.printed().includes('Warning: 1 campaign is held back since a restore.'))
    expect((await runCommand(['doctor'], on(second, restored.path))).stdout).toContain(
      '! restored sends: 1 campaign is held back since a restore → ',
    )
    const known = projectOf(again, project)
    expect(await known.get(`/campaigns/${campaign._id}`)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('Held back after a restore'),
    })
    expect(await known.get('/contacts?limit=1')).toMatchObject({ count: recipients })
    expect(countMails(restored.path)).toBe(0)

    expect(await runCommand(['restore', '--release'], on(second, restored.path))).toMatchObject({
      code: 0,
      stdout: '1 campaign continues\n',
    })
    await until(async () => (await known.get(`/campaigns/${campaign._id}`)).status === 'sent')
    await stopServer(again)
    expect((await runCommand(['store', 'check'], on(second, restored.path))).stdout).toMatch(
      /^✓ the records are consistent; deliveries, files and the structure of the database were not checked\n.*contacts +300$/ms,
    )
    await withDatabase(second, ({ db }) => db.collection('contacts').deleteOne({}))
    expect(await runCommand(['store', 'check'], on(second, restored.path))).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^✗ 1 subscribers without their contact: \w+$/m),
    })
    const later = await newsIn(restored.path)
    expect(new Set(later).size).toBe(later.length)
    expect(later.filter((address) => address !== undefined && sent.includes(address))).toEqual([])
    expect(new Set([...sent, ...later]).size).toBe(recipients)
  }, 240_000)
})
