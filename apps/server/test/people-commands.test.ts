import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBuiltServer, stopServer, temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn, inJson } from './terminal.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = commandsIn(data.path, { POSTHORN_PUBLIC_URL: 'https://mail.example.com' })
const json = inJson(run)

let [account, project] = ['', '']
beforeAll(async () => {
  await run('store', 'create')
  account = (await json('account', 'create', 'Acme'))._id
  project = (await json('project', 'create', account, 'Shop'))._id
})

const link = (page: string) => new RegExp(`^https://mail\\.example\\.com/console/${page}#[\\w-]{43}\n$`)

describe('posthorn person', () => {
  it('creates a person with a role, prints a link to a password, and lists everybody', async () => {
    expect((await run('person', 'list')).stdout).toBe('There is nobody yet.\n')
    const made = await run('person', 'create', 'Ada@example.com', '--name', 'Ada', '--role', 'owner', '--operator')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(link('reset')) })
    expect(made.stderr).toContain('within 24 hours')
    expect(await json('person', 'list')).toMatchObject([
      {
        email: 'Ada@example.com',
        name: 'Ada',
        operator: true,
        totp: false,
        projects: [{ _id: project, role: 'owner' }],
      },
    ])
    expect((await run('person', 'list')).stdout).toMatch(/^Ada@example\.com +Ada +\w{24} +yes +Shop \(owner\)$/m)
  })

  it('creates a person for one project only, or without any role', async () => {
    const bob = await json('person', 'create', 'bob@example.com', '--role', 'support', '--project', project)
    expect(bob).toMatchObject({ name: 'bob@example.com', operator: false })
    await json('person', 'create', 'eve@example.com')
    const all = await json('person', 'list')
    const projectsOf = (email: string) => all.find((one: { email: string }) => one.email === email).projects
    expect(projectsOf('bob@example.com')).toMatchObject([{ role: 'support' }])
    expect(projectsOf('eve@example.com')).toEqual([])
  })

  it('prints links to sign in, to a new password and to join', async () => {
    expect((await run('person', 'link', 'ada@EXAMPLE.com')).stdout).toMatch(link('link'))
    expect((await run('person', 'reset', 'ada@example.com')).stdout).toMatch(link('reset'))
    const invited = await run('person', 'invite', 'dan@example.com', '--role', 'writer')
    expect(invited.stdout).toMatch(link('invitation'))
    expect(await json('person', 'invite', 'dan@example.com', '--role', 'analyst', '--project', project)).toMatchObject({
      email: 'dan@example.com',
      role: 'analyst',
      within: 'project',
    })
  })

  it('shows the link if the invitation cannot be mailed', async () => {
    const invited = await run('person', 'invite', 'dan@example.com', '--role', 'writer', '--mail')
    expect(invited).toMatchObject({ code: 0, stdout: expect.stringMatching(link('invitation')) })
  })

  it('removes a person, but not the last owner of an account', async () => {
    expect(await run('person', 'remove', 'eve@example.com')).toMatchObject({
      code: 0,
      stdout: 'eve@example.com may not sign in any more\n',
    })
    expect(await run('person', 'remove', 'ada@example.com')).toMatchObject({
      code: 1,
      stderr: 'error: An account must keep at least one owner. Make somebody else an owner first.\n',
    })
  })

  it.each([
    [1, 'error: There is a person with this e-mail address already.\n', () => ['create', 'ADA@example.com']],
    [1, 'error: Person not found\n', () => ['link', 'nobody@example.com']],
    [1, 'error: Person not found\n', () => ['reset', 'eve@example.com']],
    [1, 'error: Person not found\n', () => ['remove', 'eve@example.com']],
    [1, 'error: Say which role with --role <role>.\n', () => ['create', 'x@example.com', '--project', project]],
    [1, 'error: Say which role with --role <role>.\n', () => ['invite', 'x@example.com']],
    [1, 'error: Account not found\n', () => ['create', 'x@example.com', '--role', 'owner', '--account', 'nobody']],
    [1, 'error: Project not found\n', () => ['invite', 'x@example.com', '--role', 'owner', '--project', 'nowhere']],
    [
      1,
      'error: An owner owns the whole account, not one project.\n',
      () => ['invite', 'x@example.com', '--role', 'owner', '--project', project],
    ],
    [2, 'Allowed choices are owner, manager', () => ['create', 'x@example.com', '--role', 'king']],
    [1, 'email', () => ['create', 'no address']],
  ])('gets exit code %i for what is impossible: %s', async (code, stderr, args) => {
    const ended = await run('person', ...args())
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(stderr)])
  })

  it('needs to know which account, where there are several', async () => {
    const other = (await json('account', 'create', 'Other'))._id
    expect(await run('person', 'create', 'x@example.com', '--role', 'manager')).toMatchObject({
      code: 1,
      stderr: 'error: There are several accounts. Say which with --account <id> or --project <id>.\n',
    })
    expect(await run('person', 'create', 'x@example.com', '--role', 'manager', '--account', other)).toMatchObject({
      code: 0,
    })
  })
})

describe('a link of the command line', () => {
  it('signs in to the server once, by whose own address it begins', async () => {
    const server = await startBuiltServer(data.path, { POSTHORN_ROLES: 'api' })
    const { url } = await inJson(commandsIn(data.path))('person', 'link', 'ada@example.com')
    expect(url).toContain('/console/link#')
    const follow = () =>
      fetch(`${server.base}/console/api/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ token: url.split('#')[1] }),
      })
    const first = await follow()
    expect(await first.json()).toMatchObject({ result: { person: { email: 'Ada@example.com' } } })
    expect(first.headers.get('set-cookie')).toContain('HttpOnly')
    expect((await follow()).status).toBe(401)
    await stopServer(server)
  })
})
