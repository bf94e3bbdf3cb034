import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { collected, type StoredRecord } from '@posthorn/core/ports/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  countMails,
  projectOf,
  startServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../tests/server-process.js'
import { outsideProject } from './packing/outside-project.js'
import { packAll, published as publishedFolders, tarballOf } from './packing/packing.js'
import { serveRegistry } from './packing/registry.js'
import { packageViolations } from './release/package-checks.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What an application installs that embeds Posthorn. */
const published = [
  'client',
  'core',
  'embed',
  'http-express',
  'mcp',
  'adapters-node',
  'adapters-ses',
  'adapters-smtp',
  'adapters-sqlite',
  'adapters-mail-in',
  'testkit',
]
const tools = ['@types/node', 'typescript']

type Manifest = {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly engines?: unknown
  readonly keywords?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
const manifestOf = (path: string): Manifest => JSON.parse(read(path))
const folders = await publishedFolders()

const [, example = ''] = /## Embed[\s\S]*?```ts\n([\s\S]*?)```/.exec(read('README.md')) ?? []

/** Serves on Node's own server, and checks the types of the packages, too. */
const withoutExpress = `import { createServer } from 'node:http'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { outboxMailer } from '@posthorn/adapters-smtp'
import { nodePorts, openPosthorn, type Posthorn } from '@posthorn/embed'

export const ports: typeof nodePorts = nodePorts
const posthorn: Posthorn = await openPosthorn({
  store: openSqliteStore({ file: './without-express.db' }),
  mailer: outboxMailer({ directory: './outbox', log: console.error }),
  publicUrl: 'http://localhost:3000',
  secret: process.env.POSTHORN_SECRET ?? '',
})
createServer(posthorn.app).listen(3000)
`

const repository = 'https://git.example.com/posthorn.git'
const tarballs = temporaryDirectory()
beforeAll(async () => {
  await packAll({ repository, out: tarballs.path })
}, 300_000)
afterAll(() => tarballs.remove())

describe('each package', () => {
  it.each(folders.map((folder) => [manifestOf(`${folder}/package.json`).name, folder]))(
    '%s contains its README and licence, and nothing that names this machine',
    async (name, folder) => {
      const { version } = manifestOf('package.json')
      expect(await packageViolations(join(tarballs.path, tarballOf(name, version)))).toEqual([])
      expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'))
      expect(read(`${folder}/README.md`)).toMatch(new RegExp(`^# ${name}\n`))
    },
  )

  it('of SQLite for a platform contains the library’s licence', async () => {
    const addons = readdirSync(tarballs.path).filter((name) => name.startsWith('posthorn-sqlite-'))
    expect(addons.length).toBeGreaterThan(5)
    for (const addon of addons) expect(await packageViolations(join(tarballs.path, addon))).toEqual([])
  })

  it.each(folders)('%s accepts version ranges of peer dependencies', (folder) => {
    const { peerDependencies = {} } = manifestOf(`${folder}/package.json`)
    for (const version of Object.values(peerDependencies)) expect(version).toMatch(/^(?:\^|>=)\d/)
  })

  it.each(folders)('%s has a description, keywords and its Node versions', (folder) => {
    const { description, keywords = [], engines } = manifestOf(`${folder}/package.json`)
    expect(description).toBeTruthy()
    expect(keywords).not.toEqual([])
    expect(engines).toEqual(manifestOf('package.json').engines)
  })
})

describe('a server without a clone', () => {
  const largest = 120
  const place = temporaryDirectory()
  const project = join(place.path, 'lib')
  let registry: Awaited<ReturnType<typeof serveRegistry>>
  beforeAll(async () => {
    registry = await serveRegistry(tarballs.path)
    const from = [`--@posthorn:registry=${registry.url}`, '--prefix', place.path]
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', '--global', ...from, ...options, '@posthorn/server'])
  }, 300_000)
  afterAll(() => {
    registry.close()
    place.remove()
  })

  it(`takes at most ${largest} MB with all that it depends on`, async () => {
    const { stdout } = await run('du', ['-sm', join(project, 'node_modules')])
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(largest)
  })

  it('has SQLite for this platform alone', () => {
    const builds = readdirSync(project, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('sqlite.node'))
    expect(builds).not.toEqual([])
    for (const path of builds) expect(path).toContain(`/sqlite-${process.platform}-${process.arch}`)
  })

  it('runs by npx', async () => {
    // What others have published comes from npm's cache; what npx installs is kept apart.
    const cache = join(place.path, 'cache')
    const { stdout: usual } = await run('npm', ['config', 'get', 'cache'])
    mkdirSync(cache)
    mkdirSync(join(usual.trim(), '_cacache'), { recursive: true })
    symlinkSync(join(usual.trim(), '_cacache'), join(cache, '_cacache'))
    const env = { ...process.env, npm_config_cache: cache, 'npm_config_@posthorn:registry': registry.url }
    const { stdout } = await run('npx', ['--yes', '--prefer-offline', '--', '@posthorn/server', '--version'], {
      cwd: place.path,
      env,
    })
    expect(stdout.trim()).toBe(manifestOf('package.json').version)
  }, 120_000)

  it('starts by its command, renders a visual document, and ends by SIGTERM', async () => {
    const data = join(place.path, 'data')
    const environment = { PORT: '0', POSTHORN_DATA_DIR: data, POSTHORN_BOOTSTRAP_KEY: bootstrapKey }
    const server = await startServer(environment, [join(place.path, 'bin/posthorn-server')])
    const { post } = projectOf(server)
    const text = { tagName: 'mj-text', attributes: {}, content: '<p>Hello</p>' }
    const column = { tagName: 'mj-column', attributes: {}, children: [text] }
    const section = { tagName: 'mj-section', attributes: {}, children: [column] }
    const document = {
      tagName: 'mjml',
      attributes: {},
      children: [{ tagName: 'mj-body', attributes: {}, children: [section] }],
    }
    const fields = { name: 'A', subject: 'A', type: 'visual', document }
    const { _id } = await post('/transactional-emails', fields)
    await post(`/send-transactional`, { transactionalId: _id, email: 'ada@example.com' })
    await until(() => countMails(data) === 1)
    expect((await fetch(`${server.base}/console`)).status).toBe(200)
    expect(await stopServer(server)).toBe(0)
  })

  it('has the operator’s commands', async () => {
    const posthorn = join(place.path, 'bin/posthorn')
    const env = { ...process.env, POSTHORN_DATA_DIR: join(place.path, 'data') }
    expect((await run(posthorn, ['--version'], { env })).stdout.trim()).toBe(manifestOf('package.json').version)
    expect((await run(posthorn, ['project', 'list', '--json'], { env })).stdout).toContain('_id')
  })

  it('says what to install for a mailbox', async () => {
    const environment = {
      PORT: '0',
      POSTHORN_STORE: 'memory',
      POSTHORN_DATA_DIR: join(place.path, 'data'),
      POSTHORN_BOUNCE_DOMAIN: 'bounces.example.com',
      POSTHORN_BOUNCE_IMAP_URL: 'imaps://a:b@localhost/INBOX',
    }
    const start = startServer(environment, [join(place.path, 'bin/posthorn-server')])
    await expect(start).rejects.toThrow('npm install imapflow@2')
  })
})

describe('an application outside this repository', () => {
  let project = ''

  beforeAll(async () => {
    const { express } = manifestOf('packages/http-express/package.json').dependencies ?? {}
    project = await outsideProject({ packages: published, tarballs: tarballs.path, others: { express }, tools })
    mkdirSync(join(project, 'src'))
    writeFileSync(join(project, 'src/main.ts'), example)
  }, 300_000)
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  const compiled = (module: string, moduleResolution: string, file = 'src/main.ts') =>
    run(
      'npx',
      [
        'tsc',
        '--strict',
        '--target',
        'es2022',
        '--types',
        'node',
        '--module',
        module,
        '--moduleResolution',
        moduleResolution,
        '--outDir',
        module,
        file,
      ],
      { cwd: project },
    ).catch((error: { stdout: string }) => error)

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('compiles the README’s example with module %s and moduleResolution %s', async (module, moduleResolution) => {
    expect((await compiled(module, moduleResolution)).stdout).toBe('')
  })

  it('compiles a program that embeds Posthorn without Express', async () => {
    writeFileSync(join(project, 'src/without-express.ts'), withoutExpress)
    expect((await compiled('nodenext', 'nodenext', 'src/without-express.ts')).stdout).toBe('')
  })

  it.each(published)('finds the source repository of %s', (name) => {
    const installed = JSON.parse(readFileSync(join(project, 'node_modules/@posthorn', name, 'package.json'), 'utf8'))
    expect(installed.repository).toEqual({ type: 'git', url: repository, directory: `packages/${name}` })
  })

  it('runs the example twice: it sends its mail, exits after close(), and finds its project again', async () => {
    const main = readFileSync(join(project, 'nodenext/main.js'), 'utf8').replace('listen(3000)', 'listen(0)')
    writeFileSync(join(project, 'nodenext/main.js'), main)
    const outbox = join(project, 'outbox')
    const mails = () =>
      existsSync(outbox) ? readdirSync(outbox, { recursive: true }).filter((name) => String(name).endsWith('.eml')) : []
    const env = { ...process.env, POSTHORN_SECRET: 'a secret of 32 characters or more' }
    for (const start of [1, 2]) {
      const child = spawn(process.execPath, ['nodenext/main.js'], { cwd: project, env, stdio: 'inherit' })
      const ended = once(child, 'exit')
      while (mails().length < start && child.exitCode === null) await sleep(50)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
    expect(mails().map((name) => /^Subject: .*$/m.exec(readFileSync(join(outbox, String(name)), 'utf8'))?.[0])).toEqual(
      ['Subject: Receipt 7', 'Subject: Receipt 7'],
    )
    const { repositories, close } = openSqliteStore({ file: join(project, 'posthorn.db') })
    const { accounts, projects, senderIdentities, transactionalEmails } = repositories
    for (const records of [accounts, projects, senderIdentities, transactionalEmails])
      expect(await collected<StoredRecord>(records.each({}))).toHaveLength(1)
    await close()
  }, 60_000)

  it('runs the testkit’s example', async () => {
    const [, test = ''] = /```js\n([\s\S]*?)```/.exec(read('packages/testkit/README.md')) ?? []
    expect(test).toContain('assert')
    writeFileSync(join(project, 'testkit.mjs'), test)
    expect(await run(process.execPath, ['testkit.mjs'], { cwd: project })).toEqual({ stdout: '', stderr: '' })
  })
})

describe('an application by the commands of docs/embedding.md', () => {
  const place = temporaryDirectory()
  afterAll(() => place.remove())
  const [, commands = ''] = /## Packages[\s\S]*?```sh\n([\s\S]*?)```/.exec(read('docs/embedding.md')) ?? []
  const shop = join(place.path, 'shop')
  const script = commands.replace('npm run pack:all --', 'npx tsx scripts/packing/main.ts').replaceAll('../shop', shop)
  const installed = () =>
    run('sh', ['-ec', script], {
      cwd: root,
      env: { ...process.env, npm_config_prefer_offline: 'true', npm_config_ignore_scripts: 'true' },
    })
  const packed = () => readdirSync(join(shop, 'posthorn-packages')).filter((name) => name.includes('-core-'))

  it('runs the README’s program', async () => {
    await installed()
    writeFileSync(join(shop, 'main.ts'), example.replace('listen(3000)', 'listen(0)'))
    const env = { ...process.env, POSTHORN_SECRET: 'a secret of 32 characters or more' }
    const child = spawn(process.execPath, ['--import', 'tsx', 'main.ts'], { cwd: shop, env, stdio: 'inherit' })
    const ended = once(child, 'exit')
    const hasMail = () =>
      existsSync(join(shop, 'outbox')) &&
      readdirSync(join(shop, 'outbox'), { recursive: true }).some((name) => String(name).endsWith('.eml'))
    while (!hasMail() && child.exitCode === null) await sleep(50)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }, 300_000)

  it('has the same dependencies after they are repeated, and no earlier tarballs', async () => {
    const manifest = JSON.parse(readFileSync(join(shop, 'package.json'), 'utf8'))
    const [before = ''] = packed()
    const stale = before.replace(/-[0-9a-f]{12}\.tgz$/, '-000000000000.tgz')
    renameSync(join(shop, 'posthorn-packages', before), join(shop, 'posthorn-packages', stale))
    await installed()
    expect(packed()).toEqual([before])
    expect(JSON.parse(readFileSync(join(shop, 'package.json'), 'utf8'))).toEqual(manifest)
    expect(Object.keys(manifest.dependencies)).toContain('express')
  }, 300_000)
})

describe('a program outside this repository that only calls the API', () => {
  let project = ''
  beforeAll(async () => {
    project = await outsideProject({ packages: ['client'], tarballs: tarballs.path, tools })
    const examples = [...read('packages/client/README.md').matchAll(/^```ts\n([\s\S]*?)^```/gm)]
    writeFileSync(join(project, 'main.ts'), `${examples.map(([, text]) => text).join('\n')}\nexport { worker }\n`)
  }, 300_000)
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('installs the client and nothing else', () => {
    expect(readdirSync(join(project, 'node_modules/@posthorn'))).toEqual(['client'])
  })

  it.each([
    ['Node’s types', ['--types', 'node', '--lib', 'es2022']],
    ['a browser’s types', ['--types', 'node', '--lib', 'es2022,dom,dom.iterable,dom.asynciterable']],
  ])('compiles the client’s README strictly with %s, and checks its declarations', async (_, lib) => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
    const modules = ['--noEmit', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext']
    const { stdout } = await run('npx', ['tsc', ...strict, ...modules, ...lib, 'main.ts'], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })
})
