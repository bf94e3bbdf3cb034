import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn, inJson } from './terminal.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const run = commandsIn(data.path)
const json = inJson(run)

let [account, project] = ['', '']
beforeAll(async () => {
  await run('store', 'create')
  account = (await json('account', 'create', 'Acme'))._id
  project = (await json('project', 'create', account, 'Shop'))._id
})

describe('posthorn', () => {
  it('manages accounts, credit, projects and keys', async () => {
    expect(await json('credit', 'add', account, '500')).toMatchObject({ name: 'Acme', credits: 500 })
    expect((await run('account', 'list')).stdout).toContain('Acme  500')
    const { _id, key } = await json('key', 'create', '--name', 'backend')
    expect(key).toMatch(/^ph_[\w-]{43}$/)
    expect(await json('key', 'list', project)).toMatchObject([{ name: 'backend', lastFour: key.slice(-4) }])
    expect(await json('key', 'revoke', _id)).toHaveProperty('revokedAt')
    expect(await json('key', 'create', '--scope', 'send')).toMatchObject({ scope: 'send' })
    const keys = (await run('key', 'list')).stdout
    for (const row of [/^ID +NAME +SCOPE/, /backend +full/, /API key +send/]) expect(keys).toMatch(row)
    expect(await run('key', 'create', '--scope', 'admin')).toMatchObject({ code: 2 })
  })

  it('reports errors in one line or as JSON, with an exit code', async () => {
    expect(await run('project', 'create', 'nobody', 'Shop')).toMatchObject({
      code: 1,
      stderr: 'error: Account not found\n',
    })
    expect(await run('project', 'create', 'nobody', 'Shop', '--json')).toMatchObject({
      code: 1,
      stdout: '{"error":{"name":"not-found","message":"Account not found"}}\n',
    })
    expect(await run('credit', 'add', account, '-5')).toMatchObject({ code: 2 })
    expect(await run('credit', 'add', account, 'many')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected a whole number from 1 to 1000000000000.'),
    })
    expect(await run('fly')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command') })
    expect(await run('key', 'create', 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'error: There is no project nowhere.\n',
    })
    expect(await run('campaign', 'status', 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'error: There is no campaign nowhere.\n',
    })
  })

  it('shares gallery folders among an account’s projects, and removes them', async () => {
    const logos = await json('shared-folder', 'create', account, 'Logos')
    const old = await json('shared-folder', 'create', account, 'Old ones', '--below', logos._id)
    expect(old).toMatchObject({ name: 'Old ones', parentFolderId: logos._id })
    expect((await run('shared-folder', 'list', account)).stdout).toContain(`Old ones  ${logos._id}`)
    expect(await run('shared-folder', 'create', account, ' ')).toMatchObject({ code: 1 })
    expect(await run('shared-folder', 'remove', account, 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'error: Gallery folder not found\n',
    })
    expect(await run('shared-folder', 'list', 'nobody')).toMatchObject({
      code: 1,
      stderr: 'error: Account not found\n',
    })
    expect(await json('shared-folder', 'remove', account, logos._id)).toMatchObject({ name: 'Logos' })
    expect(await json('shared-folder', 'list', account)).toEqual([])
  })

  it('reports wrong usage as JSON, too', async () => {
    for (const [args, message] of [
      [['fly'], "unknown command 'fly'"],
      [[], 'A command is missing; --help lists them.'],
    ] as const)
      expect(await run(...args, '--json')).toEqual({
        code: 2,
        stdout: `${JSON.stringify({ error: { name: 'CommandFailure', message } })}\n`,
        stderr: '',
      })
  })

  it('prints version and help without an error, also when built', async () => {
    expect(await runCommand(['--version'], {})).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    expect(await run('contacts', 'import', '--help')).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['key', 'list', 'nowhere'], { POSTHORN_DATA_DIR: data.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: There is no project nowhere.\n',
    })
  })

  it('starts and creates nothing for help, or without a store', async () => {
    const empty = temporaryDirectory()
    const there = commandsIn(join(empty.path, 'data'))
    for (const help of [
      ['--help'],
      ['campaign', '--help'],
      ['campaign', 'send', '--help'],
      ['help'],
      ['completion', 'bash'],
    ])
      expect(await there(...help)).toMatchObject({ code: 0 })
    for (const command of [['account', 'list'], ['account', 'create', 'Acme'], ['campaign', 'list'], ['token']])
      expect(await there(...command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no store in ${empty.path}/data. npm start makes one there`),
      })
    expect(await there('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('npm start creates it') })
    expect(readdirSync(empty.path)).toEqual([])
    empty.remove()
  })

  it('prefers --data to the environment, at any place among the arguments', async () => {
    const elsewhere = commandsIn('/nowhere')
    for (const args of [
      ['--data', data.path, 'account', 'list'],
      ['account', 'list', '--data', data.path],
      [`--data=${data.path}`, 'account', 'list'],
    ])
      expect(await elsewhere(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Acme') })
  })

  it('creates tokens for the owner of an existing account', async () => {
    const { token } = await json('token', '--role', 'account-owner', '--account', account)
    expect(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())).toMatchObject({
      role: 'account-owner',
      accountId: account,
      sub: 'operator',
    })
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    expect(exp - iat).toBe(3600)
    expect(await run('token', '--role', 'account-owner')).toMatchObject({ code: 2 })
    expect(await run('token', '--expires', '0h')).toMatchObject({ code: 2 })
    expect(await run('token', '--role', 'king')).toMatchObject({ code: 2 })
  })

  it('checks an installation, with a line and advice per finding', async () => {
    const found = await json('doctor')
    expect(found.map(({ what, ok }: { what: string; ok: boolean }) => `${what} ${ok}`)).toContain('store true')
    expect((await run('doctor')).stdout).toContain(
      '! public URL: links and DNS records lead to http://localhost:3000, which only this machine can reach → set POSTHORN_PUBLIC_URL',
    )
    const broken = await commandsIn('/dev/null/x')('doctor')
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ data directory: ') })
    expect(broken.stdout).toContain('→ set POSTHORN_DATA_DIR to a directory that this user can create\n')
    const wrong = await commandsIn(data.path, { PORT: 'x', SMTP_URL: 'smtp://localhost:25' })('doctor')
    expect(wrong.code).toBe(1)
    expect(
      wrong.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(':').slice(0, 2).join(':')),
    ).toEqual(['✗ configuration: PORT', '✗ configuration: POSTHORN_PUBLIC_URL'])
  })

  it('accepts a port that Posthorn serves, and rejects another program’s', async () => {
    const doctor = (port: number | undefined) =>
      commandsIn(data.path, { PORT: String(port), POSTHORN_ROLES: 'api' })('doctor')
    const answering = async (status: number) => {
      const program = createServer((_request, response) => response.writeHead(status).end())
      await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
      return program
    }
    const [posthorn, stranger] = [await answering(200), await answering(404)]
    expect(await doctor((posthorn.address() as AddressInfo).port)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is in use by this server, which is ready'),
    })
    expect(await doctor((stranger.address() as AddressInfo).port)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('is in use by another'),
    })
    posthorn.close()
    stranger.close()
  })
})

describe('posthorn contacts import', () => {
  const file = join(data.path, 'people.csv')

  it('imports valid rows, lists the others by line and reason, and changes nothing when repeated', async () => {
    writeFileSync(
      file,
      'email,name,tags\nada@example.com,Ada,"vip, early"\nno address,Nobody,\nbob@example.com,Bob\nada@EXAMPLE.com,Ada,vip\ncy@example.com,Cy,\n',
    )
    expect(await json('contacts', 'import', file, '--project', project)).toMatchObject({ created: 2, failed: 2 })
    expect(readFileSync(`${file}.errors.csv`, 'utf8')).toBe(
      'line,error,email,name,tags\n3,Invalid email format,no address,Nobody,\n4,"The row has 2 cells, and the header has 3.",bob@example.com,Bob\n',
    )
    expect(await json('contacts', 'import', file, '--project', project)).toMatchObject({ created: 0, failed: 2 })
    expect(existsSync(`${file}.import.json`)).toBe(false)
  })

  it('continues an interrupted import, including its counts and rejected rows', async () => {
    const n = 20_000
    const long = join(data.path, 'long.csv')
    const rows = Array.from({ length: n }, (_, i) => `long${i}@example.com`)
    writeFileSync(long, ['email', 'nobody', ...rows, 'nobody', ''].join('\n'))
    const dying = { NODE_OPTIONS: `--import=${new URL('dying-import.js', import.meta.url).href}` }
    const brokenOff = await runCommand(['contacts', 'import', long], { POSTHORN_DATA_DIR: data.path, ...dying })
    expect([brokenOff.code, existsSync(`${long}.import.json`)]).toEqual([null, true])
    const { stdout, stderr } = await run('contacts', 'import', long)
    expect(stderr).toMatch(/^Going on after line \d{3,}\n/)
    const [created, updated, unchanged, failed] = [...stdout.matchAll(/\d+/g)].map(Number)
    expect([(created ?? 0) + (unchanged ?? 0), updated, failed]).toEqual([n, 0, 2])
    const errors = readFileSync(`${long}.errors.csv`, 'utf8').split('\n')
    expect(errors.map((line) => line.split(',')[0])).toEqual(['line', '2', String(n + 3), ''])
    expect(existsSync(`${long}.import.json`)).toBe(false)
  })

  it('rejects unknown columns, encodings and statuses', async () => {
    const odd = join(data.path, 'odd.csv')
    writeFileSync(odd, 'email,shoe size\na@example.com,38\n')
    const refused = async (...args: string[]) => run('contacts', 'import', odd, ...args)
    expect(await refused()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('  "shoe size": would be shoeSize, a number\n'),
    })
    expect(await refused('--encoding', 'klingon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--encoding: klingon is not known'),
    })
    expect(await refused('--status', 'paused')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are active, unverified'),
    })
  })

  it('rejects a missing file and an unknown list', async () => {
    expect(await run('contacts', 'import', join(data.path, 'nothing.csv'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file'),
    })
    expect(await run('contacts', 'import', file, '--list', '0'.repeat(24))).toMatchObject({
      code: 1,
      stderr: 'error: Subscriber list not found\n',
    })
  })
})
