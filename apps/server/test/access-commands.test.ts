import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBuiltServer, stopServer, temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn, inJson } from './terminal.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = commandsIn(data.path)
const json = inJson(run)

let project = ''
beforeAll(async () => {
  await run('store', 'create')
  const account = (await json('account', 'create', 'Acme'))._id
  project = (await json('project', 'create', account, 'Shop'))._id
})

describe('the operator', () => {
  it('moves a project out of the sandbox, with or without a request, and back', async () => {
    expect((await run('access', 'list')).stdout).toBe('No request is pending.\n')
    expect((await run('access', 'list', '--status', 'declined')).stdout).toBe('No request is declined.\n')
    expect(await run('access', 'approve', project, '--monthly-limit', '1000')).toMatchObject({
      code: 0,
      stdout: 'Shop is in production; mails a month: 1000\n',
    })
    expect((await run('access', 'show', project)).stdout).toMatch(/^project +\w+\nstatus +approved\n$/)
    expect(await json('access', 'revoke', project)).toMatchObject({ status: 'revoked' })
    expect(await json('access', 'list', '--status', 'revoked')).toMatchObject([{ projectId: project }])
    expect((await run('access', 'approve', project)).stdout).toContain('mails a month: unlimited')
  })

  it.each([
    [1, 'error: The production access is approved, so it cannot be declined.\n', () => ['access', 'decline', project]],
    [1, 'error: There is no limit increase to review.\n', () => ['limit', 'approve', project]],
    [1, 'error: The project is not restricted.\n', () => ['unrestrict', project]],
    [
      1,
      'error: The project sends through the shared service already, in production.\n',
      () => ['access', 'shared', project],
    ],
    [2, "error: missing required argument 'reason'\n", () => ['restrict', project]],
  ])('gets exit code %i for what is impossible: %s', async (code, stderr, args) => {
    expect(await run(...args())).toMatchObject({ code, stderr })
  })

  it('restricts a project, and lifts the restriction', async () => {
    expect((await run('restrict', project, 'Bought addresses')).stdout).toBe(
      'Shop sends nothing any more: Bought addresses\n',
    )
    expect((await run('project', 'list')).stdout).toContain('production, restricted')
    expect(await json('unrestrict', project)).toMatchObject({ restricted: false })
  })
})

describe('a limit increase', () => {
  it('is requested through the API and decided by the operator', async () => {
    const server = await startBuiltServer(data.path, { POSTHORN_ROLES: 'api' })
    const { key } = await json('key', 'create', project)
    const ask = (monthlyLimit: number) =>
      fetch(`${server.base}/v1/projectId/${project}/production-access/limit-increase`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ monthlyLimit, reason: 'The list has grown\u001b[2J\nstatus   approved' }),
      })
    expect((await ask(5000)).status).toBe(200)
    expect((await run('access', 'list')).stdout).toContain('5000')
    expect((await run('access', 'show', project)).stdout).toContain(
      'limit    5000, pending: The list has grown\ufffd[2J status approved\n',
    )
    expect((await run('limit', 'approve', project, '--monthly-limit', '4000')).stdout).toBe(
      'The project’s mails a month: 4000\n',
    )
    expect((await ask(0)).status).toBe(200)
    expect(await json('limit', 'decline', project)).toMatchObject({
      limitIncreases: [{ approvedLimit: 4000 }, { requestedLimit: 0, status: 'declined' }],
    })
    await stopServer(server)
  })
})
