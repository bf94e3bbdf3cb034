import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { locallyCopiedFiles } from '@posthorn/adapters-node'
import { inMemoryFiles } from '@posthorn/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import {
  bootstrapKey,
  countMails,
  projectOf,
  type RunningServer,
  readMails,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { importJournal } from '../src/cli/import-journal.js'

const umask = process.umask()

let place = temporaryDirectory()
let server: RunningServer | undefined
beforeEach(() => {
  place = temporaryDirectory()
})
afterEach(async () => {
  process.umask(umask)
  if (server) await stopServer(server, 'SIGKILL')
  server = undefined
  place.remove()
})

const upload = async (path: string, base: string) => {
  const body = new FormData()
  body.append('image', new Blob([new Uint8Array(sampleImages['image/png'])], { type: 'image/png' }), 'dot.png')
  const headers = { authorization: `Bearer ${bootstrapKey}` }
  expect((await fetch(`${base}${path}/gallery/images`, { method: 'POST', headers, body })).status).toBe(201)
}

/** What is below the directory, each with its permissions. */
const permissionsIn = (directory: string) =>
  ['', ...readdirSync(directory, { recursive: true }).map(String)].map((name) => {
    const stats = statSync(join(directory, name))
    return { name, isDirectory: stats.isDirectory(), mode: (stats.mode & 0o777).toString(8) }
  })

/** All whose permissions are not the owner's alone: 0700 for a directory, 0600 for a file. */
const openIn = (directory: string) =>
  permissionsIn(directory).filter(({ isDirectory, mode }) => mode !== (isDirectory ? '700' : '600'))

it.each(['000', '022'])(
  'under the umask %s, the server and its commands create directories with 0700 and files with 0600',
  async (mask) => {
    const path = (name: string) => join(place.path, name)
    const data = path('data')
    const people = path('people.csv')
    writeFileSync(people, 'email,name\nada@example.com,Ada\nnobody,Nobody\n', { mode: 0o600 })
    process.umask(Number.parseInt(mask, 8))

    server = await startBuiltServer(data)
    const { project, post } = projectOf(server)
    await upload(`/v1/projectId/${project}`, server.base)
    const receipt = {
      name: 'Receipt',
      subject: 'Receipt',
      type: 'html',
      document: '<a href="https://example.com/order">Order</a>',
    }
    const { _id: transactionalId } = await post('/transactional-emails', receipt)
    const attachments = [{ filename: 'receipt.txt', content: Buffer.from('42 €').toString('base64') }]
    await post('/send-transactional', { transactionalId, email: 'ada@example.com', attachments })
    await until(() => countMails(data) > 0)
    const [mail] = await readMails(data)
    const [, link = ''] = /href="([^"]*\/c\/[^"]*)"/.exec(mail?.html ?? '') ?? []
    await fetch(link, { redirect: 'manual' })
    await until(() => permissionsIn(join(data, 'hits')).some(({ name }) => name.endsWith('.hits')))

    const environment = { POSTHORN_DATA_DIR: data }
    const importing = ['contacts', 'import', people, '--project', project]
    await runCommand(importing, environment)
    for (const format of ['csv', 'ndjson'])
      await runCommand(
        ['contacts', 'export', path(`people.${format}.out`), '--project', project, '--format', format],
        environment,
      )

    const journal = importJournal(path('journal.csv'), 'an import', { restart: false, headings: ['a'], delimiter: ',' })
    journal.failed({ line: 2, error: 'wrong', cells: ['x'] })
    journal.done(2)
    const copies = { files: inMemoryFiles(), below: 'links', directory: path('link-copies'), log: () => {} }
    await locallyCopiedFiles(copies).put('links/a/b', new Uint8Array([1]))

    // A directory that was created for the copy, with what the umask allows.
    mkdirSync(path('moved'))
    await runCommand(['store', 'copy', '--from', `sqlite:${data}`, '--to', `sqlite:${path('moved')}`], environment)

    const names = permissionsIn(place.path).map(({ name }) => name)
    for (const file of ['posthorn.db', 'posthorn.db-wal', 'posthorn.db-shm', 'secret', 'public-url'])
      expect(names).toContain(join('data', file))
    for (const file of ['people.csv.errors.csv', 'people.csv.out', 'people.ndjson.out', 'moved/posthorn.db'])
      expect(names).toContain(file)
    for (const file of ['journal.csv.import.json', 'journal.csv.errors.csv', 'link-copies/links/a/b'])
      expect(names).toContain(file)
    for (const folder of ['data/files', 'data/outbox', 'data/hits', 'moved/files'])
      expect(names.some((name) => name.startsWith(`${folder}/`))).toBe(true)
    expect(openIn(place.path)).toEqual([])
  },
  120_000,
)
