import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, temporaryDirectory } from './running-server.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = (...args: string[]) => runCommand(args, { POSTHORN_DATA_DIR: data.path })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

let [account, project, _list] = ['', '', '']
beforeAll(async () => {
  account = (await json('account', 'create', 'Acme'))._id
  project = (await json('project', 'create', account, 'Shop'))._id
  _list = ''
})

describe('posthorn', () => {
  it('manages accounts, credit, projects and keys', async () => {
    expect(await json('credit', 'add', account, '500')).toMatchObject({ name: 'Acme', credits: 500 })
    expect((await run('account', 'list')).stdout).toContain('Acme  500')
    expect(await json('project', 'approve', project, '--monthly-limit', '1000')).toMatchObject({
      status: 'production',
      monthlyLimit: 1000,
    })
    const { _id, key } = await json('key', 'create', '--name', 'backend')
    expect(key).toMatch(/^ph_[\w-]{43}$/)
    expect(await json('key', 'list', project)).toMatchObject([{ name: 'backend', lastFour: key.slice(-4) }])
    expect(await json('key', 'revoke', _id)).toHaveProperty('revokedAt')
  })

  it('says in one line what is wrong, on standard error or as JSON, with an exit code', async () => {
    expect(await run('project', 'create', 'nobody', 'Shop')).toMatchObject({ code: 1, stderr: 'Account not found\n' })
    expect(await run('project', 'create', 'nobody', 'Shop', '--json')).toMatchObject({
      code: 1,
      stdout: '{"error":{"name":"not-found","message":"Account not found"}}\n',
    })
    expect(await run('credit', 'add', account, '-5')).toMatchObject({ code: 2 })
    expect(await run('credit', 'add', account, 'many')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no number of credits'),
    })
    expect(await run('fly')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command') })
    expect(await run('key', 'create', 'nowhere')).toMatchObject({ code: 1, stderr: 'There is no project nowhere.\n' })
    expect(await run('campaign', 'status', 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'There is no campaign nowhere.\n',
    })
  })

  it('shares folders of the gallery among the projects of an account, and takes them back', async () => {
    const logos = await json('shared-folder', 'create', account, 'Logos')
    const old = await json('shared-folder', 'create', account, 'Old ones', '--below', logos._id)
    expect(old).toMatchObject({ name: 'Old ones', parentFolderId: logos._id })
    expect((await run('shared-folder', 'list', account)).stdout).toContain(`Old ones  ${logos._id}`)
    expect(await run('shared-folder', 'create', account, ' ')).toMatchObject({ code: 1 })
    expect(await run('shared-folder', 'remove', account, 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'Gallery folder not found\n',
    })
    expect(await run('shared-folder', 'list', 'nobody')).toMatchObject({ code: 1, stderr: 'Account not found\n' })
    expect(await json('shared-folder', 'remove', account, logos._id)).toMatchObject({ name: 'Logos' })
    expect(await json('shared-folder', 'list', account)).toEqual([])
  })

  it('makes tokens for an owner of an account that exists', async () => {
    const { token } = await json('token', '--role', 'account-owner', '--account', account)
    expect(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())).toMatchObject({
      role: 'account-owner',
      accountId: account,
      sub: 'operator',
    })
    expect(await run('token', '--role', 'account-owner')).toMatchObject({ code: 2 })
    expect(await run('token', '--role', 'king')).toMatchObject({ code: 2 })
  })

  it('examines an installation', async () => {
    const found = await json('doctor')
    expect(found.map(({ what, ok }: { what: string; ok: boolean }) => `${what} ${ok}`)).toContain('store true')
    const broken = await runCommand(['doctor'], { POSTHORN_DATA_DIR: '/dev/null/x' })
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('✗  data directory') })
  })
})

describe('posthorn contacts import', () => {
  const file = join(data.path, 'people.csv')

  it('takes what it can, lists the rest by line and reason, and changes nothing when repeated', async () => {
    writeFileSync(
      file,
      'email,name,tags\nada@example.com,Ada,"vip, early"\nno address,Nobody,\nbob@example.com,Bob\nada@EXAMPLE.com,Ada,vip\ncy@example.com,Cy,\n',
    )
    expect(await json('contacts', 'import', file, '--project', project)).toMatchObject({ created: 2, failed: 2 })
    expect(
      readFileSync(`${file}.errors.csv`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(',')[0]),
    ).toEqual(['line', '4', '3'].sort().reverse())
    expect(await json('contacts', 'import', file, '--project', project)).toMatchObject({ created: 0, failed: 2 })
    expect(existsSync(`${file}.import.json`)).toBe(false)
  })

  it('goes on where an earlier import of the same file broke off', async () => {
    const long = join(data.path, 'long.csv')
    writeFileSync(long, `email\n${Array.from({ length: 1200 }, (_, n) => `long${n}@example.com`).join('\n')}\n`)
    const { createHash } = await import('node:crypto')
    const { statSync } = await import('node:fs')
    const { size, mtimeMs } = statSync(long)
    const of = createHash('sha256')
      .update(JSON.stringify([size, mtimeMs, project, undefined, undefined]))
      .digest('hex')
    writeFileSync(`${long}.import.json`, JSON.stringify({ of, line: 1001 }))
    expect(await json('contacts', 'import', long)).toMatchObject({ created: 200 })
    expect(await json('contacts', 'import', long, '--restart')).toMatchObject({ created: 1000, unchanged: 200 })
  })

  it('refuses a file that is not there, and a list of nobody', async () => {
    expect(await run('contacts', 'import', join(data.path, 'nothing.csv'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file'),
    })
    expect(await run('contacts', 'import', file, '--list', '0'.repeat(24))).toMatchObject({
      code: 1,
      stderr: 'Subscriber list not found\n',
    })
  })
})
