import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { MongoServerError } from 'mongodb'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { openMongoDatabase, type SentMongoCommand } from '../../src/connection/mongo-database.js'
import { openingAdvice } from '../../src/connection/opening-advice.js'
import { openMongoStore } from '../../src/index.js'
import { dropDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'
import { startJavaServer } from '../server/java-server.js'
import type { RunningServer } from '../server/running-server.js'

const log = () => {}

onMongoDB('a database on MongoDB', () => {
  it('connects to the named database, and reports when it is ready', async () => {
    const database = await openMongoDatabase({ url: databaseUrl('posthorn_test_named'), log })
    expect(database.db.databaseName).toBe('posthorn_test_named')
    expect(await database.ready()).toBe(true)
    await database.close()
    expect(await database.ready()).toBe(false)
  })

  it('writes to and reads from a majority, whatever the URL says', async () => {
    const url = databaseUrl()
    const lower = 'w=1&journal=false&wtimeoutMS=1&readConcernLevel=local&readPreference=secondary'
    const { db, close } = await openMongoDatabase({ url: `${url}${url.includes('?') ? '&' : '?'}${lower}`, log })
    expect(db.writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 12_000 })
    expect(db.readConcern).toMatchObject({ level: 'majority' })
    expect(db.readPreference).toMatchObject({ mode: 'primary' })
    await close()
  })

  it('sends a time limit with every operation', async () => {
    const url = databaseUrl()
    const sent: SentMongoCommand[] = []
    const { db, close } = await openMongoDatabase({ url, log, onCommand: (command) => sent.push(command) })
    const notes = db.collection<{ _id: string; n?: number }>('notes')
    const one = { _id: 'a' }
    const more = { $inc: { n: 1 } }
    const operations: readonly (() => Promise<unknown>)[] = [
      () => notes.insertOne(one),
      () => notes.insertMany([{ _id: 'b' }], { ordered: false }),
      () => notes.bulkWrite([{ updateOne: { filter: one, update: more } }], { ordered: false }),
      () => notes.bulkWrite([{ insertOne: { document: { _id: 'c' } } }, { deleteOne: { filter: { _id: 'c' } } }]),
      () => notes.updateOne(one, more),
      () => notes.updateMany(one, more, { upsert: true }),
      () => notes.replaceOne(one, { n: 1 }),
      () => notes.findOneAndUpdate(one, more),
      () => notes.findOneAndReplace(one, { n: 1 }),
      () => notes.find(one, { sort: { _id: 1 } }).toArray(),
      () => notes.findOne(),
      () => notes.aggregate([{ $match: one }]).toArray(),
      () => notes.countDocuments(),
      () => notes.distinct('n'),
      () => notes.findOneAndDelete(one),
      () => notes.deleteOne(one),
      () => notes.deleteMany({}),
    ]
    for (const operation of operations) await operation()
    const told = sent.filter(({ collection }) => collection === 'notes')
    expect(told.length).toBeGreaterThan(operations.length)
    expect(told.filter(({ command }) => command.maxTimeMS !== 12_000)).toEqual([])
    await notes.find({}, { maxTimeMS: 10_000 }).toArray()
    expect(sent.at(-1)?.command.maxTimeMS).toBe(10_000)
    await close()
    await dropDatabase(url)
  })

  it('cannot be opened with wrong credentials, and nothing is changed', async () => {
    const url = databaseUrl()
    const wrong = url.replace('//', '//ada:secret@')
    await expect(openMongoStore({ url: wrong, log })).rejects.toThrow(
      /^The database mongodb:\/\/…@.* cannot be opened: /,
    )
    const { db, close } = await openMongoDatabase({ url, log })
    expect(await db.listCollections().toArray()).toEqual([])
    await close()
    await dropDatabase(url)
  })
})

// These wait for the driver's time limits, so at the same time.
describe.concurrent('an error on opening is explained to the operator without the password:', () => {
  it('an unreachable server', async () => {
    const opened = openMongoDatabase({ url: 'mongodb://ada:secret@127.0.0.1:1/posthorn', log })
    await expect(opened).rejects.toThrow(
      'The database mongodb://…@127.0.0.1:1/posthorn cannot be opened: connect ECONNREFUSED 127.0.0.1:1.',
    )
  })

  it.each([
    'postgres://ada:secret@localhost',
    'mongodb://',
    'mongodb://ada:secret@localhost:port/',
    'mongodb://ada:secret@',
    'mongodb://ada:p/secret@localhost/',
    'mongodb://ada:p@secret@localhost/',
    'mongodb://ada:secret%@localhost/',
    'mongodb://ada:secret@localhost/?w=x&unknown=1',
    'mongodb+srv://ada:secret@localhost:1/',
    '',
  ])('the URL %j', async (url) => {
    const opened = openMongoDatabase({ url, log })
    await expect(opened).rejects.toThrow('cannot be opened: ')
    await expect(opened).rejects.not.toThrow(/secret/)
  })
})

/** A server that closes connections whose first bytes it does not understand, as mongod does. */
const closingServer = async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** It speaks TLS, with a certificate that nobody signed. */
const tlsServer = async (directory: string) => {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2']
  execFileSync('openssl', [...made, '-subj', '/CN=localhost'], { stdio: 'ignore' })
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) =>
    socket.on('error', () => {}),
  )
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

describe.concurrent('an address whose options do not fit the server is explained:', () => {
  const opening = async (server: Server, options: string) => {
    const { port } = server.address() as AddressInfo
    const opened = openMongoDatabase({ url: `mongodb://127.0.0.1:${port}/posthorn${options}`, log })
    try {
      await opened
      return 'opened'
    } catch (error) {
      return (error as Error).message
    } finally {
      server.close()
    }
  }

  it('TLS to a port without', async () => {
    expect(await opening(await closingServer(), '?tls=true')).toContain('The address asks for TLS, and the server')
  })

  it('no TLS to a port with it, or a certificate that is not trusted', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'posthorn-tls-'))
    try {
      const [plain, secured] = [await tlsServer(directory), await tlsServer(directory)]
      const reasons = await Promise.all([opening(plain, ''), opening(secured, '?tls=true')])
      expect(reasons).toEqual([
        expect.stringContaining('If the server accepts only TLS, add tls=true'),
        expect.stringContaining('with tlsCAFile=<file>'),
      ])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

onMongoDB('an address with a wrong replica set', () => {
  it('is explained', async () => {
    const url = databaseUrl()
    const wrong = `${url.replace(/replicaSet=[^&]*&?/, '')}${url.includes('?') ? '&' : '?'}replicaSet=other`
    await expect(openMongoDatabase({ url: wrong, log })).rejects.toThrow(
      'No server of the address belongs to the replica set that its option replicaSet names',
    )
  })
})

describe('the advice for an address', () => {
  it('names authSource for rejected credentials', () => {
    const rejected = new MongoServerError({ code: 18, message: 'Authentication failed.' })
    expect(openingAdvice('mongodb://ada:secret@db/posthorn', rejected)).toContain('authSource=admin')
  })

  it('is none where the words of the driver say it', () => {
    expect(openingAdvice('mongodb://db/posthorn', new Error('connect ECONNREFUSED'))).toBeUndefined()
  })
})

const hasNone = inject('mongo').name !== 'mongo-java-server'
describe.skipIf(hasNone)('a dedicated server (mongo-java-server)', { concurrent: true }, () => {
  const started: RunningServer[] = []
  afterAll(() => Promise.all(started.map((server) => server.stop('SIGKILL'))))
  const aServer = async (options?: Parameters<typeof startJavaServer>[0]) => {
    const server = await startJavaServer(options)
    started.push(server)
    return server
  }

  it('older than MongoDB 5.0 is refused', async () => {
    const server = await aServer({ major: 4 })
    await expect(openMongoStore({ url: server.url, log })).rejects.toThrow(
      `The database ${server.url} cannot be opened: it is MongoDB 4.0.0, and Posthorn needs MongoDB 5.0 or newer.`,
    )
  })

  it('that is frozen is not ready, and is again when it continues', async () => {
    const server = await aServer()
    const { ready, close } = await openMongoDatabase({ url: server.url, log })
    expect(await ready()).toBe(true)
    process.kill(server.pid, 'SIGSTOP')
    while (await ready()) await pause(50)
    process.kill(server.pid, 'SIGCONT')
    while (!(await ready())) await pause(50)
    await close()
  })

  it('that restarts is found again, with log lines', async () => {
    const said: string[] = []
    const server = await aServer()
    const { ready, close } = await openMongoDatabase({ url: server.url, log: (_, message) => said.push(message) })
    await server.stop()
    expect(await ready()).toBe(false)
    while (said.length === 0) await pause(50)
    await aServer({ port: Number(new URL(server.url).port) })
    while (said.length === 1) await pause(50)
    expect(await ready()).toBe(true)
    await close()
    expect(said).toEqual(['A database server does not answer', 'A database server answers'])
  })
})
