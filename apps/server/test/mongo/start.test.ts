import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dropDatabase, withDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import {
  bootstrapKey,
  freePort,
  idsIn,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../../tests/server-process.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

/** What a start prints that fails, with its exit code. */
const refusal = (environment: Record<string, string>) =>
  startBuiltServer(data.path, environment).then(
    async (server) => {
      await stopServer(server)
      return 'It started'
    },
    (error: Error) => error.message,
  )

describe('a start on MongoDB', () => {
  it('reports an unreachable database in one message without the password', async () => {
    const message = await refusal({ MONGODB_URL: `mongodb://user:hunter2@127.0.0.1:${await freePort()}/mail` })
    expect(message).toMatch(
      /ended with 1: error: The database mongodb:\/\/…@127\.0\.0\.1:\d+\/mail cannot be opened: .*ECONNREFUSED/,
    )
    expect(message).not.toMatch(/hunter2| {4}at /)
  })

  it('reports a wrong URL without the password', async () => {
    for (const [url, reason] of [
      ['mongodb://user:hunter2@', 'cannot be opened'],
      ['mongodb://user:hunter2@localhost/mail?retryWrite=true', 'option retrywrite is not supported'],
      ['http://user:hunter2@localhost', 'MONGODB_URL: the given value is not a URL that begins with mongodb://'],
    ] as const) {
      const message = await refusal({ MONGODB_URL: url })
      expect(message).toContain('ended with 1: ')
      expect(message).toContain(reason)
      expect(message).not.toMatch(/hunter2| {4}at /)
    }
  })
})

onMongoDB('a start on a MongoDB server', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  const collections = () =>
    withDatabase(url, async ({ db }) =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
    )

  it('changes nothing with wrong credentials, and hides the password', async () => {
    const message = await refusal({ MONGODB_URL: url.replace('mongodb://', 'mongodb://user:hunter2@') })
    expect(message).toMatch(/ended with 1: error: The database mongodb:\/\/…@\S+ cannot be opened: /)
    expect(message).not.toMatch(/hunter2| {4}at /)
    expect(await collections()).toEqual([])
  })

  it('changes nothing in a database of a newer version', async () => {
    await withDatabase(url, ({ db }) =>
      db.collection<{ _id: string; version: number }>('schema').insertOne({ _id: 'posthorn', version: 999 }),
    )
    const message = await refusal({ MONGODB_URL: url })
    expect(message).toContain('its schema has version 999, and this version of Posthorn needs 2. Nothing was changed.')
    expect(await collections()).toEqual(['schema'])
  })

  it('refuses a secret that differs from the first, and accepts the same', async () => {
    const first = await startBuiltServer(join(data.path, '1'), { MONGODB_URL: url })
    expect(await refusal({ MONGODB_URL: url })).toContain(
      'ended with 1: error: This database is in use with another secret.',
    )
    await stopServer(first)
    const again = await startBuiltServer(join(data.path, '1'), { MONGODB_URL: url })
    expect(await stopServer(again)).toBe(0)
  })

  it('works like the embedded store: prints what to paste, and keeps it for the next start', async () => {
    const first = await startBuiltServer(data.path, { MONGODB_URL: url })
    const { project } = idsIn(first.printed())
    expect(await stopServer(first)).toBe(0)
    const second = await startBuiltServer(data.path, { MONGODB_URL: url })
    expect(second.printed()).not.toContain('This is the first start')
    const { status } = await fetch(`${second.base}/v1/projectId/${project}`, {
      headers: { authorization: `Bearer ${bootstrapKey}` },
    })
    expect([status, (await fetch(`${second.base}/readyz`)).status]).toEqual([200, 200])
    await stopServer(second)
  })
})
