import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { signingCertificate } from '@posthorn/local-aws'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type SesMailerOptions, sesMailer } from '../src/index.js'
import { atEnd, awsOf, mail, region } from './world.js'

afterEach(() => void vi.unstubAllEnvs())

/** The port of a server that ends with the test. */
const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => void server.close())
  return (server.address() as AddressInfo).port
}

const mailerTo = (port: number, limits: SesMailerOptions['limits'] = { connectTimeout: 30_000 }) => {
  const url = `https://127.0.0.1:${port}`
  const mailer = sesMailer({ region, ...awsOf({ url }), limits })
  atEnd(() => mailer.close())
  return mailer
}

const { privateKey, pem } = signingCertificate({ commonName: '127.0.0.1' })
const secureSes = () =>
  createTlsServer({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: pem }, (request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"MessageId":"over-tls"}')
    })
  })

describe('with TLS', () => {
  it('a mail is sent, and the next over the same connection', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const server = secureSes()
    let connections = 0
    server.on('secureConnection', () => {
      connections += 1
    })
    const mailer = mailerTo(await listening(server))
    for (let n = 0; n < 3; n += 1)
      expect(await mailer.send(mail())).toEqual({ kind: 'accepted', providerMessageId: 'over-tls' })
    expect(connections).toBe(1)
  })

  it('an untrusted certificate defers the mail', async () => {
    expect(await mailerTo(await listening(secureSes())).send(mail())).toMatchObject({
      kind: 'deferred',
      error: { name: 'SesUnreachable', message: expect.stringContaining('certificate') },
    })
  })

  it('a missing handshake defers the mail', async () => {
    const server = createServer((socket) => socket.on('error', () => {}))
    const mailer = mailerTo(await listening(server), { connectTimeout: 300 })
    expect(await mailer.send(mail())).toMatchObject({
      kind: 'deferred',
      error: { name: 'SesUnreachable', message: expect.stringContaining('No connection within 300 ms') },
    })
  })
})
