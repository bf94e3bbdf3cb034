import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { localFiles, pauseFileRemovals } from '@posthorn/adapters-node'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../../tests/server-process.js'
import { backUp } from '../../src/backup/backup.js'
import { directorySink } from '../../src/backup/sinks.js'
import { openDataDirectory } from '../../src/data-directory.js'
import { clock, contentOf, fill } from '../copying/lived-in-store.js'
import { commandsIn, inJson } from '../terminal.js'

const passphrase = 'correct horse battery staple'
const data = temporaryDirectory()
const masters = temporaryDirectory()
let out = temporaryDirectory()
beforeEach(() => {
  out = temporaryDirectory()
})
afterEach(() => out.remove())
afterAll(() => {
  data.remove()
  masters.remove()
})

const to = (name: string) => join(out.path, name)
const directoryOf = (path: string) => openDataDirectory(path, () => {})

const contentIn = async (path: string) => {
  const store = openSqliteStore({ file: join(path, 'posthorn.db') })
  try {
    return await contentOf({ ...store, files: localFiles(join(path, 'files')) })
  } finally {
    await store.close()
  }
}

const longKey = `imports/${'a'.repeat(150)}/${'b'.repeat(120)}`
let secret = ''
let content: Awaited<ReturnType<typeof contentIn>>
beforeAll(async () => {
  const { files: directory, database, hits, secrets } = directoryOf(data.path)
  secret = secrets()[0] ?? ''
  const files = localFiles(directory)
  const store = openSqliteStore({ file: database })
  await fill({ ...store, files })
  await files.put(longKey, new Uint8Array(700).fill(7))
  await files.put('links/empty', new Uint8Array())
  await store.close()
  await mkdir(hits, { recursive: true })
  writeFileSync(join(hits, 'host~1~0123abcd.1.hits'), '+a {}\n')
  content = await contentIn(data.path)
})

const run = (path: string, environment: Readonly<Record<string, string>> = {}) =>
  commandsIn(path, { POSTHORN_BACKUP_PASSPHRASE: passphrase, ...environment })

/** A copy of a backup that is made once. */
const backedUp = async (name = 'backup') => {
  const master = join(masters.path, name.endsWith('.tar') ? 'one.tar' : 'one')
  if (!existsSync(master)) expect(await run(data.path)('backup', master)).toMatchObject({ code: 0 })
  cpSync(master, to(name), { recursive: true, preserveTimestamps: true })
  return to(name)
}
const restoreWith = (backup: string, environment?: Readonly<Record<string, string>>) =>
  run(to('restored'), environment)('restore', backup, '--as-of', '2000-01-01T00:00:00Z')

const refused = (message: string) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` })

/** Changes a manifest as it is in a directory. */
const changeManifest = (backup: string, change: (manifest: Record<string, unknown>) => unknown) => {
  const file = join(backup, 'manifest.json')
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))))
}

const modesBelow = (path: string) =>
  new Set(
    readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) => {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777
      return `${entry.isDirectory() ? 'directory' : 'file'} ${mode.toString(8)}`
    }),
  )

describe.each(['a directory', 'an archive.tar'])('a backup in %s', (name) => {
  it('is restored as the same records, files and secret, for their owner alone', async () => {
    const backup = await backedUp(name)
    expect(await restoreWith(backup)).toMatchObject({ code: 0, stderr: '' })
    expect(await contentIn(to('restored'))).toEqual(content)
    expect(readFileSync(join(to('restored'), 'secret'), 'utf8')).toBe(secret)
    const files = localFiles(join(to('restored'), 'files'))
    expect(await files.get(longKey)).toEqual(Buffer.alloc(700, 7))
    expect(await files.get('links/empty')).toEqual(Buffer.alloc(0))
    expect(readFileSync(join(to('restored'), 'hits', 'host~1~0123abcd.1.hits'), 'utf8')).toBe('+a {}\n')
    expect([...modesBelow(to('restored'))].toSorted()).toEqual(['directory 700', 'file 600'])
  })

  it('is verified, which leaves nothing', async () => {
    const backup = await backedUp(name)
    const verified = await inJson(run(data.path))('backup', 'verify', backup)
    expect(verified).toMatchObject({ problems: [], secret: 'opened', counts: { accounts: 2, projects: 2 } })
    expect(readdirSync(out.path)).toEqual([name])
  })

  it('holds no plain secret, and nobody else can read it', async () => {
    const backup = await backedUp(name)
    const all = statSync(backup).isDirectory()
      ? readdirSync(backup, { recursive: true }).map((one) => join(backup, String(one)))
      : [backup]
    expect(all.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
    const files = all.filter((path) => statSync(path).isFile())
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([])
  })

  it('says that it holds no secret if there is no passphrase, and then needs it for a restore', async () => {
    const plain = commandsIn(data.path)
    expect(await plain('backup', to(name))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The backup holds no secret'),
    })
    expect(await restoreWith(to(name))).toEqual(
      refused(
        'The backup holds no secret. Set POSTHORN_SECRET to that of the server that was backed up: the variable, or the file “secret” of its data directory.',
      ),
    )
    expect(await restoreWith(to(name), { POSTHORN_SECRET: 'x'.repeat(40) })).toEqual(
      refused(
        'POSTHORN_SECRET is another secret than that of the backup. Set it to the one of the server that was backed up.',
      ),
    )
    expect(readdirSync(out.path)).toEqual([name])
    expect(await restoreWith(to(name), { POSTHORN_SECRET: secret })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The server needs POSTHORN_SECRET'),
    })
  })
})

it('keeps all secrets of POSTHORN_SECRET', async () => {
  const two = ['n'.repeat(40), 'o'.repeat(40)]
  await run(data.path, { POSTHORN_SECRET: two.join(',') })('backup', to('backup'))
  expect(await restoreWith(to('backup'))).toMatchObject({ code: 0 })
  expect(directoryOf(to('restored')).secrets()).toEqual(two)
})

it('an archive is what tar programs read', async () => {
  const listed = execFileSync('tar', ['-tf', await backedUp('a.tar')], { encoding: 'utf8' })
  expect(listed).toContain(`files/${longKey}\n`)
  expect(listed.trim().split('\n').at(-1)).toBe('manifest.json')
})

it('has a file that the server removes after the database was copied', async () => {
  const { database, files: directory, hits, secrets } = directoryOf(data.path)
  const files = localFiles(directory)
  await files.put('mails/1/a.txt', Buffer.from('a'))
  await backUp({
    data: { database, files: directory, hits },
    secrets: secrets(),
    passphrase,
    target: to('backup'),
    clock: clock.now,
    openSink: async (_target, place) => {
      const sink = directorySink(place)
      return {
        ...sink,
        add: async (name, one) => {
          if (name === 'posthorn.db') await files.remove('mails/1')
          return sink.add(name, one)
        },
      }
    },
  })
  expect(await files.get('mails/1/a.txt')).toBeUndefined()
  expect(readFileSync(join(to('backup'), 'files', 'mails', '1', 'a.txt'), 'utf8')).toBe('a')
  expect(readdirSync(directory)).not.toContain('.backup')
})

describe('a backup is refused', () => {
  it('if something has its name', async () => {
    const backup = await backedUp()
    expect(await run(data.path)('backup', backup)).toEqual(
      refused(`${backup} exists already. Name a new file or directory.`),
    )
    writeFileSync(to('a.tar'), '')
    expect(await run(data.path)('backup', to('a.tar'))).toMatchObject({ code: 1 })
    expect(readdirSync(out.path).toSorted()).toEqual(['a.tar', 'backup'])
  })

  it('while another one is under way', async () => {
    const pause = await pauseFileRemovals(join(data.path, 'files'))
    expect(await run(data.path)('backup', to('backup'))).toEqual(
      refused('Another backup of this data directory is under way.'),
    )
    await pause.end()
    expect(readdirSync(out.path)).toEqual([])
  })

  it('without a store, and for one that is no file', async () => {
    expect(await run(out.path)('backup', to('backup'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no store in'),
    })
    const mongo = { POSTHORN_STORE: 'mongodb', MONGODB_URL: 'mongodb://localhost/none' }
    expect((await run(data.path, mongo)('backup', to('backup'))).stderr).toContain('docs/backup.md')
  })

  it('if the disk is full, and leaves nothing', async () => {
    const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' })
    const { database, files, hits, secrets } = directoryOf(data.path)
    const made = backUp({
      data: { database, files, hits },
      secrets: secrets(),
      passphrase,
      target: to('backup'),
      clock: clock.now,
      openSink: async (_target, place) => {
        const sink = directorySink(place)
        return {
          ...sink,
          add: async (name, one) => {
            const entry = await sink.add(name, one)
            if (name.startsWith('files/')) throw full
            return entry
          },
        }
      },
    })
    await expect(made).rejects.toThrow(
      `The disk of ${to('backup')} is full. Nothing of this attempt was kept. Make space there, or choose another place.`,
    )
    expect(readdirSync(out.path)).toEqual([])
    expect(await run(data.path)('backup', to('backup'))).toMatchObject({ code: 0 })
  })
})

describe('a restore is refused, and leaves nothing,', () => {
  const refusedAndGone = (message: string) => ({ ...refused(message), left: false })
  /** As `restoreWith`, and what it left. */
  const refusedRestore = async (backup: string, environment?: Readonly<Record<string, string>>) => ({
    ...(await restoreWith(backup, environment)),
    left: readdirSync(out.path).includes('restored'),
  })

  it('of what is no backup', async () => {
    expect(await refusedRestore(to('nowhere'))).toEqual(refusedAndGone(`There is no backup ${to('nowhere')}.`))
    writeFileSync(to('letter.tar'), 'Dear diary, '.repeat(100))
    expect(await refusedRestore(to('letter.tar'))).toEqual(refusedAndGone('This is no backup of Posthorn.'))
    await mkdir(to('empty'))
    expect(await refusedRestore(to('empty'))).toEqual(
      refusedAndGone('This is no whole backup of Posthorn: it has no manifest.'),
    )
  })

  it('with a wrong passphrase, or none', async () => {
    const backup = await backedUp()
    expect(await refusedRestore(backup, { POSTHORN_BACKUP_PASSPHRASE: 'wrong horse battery' })).toEqual(
      refusedAndGone(
        'The passphrase is wrong: it does not open the secret of this backup. Give the one that the backup was made with.',
      ),
    )
    expect((await commandsIn(to('restored'))('restore', backup)).stderr).toContain(
      'Set POSTHORN_BACKUP_PASSPHRASE to the passphrase of the backup',
    )
  })

  it('if a byte has changed', async () => {
    const backup = await backedUp()
    const file = join(backup, 'files', longKey)
    writeFileSync(file, readFileSync(file).fill(8, 699))
    expect(await refusedRestore(backup)).toEqual(
      refusedAndGone(`The backup is damaged: files/${longKey} has another checksum than the manifest says.`),
    )
    const archive = await backedUp('a.tar')
    const bytes = readFileSync(archive)
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 1
    writeFileSync(archive, bytes)
    expect((await refusedRestore(archive)).stderr).toMatch(/damaged: (posthorn\.db|hits\/\S+) has another checksum/)
  })

  it('if a file is missing, or one too many', async () => {
    const backup = await backedUp()
    writeFileSync(join(backup, 'files', 'more'), '')
    expect(await refusedRestore(backup)).toEqual(
      refusedAndGone('The backup is damaged: files/more is in it, but not in its manifest.'),
    )
    rmSync(join(backup, 'files', 'more'))
    rmSync(join(backup, 'files', longKey))
    expect(await refusedRestore(backup)).toEqual(refusedAndGone(`The backup is damaged: files/${longKey} is missing.`))
  })

  it.each([1024, 1536, 5_000])('if the last %i bytes of an archive are missing', async (n) => {
    const archive = await backedUp('a.tar')
    truncateSync(archive, statSync(archive).size - n)
    const { code, stderr } = await refusedRestore(archive)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: (The backup is damaged: it ends too early|This is no whole backup)/)
  })

  it('if its store is newer', async () => {
    const backup = await backedUp()
    changeManifest(backup, (manifest) => ({ ...manifest, store: { kind: 'sqlite', version: 99 }, posthorn: '7.0.0' }))
    expect((await refusedRestore(backup)).stderr).toMatch(
      /^error: The backup has a store of version 99, and this version of Posthorn knows \d+\. Restore it by Posthorn 7\.0\.0 or newer\.\n$/,
    )
    changeManifest(backup, (manifest) => ({ ...manifest, format: 2 }))
    expect(await refusedRestore(backup)).toEqual(
      refusedAndGone('The backup was written by Posthorn 7.0.0 in a newer format. Restore it by that version.'),
    )
  })

  it.each(['../evil', 'files/../../evil', '/etc/evil', 'files/.backup/lease', 'secret'])(
    'if it names the file %s',
    async (name) => {
      const backup = await backedUp()
      const entry = { name, size: 0, sha256: createHash('sha256').digest('hex') }
      changeManifest(backup, (manifest) => ({ ...manifest, entries: [...(manifest.entries as unknown[]), entry] }))
      expect(await refusedRestore(backup)).toEqual(
        refusedAndGone(`The backup is damaged: it names a file ${JSON.stringify(name)}.`),
      )
    },
  )
})

it('a restore is refused for a directory that is not empty, which stays as it is', async () => {
  const backup = await backedUp()
  await mkdir(to('taken'))
  writeFileSync(join(to('taken'), 'mine'), 'mine')
  expect(await run(to('taken'))('restore', backup)).toEqual(
    refused(`${to('taken')} is not empty. A backup is restored to a new or an empty directory.`),
  )
  expect(readdirSync(to('taken'))).toEqual(['mine'])
  const archive = await backedUp('a.tar')
  utimesSync(archive, 0, 0)
  await mkdir(to('empty'), { mode: 0o755 })
  expect(await run(to('empty'))('restore', archive)).toMatchObject({ code: 0 })
  expect(statSync(to('empty')).mode & 0o777).toBe(0o700)
})
