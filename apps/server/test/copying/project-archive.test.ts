import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inMemoryStore, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../../tests/server-process.js'
import { copyStore } from '../../src/copying/copy-store.js'
import { exportProject, openArchive } from '../../src/copying/project-archive.js'
import type { CopyTarget } from '../../src/copying/stores.js'
import { openStore } from '../../src/store.js'
import { clock, contentOf, coreOn, fill, readers, waiting } from './lived-in-store.js'

let data = temporaryDirectory()
let directory = ''
beforeEach(() => {
  data = temporaryDirectory()
  directory = join(data.path, 'export')
})
afterEach(() => data.remove())

const quiet = () => {}
const onSqlite = (name: string) =>
  openStore(
    { store: 'sqlite', mongodbUrl: undefined },
    { database: join(data.path, name, 'posthorn.db'), files: join(data.path, name, 'files') },
    quiet,
  )
const importInto = async (to: CopyTarget) => {
  const { source, manifest } = await openArchive(directory)
  return copyStore({ from: source, to, projectId: manifest.project._id, clock: clock.now, progress: quiet })
}

/** A small project, exported. */
const exported = async () => {
  const store = inMemoryStore()
  const { core } = coreOn(store)
  const { scope, project, list } = await sampleProject(core)
  await core.subscribers.subscribe(scope, list._id, { email: 'ada@example.com', name: 'Ada', status: 'active' })
  await exportProject(store, project._id, directory, clock.now)
  return { store, core, project, scope }
}

/** Changes a file of the export, and its checksum with it. */
const rewrite = (name: string, change: (text: string) => string) => {
  const text = change(readFileSync(join(directory, name), 'utf8'))
  writeFileSync(join(directory, name), text)
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
  manifest.files[name] = {
    records: text.split('\n').length - 1,
    sha256: createHash('sha256').update(text).digest('hex'),
  }
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest))
}

describe('the export of a project', { timeout: 120_000 }, () => {
  it.each(['memory', 'SQLite'])('is imported as a copy of the store would be, into %s', async (kind) => {
    const from = await onSqlite('from')
    const [copied, imported] = [inMemoryStore(), kind === 'memory' ? inMemoryStore() : await onSqlite('to')]
    try {
      const [acme, other] = await fill(from)
      const projectId = acme?.project._id ?? ''
      const manifest = await exportProject(from, projectId, directory, clock.now)
      expect(manifest.files['deliveries.ndjson']?.records).toBe(readers + waiting.length)
      await copyStore({ from, to: copied, projectId, clock: clock.now, progress: quiet })
      await importInto(imported)
      expect(await contentOf(imported)).toEqual(await contentOf(copied))
      const whole = readdirSync(directory).map((name) =>
        name === 'files' ? '' : readFileSync(join(directory, name), 'utf8'),
      )
      expect(whole.join('')).not.toContain(other?.project._id)
      const again = await importInto(imported)
      expect(again.map(({ verified }) => verified)).toEqual([undefined, undefined])
      const { core, mailer } = coreOn(imported)
      await core.worker.runUntilIdle()
      expect(mailer.sent.map((mail) => mail.to).toSorted()).toEqual(waiting)
      expect(mailer.sent[0]?.mime).toContain('receipt.txt')
    } finally {
      await from.close()
      await imported.close()
    }
  })

  it('yields the same project, whatever its texts are', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((one) => one.isWellFormed())
    const contact = fc.record({ name: text, city: text, age: fc.double({ noNaN: true, noDefaultInfinity: true }) })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(contact, { maxLength: 8 }), text, async (contacts, name) => {
        runs += 1
        directory = join(data.path, `export-${runs}`)
        const [from, to] = [inMemoryStore(), inMemoryStore()]
        const { core } = coreOn(from)
        const { scope, project, list } = await sampleProject(core)
        await core.customFields.create(scope, { name: 'city', type: 'string' })
        await core.customFields.create(scope, { name: 'age', type: 'number' })
        const ok = (work: Promise<unknown>) => work.catch(() => undefined)
        for (const [n, fields] of contacts.entries()) {
          await ok(core.contacts.create(scope, { email: `p${n}@example.com`, ...fields, tags: ['a'] }))
          await ok(core.subscribers.subscribe(scope, list._id, { email: `p${n}@example.com`, status: 'active' }))
        }
        await ok(core.transactionalEmails.create(scope, { name, subject: name, type: 'text', document: name }))
        await exportProject(from, project._id, directory, clock.now)
        await importInto(to)
        expect(await contentOf(to)).toEqual(await contentOf(from))
      }),
      { numRuns: 15 },
    )
  })

  it('needs a new directory, and an existing project', async () => {
    const { store, project } = await exported()
    await expect(exportProject(store, project._id, directory, clock.now)).rejects.toThrow('is not empty')
    const elsewhere = join(data.path, 'nobody')
    await expect(exportProject(store, 'nobody', elsewhere, clock.now)).rejects.toThrow('There is no project nobody.')
    expect(readdirSync(data.path)).toEqual(['export'])
  })

  it('is refused, and leaves nothing, if a server changes the project meanwhile', async () => {
    const store = inMemoryStore()
    const { core } = coreOn(store)
    const { scope, project } = await sampleProject(core)
    const changing: CopyTarget = {
      ...store,
      counters: {
        ...store.counters,
        used: async (key) => {
          await core.suppressions.create(scope, { email: `${key.length}@example.com` }).catch(quiet)
          return store.counters.used(key)
        },
      },
    }
    await expect(exportProject(changing, project._id, directory, clock.now)).rejects.toThrow(
      /differs in suppressions.*Stop every server/,
    )
    expect(readdirSync(data.path)).toEqual([])
  })
})

describe('an export that cannot be trusted', () => {
  it('is refused if a byte changed', async () => {
    await exported()
    const file = join(directory, 'contacts.ndjson')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Ada', 'Eva'))
    await expect(openArchive(directory)).rejects.toThrow('The export is damaged: contacts.ndjson has another checksum')
  })

  it('is refused if it ends early, or a file is missing', async () => {
    await exported()
    const file = join(directory, 'contacts.ndjson')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 30))
    await expect(openArchive(directory)).rejects.toThrow('contacts.ndjson line 1')
    rmSync(file)
    await expect(openArchive(directory)).rejects.toThrow('contacts.ndjson has 0 records instead of 1')
  })

  it.each(['contacts.ndjson', 'subscribers.ndjson', 'projects.ndjson'])(
    'is refused if %s has a record of another project',
    async (name) => {
      const { project } = await exported()
      rewrite(name, (text) => text.replaceAll(project._id, 'f'.repeat(24)))
      await expect(openArchive(directory)).rejects.toThrow(`${name} line 1: belongs to another project`)
    },
  )

  it('changes no record of another project that has the same id', async () => {
    const { store, project } = await exported()
    const [contact] = (await contentOf(store)).records.contacts as { readonly _id: string }[]
    const target = inMemoryStore()
    const stranger = { ...contact, projectId: 'f'.repeat(24), name: 'Stranger' }
    await target.repositories.contacts.add(stranger as never)
    await expect(importInto(target)).rejects.toThrow(/^Contact \w+ cannot be copied/)
    expect((await contentOf(target)).records.contacts).toEqual([stranger])
    expect(await target.repositories.projects.get({ _id: project._id })).toBeUndefined()
  })

  it('is refused if it names files outside', async () => {
    await exported()
    writeFileSync(join(directory, 'files.ndjson'), '')
    rewrite('files.ndjson', () => `${JSON.stringify({ key: '../../secret', sha256: '' })}\n`)
    await expect(openArchive(directory)).rejects.toThrow('is not a valid file key')
  })

  it('is refused with an unknown file, from a newer version, or without a manifest', async () => {
    await exported()
    writeFileSync(join(directory, 'journeys.ndjson'), '')
    rewrite('journeys.ndjson', () => '{}\n')
    await expect(openArchive(directory)).rejects.toThrow('unknown file journeys.ndjson')
    const manifest = join(directory, 'manifest.json')
    writeFileSync(manifest, JSON.stringify({ format: 'posthorn-project', version: 2 }))
    await expect(openArchive(directory)).rejects.toThrow('The export has version 2')
    rmSync(manifest)
    await expect(openArchive(directory)).rejects.toThrow('it has no manifest.json')
  })
})
