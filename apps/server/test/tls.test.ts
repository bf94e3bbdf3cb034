import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { Agent, get } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { signingCertificate } from '@posthorn/local-aws'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { readConfig } from '../src/config.js'
import { findingsBeforeStart } from '../src/doctor/findings.js'
import { type StartedServer, startServer } from '../src/server.js'

const data = temporaryDirectory()
let server: StartedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
  data.remove()
})

/** A directory with a certificate and its key, as certbot keeps them: symbolic links into another one per renewal. */
const certified = (options: Parameters<typeof signingCertificate>[0] = { commonName: 'one.example' }) => {
  const files = { cert: join(data.path, 'fullchain.pem'), key: join(data.path, 'privkey.pem') }
  let renewals = 0
  const pointTo = (path: string, target: string) => {
    symlinkSync(target, `${path}.new`)
    renameSync(`${path}.new`, path)
  }
  const renew = (made: Parameters<typeof signingCertificate>[0]) => {
    const { privateKey, pem } = signingCertificate(made)
    renewals += 1
    const archive = join(data.path, `archive-${renewals}`)
    mkdirSync(archive, { recursive: true })
    writeFileSync(join(archive, 'cert.pem'), pem)
    writeFileSync(join(archive, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    pointTo(files.cert, join(archive, 'cert.pem'))
    pointTo(files.key, join(archive, 'key.pem'))
  }
  renew(options)
  return { files, renew }
}

const environment = (files: { readonly cert: string; readonly key: string }) => ({
  PORT: '0',
  POSTHORN_STORE: 'memory',
  POSTHORN_DATA_DIR: join(data.path, 'data'),
  POSTHORN_ROLES: 'api',
  POSTHORN_LOG_LEVEL: 'silent',
  POSTHORN_TLS_CERT: files.cert,
  POSTHORN_TLS_KEY: files.key,
})

const started = async (files: { readonly cert: string; readonly key: string }, every = 60_000) => {
  server = await startServer({ ...readConfig(environment(files)), tls: { ...files, every } })
  return server.base ?? ''
}

/** Status and body, over a new connection that does not ask who signed the certificate. */
const answerOf = async (url: string) => {
  const agent = new Agent({ rejectUnauthorized: false })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).once('error', reject)
  })
  return { status: response.statusCode, body: await text(response) }
}

const nameNow = (base: string) =>
  new Promise<string | readonly string[]>((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN)
      socket.destroy()
    }).once('error', reject)
  })

describe('a server with a certificate', () => {
  it('answers by HTTPS and names that scheme', async () => {
    const base = await started(certified().files)
    expect(base).toMatch(/^https:/)
    expect((await answerOf(`${base}/healthz`)).status).toBe(200)
    expect((await answerOf(`${base}/v1/nowhere`)).body).toContain('NOT_FOUND')
  })

  it('closes connections that speak plain HTTP, and goes on', async () => {
    const base = await started(certified().files)
    const refused = new Promise((resolve) =>
      getPlain(base.replace('https', 'http'), () => resolve('answered')).once('error', () => resolve('closed')),
    )
    expect(await refused).toBe('closed')
    expect((await answerOf(`${base}/healthz`)).status).toBe(200)
  })

  it('uses a renewed certificate without a restart', async () => {
    const { files, renew } = certified()
    const base = await started(files, 20)
    expect(await nameNow(base)).toBe('one.example')
    renew({ commonName: 'two.example' })
    await expect.poll(() => nameNow(base)).toBe('two.example')
  })

  it('keeps the certificate while a file is gone, and takes the next one', async () => {
    const { files, renew } = certified()
    const base = await started(files, 20)
    rmSync(files.cert)
    expect(await nameNow(base)).toBe('one.example')
    renew({ commonName: 'two.example' })
    await expect.poll(() => nameNow(base)).toBe('two.example')
  })

  it('closes an idle connection for a new one at the limit, though others open more than that', async () => {
    const { files } = certified()
    const limits = { POSTHORN_CONNECTIONS: '2', POSTHORN_CONNECTIONS_PER_ADDRESS: '2' }
    server = await startServer(readConfig({ ...environment(files), ...limits }))
    const base = server.base ?? ''
    const { port } = new URL(base)
    const idle = [1, 2, 3, 4].map(() => connect(Number(port), '127.0.0.1').on('error', () => undefined))
    expect((await answerOf(`${base}/healthz`)).status).toBe(200)
    await expect.poll(() => idle.filter(({ closed }) => !closed).length).toBe(1)
    expect((await answerOf(`${base}/healthz`)).status).toBe(200)
    for (const socket of idle) socket.destroy()
  })

  it('stops although a client never finishes its handshake', async () => {
    const base = await started(certified().files)
    const socket = connect(Number(new URL(base).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    await server?.stop()
    await expect.poll(() => socket.closed).toBe(true)
  })
})

/** root reads every file, so it becomes another user for a while. */
const asNobody = async <T>(run: () => Promise<T>): Promise<T> => {
  if (process.geteuid?.() !== 0) return run()
  process.seteuid?.(65_534)
  return run().finally(() => process.seteuid?.(0))
}

describe('a server whose certificate cannot be used', () => {
  const refusal = async (files: { readonly cert: string; readonly key: string }) =>
    startServer(readConfig(environment(files))).then(
      () => 'started',
      (error: Error) => error.message,
    )

  it('names a missing file', async () => {
    const { files } = certified()
    expect(await refusal({ ...files, cert: '/nowhere/cert.pem' })).toBe(
      'There is no certificate file /nowhere/cert.pem.',
    )
    expect(await refusal({ ...files, key: '/nowhere/key.pem' })).toBe('There is no key file /nowhere/key.pem.')
  })

  it('names a key that does not match', async () => {
    const { files } = certified()
    const { privateKey } = signingCertificate()
    writeFileSync(files.key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(await refusal(files)).toBe(`The key ${files.key} does not belong to the certificate ${files.cert}.`)
  })

  it('says how to remove the password of a key', async () => {
    const { files } = certified()
    const { privateKey } = signingCertificate()
    const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
    writeFileSync(files.key, privateKey.export(encrypted))
    expect(await refusal(files)).toContain('protected by a password. Remove it: openssl pkey')
  })

  it('names a file of something else, and a directory', async () => {
    const { files } = certified()
    expect(await refusal({ cert: files.key, key: files.key })).toContain(`${files.key} contains no certificate`)
    expect(await refusal({ cert: files.cert, key: files.cert })).toContain(`${files.cert} contains no private key`)
    expect(await refusal({ ...files, cert: data.path })).toContain('is a directory')
  })

  it('says that this user may not read a file', async () => {
    const { files } = certified()
    chmodSync(files.key, 0)
    const message = await asNobody(() => refusal(files))
    expect(message).toContain('may not read the')
    expect(message).toContain('Give it read access')
  })

  it('needs both files', () => {
    const { POSTHORN_TLS_KEY: _, ...without } = environment({ cert: 'a', key: 'b' })
    expect(() => readConfig(without)).toThrow('POSTHORN_TLS_CERT: it needs POSTHORN_TLS_KEY')
  })

  it('starts with an expired certificate, which doctor reports', async () => {
    const { files } = certified({ days: 1, now: new Date('2020-01-01') })
    const base = await started(files)
    expect((await answerOf(`${base}/healthz`)).status).toBe(200)
    const found = await findingsBeforeStart(environment(files))
    expect(found.find(({ what }) => what === 'HTTPS')).toMatchObject({
      ok: false,
      says: expect.stringContaining('expired'),
    })
  })

  it('is told by doctor that links by HTTP lead nowhere', async () => {
    const { files } = certified()
    const found = await findingsBeforeStart({ ...environment(files), POSTHORN_PUBLIC_URL: 'http://mail.example.com' })
    expect(found.find(({ what }) => what === 'public URL')?.todo).toContain('begin with https')
  })
})
