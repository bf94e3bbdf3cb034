import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort, startBuiltServer, stopServer, temporaryDirectory } from '../../../tests/server-process.js'
import { markServerRunning, serversUsingDirectory, sharedDirectoryWarning } from '../src/running-servers.js'
import { commandsIn } from './terminal.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

const everything = new Set(['api', 'worker'] as const)
const marks = () => join(data.path, 'servers')
const doctor = async () => (await commandsIn(data.path)('doctor')).stdout

it('the mark of a killed server, and a copy of it as on another machine, count as nothing and are removed by the next start', async () => {
  const first = await startBuiltServer(data.path)
  expect(await serversUsingDirectory(marks())).toEqual([expect.objectContaining({ pid: first.child.pid })])
  await stopServer(first, 'SIGKILL')
  const copy = temporaryDirectory()
  cpSync(data.path, copy.path, { recursive: true })
  for (const path of [data.path, copy.path]) {
    expect(readdirSync(join(path, 'servers'))).toHaveLength(1)
    expect(await serversUsingDirectory(join(path, 'servers'))).toEqual([])
    const next = await startBuiltServer(path)
    expect(next.printed()).not.toContain('Another server')
    expect(readdirSync(join(path, 'servers'))).toHaveLength(1)
    await stopServer(next)
    expect(readdirSync(join(path, 'servers'))).toEqual([])
  }
  copy.remove()
})

describe('two servers on one directory', () => {
  it('are both named, with what to do, if each does everything', async () => {
    const first = await startBuiltServer(data.path)
    expect(await doctor()).toMatch(/^✓ servers: process \d+ on \S+, started \S+: api and worker$/m)
    const second = await startBuiltServer(data.path)
    expect(second.printed()).toContain(
      `Another server uses the data directory ${data.path}, too: process ${first.child.pid} on`,
    )
    expect(await doctor()).toMatch(
      /^! servers: process \d+ on .*; process \d+ on .* → end one of them, or give one the variable POSTHORN_ROLES=api/m,
    )
    await Promise.all([stopServer(first), stopServer(second)])
    expect(await doctor()).not.toContain('servers:')
  })

  it('are no mistake if they divide the roles', async () => {
    const api = await startBuiltServer(data.path, { POSTHORN_ROLES: 'api' })
    const worker = await startBuiltServer(data.path, { POSTHORN_ROLES: 'worker' })
    expect(`${api.printed()}${worker.printed()}`).not.toContain('Another server')
    expect(await doctor()).toMatch(/^✓ servers: .*: api; process .*: worker$|^✓ servers: .*: worker; process .*: api$/m)
    await Promise.all([stopServer(api), stopServer(worker)])
  })

  it('that want one port: the second says which server has it, and the first goes on', async () => {
    const port = String(await freePort())
    const first = await startBuiltServer(data.path, { PORT: port })
    await expect(startBuiltServer(data.path, { PORT: port })).rejects.toThrow(
      new RegExp(
        `Port ${port} of \\S+ is in use by another program\\. .* A server runs on this data directory already: process ${first.child.pid} on`,
      ),
    )
    expect((await fetch(`${first.base}/readyz`)).status).toBe(200)
    await stopServer(first)
  })
})

describe('a mark', () => {
  it('never fails a start: not where it cannot be written, nor beside files of any name', async () => {
    const file = join(data.path, 'file')
    writeFileSync(file, '')
    expect((await markServerRunning(file, everything, new Date())).others).toEqual([])
    mkdirSync(marks())
    for (const name of ['x', '.x.y', Buffer.from('{"pid":1}').toString('base64url')])
      writeFileSync(join(marks(), name), '')
    const { others, close } = await markServerRunning(marks(), everything, new Date())
    expect(others).toEqual([])
    close()
    expect(readdirSync(marks())).toHaveLength(3)
  })

  it('of a worker is no reason for a warning to one that does everything', () => {
    const worker = { pid: 1, host: 'a', roles: ['worker' as const], startedAt: '2026-05-01T12:00:00.000Z' }
    expect(sharedDirectoryWarning('/data', everything, [worker])).toBeUndefined()
    expect(sharedDirectoryWarning('/data', new Set(['api']), [{ ...worker, roles: ['api', 'worker'] }])).toBeUndefined()
  })
})
