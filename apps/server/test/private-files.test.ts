import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readConfig } from '../src/config.js'
import { type RunningServer, startServer } from '../src/server.js'
import { tokens } from '../src/tokens.js'
import { temporaryDirectory } from './running-server.js'

const directory = temporaryDirectory()
let server: RunningServer | undefined
afterEach(async () => {
  await server?.stop()
  directory.remove()
})

it('A server makes everything in its data directory for its owner alone, under any umask', async () => {
  const path = join(directory.path, 'data')
  const before = process.umask(0)
  try {
    server = await startServer(
      readConfig({ PORT: '0', POSTHORN_DATA_DIR: path, POSTHORN_ROLES: 'api', POSTHORN_LOG_LEVEL: 'silent' }),
    )
    const { container } = server
    await container.get(tokens.store).files.put('gallery/a/image', new Uint8Array([1]))
    await container.get(tokens.mailer).check()
    const mail = {
      deliveryId: 'd:a@example.com',
      from: 'a@example.com',
      to: 'b@example.com',
      mime: 'Subject: x\r\n\r\n',
    }
    await container.get(tokens.mailer).send(mail as never)
  } finally {
    process.umask(before)
  }
  const all = readdirSync(path, { recursive: true }).map(String)
  for (const part of ['posthorn.db', 'posthorn.db-wal', 'posthorn.db-shm', 'secret', 'files/gallery/a/image'])
    expect(all).toContain(part)
  expect(all.some((name) => name.endsWith('.eml'))).toBe(true)
  const open = ['', ...all].filter((name) => (statSync(join(path, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
})
