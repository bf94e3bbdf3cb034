import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dnsServer } from '../../../packages/adapters-node/test/dns-server.js'
import {
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'

type Added = {
  readonly _id: string
  readonly requiredDns: {
    readonly dkimCNAMEs: readonly { readonly name: string; readonly value: string }[]
    readonly mx: { readonly name: string; readonly value: string }
  }
}

const region = 'eu-west-1'
const sender = { email: 'shop@shop.example', region }
const starts = async (environment: Readonly<Record<string, string>>) => {
  const data = temporaryDirectory()
  const server = await startBuiltServer(data.path, environment)
  return { server, data }
}

describe('a server that verifies domains', () => {
  let dns: Awaited<ReturnType<typeof dnsServer>>
  let [server, data]: [RunningServer?, ReturnType<typeof temporaryDirectory>?] = []
  beforeAll(async () => {
    dns = await dnsServer()
    const environment = { POSTHORN_DNS_SERVERS: dns.address, POSTHORN_RELAY_DOMAIN: 'relay.example' }
    ;({ server, data } = await starts(environment))
  })
  afterAll(async () => {
    if (server) await stopServer(server)
    data?.remove()
    await dns.close()
  })

  it('queries the given DNS server, and accepts senders once it returns the keys', async () => {
    if (!server) throw new Error('There is no server')
    const { get, post } = projectOf(server)
    await expect(post('/sender-identities', sender)).rejects.toThrow('shop.example is not verified in eu-west-1')
    const { _id, requiredDns } = (await post('/domains', { domain: 'shop.example', region })) as unknown as Added
    await expect(post(`/domains/${_id}/check`, {})).resolves.toMatchObject({ observed: { dkim: { allOk: false } } })
    for (const { name, value } of requiredDns.dkimCNAMEs) {
      expect(value).toMatch(/\.dkim\.relay\.example$/)
      dns.say('CNAME', name, [{ domain: value }])
    }
    dns.say('MX', requiredDns.mx.name, [{ exchange: requiredDns.mx.value, priority: 10 }])
    await expect(post(`/domains/${_id}/check`, {})).resolves.toMatchObject({
      observed: { dkim: { allOk: true }, mx: { present: true }, spf: { present: false }, allOk: false },
    })
    await post('/sender-identities', sender)
    expect((await get('/sender-identities')).items.map(({ email }) => email)).toEqual([
      'hello@example.com',
      'no-reply@shop.example',
      'shop@shop.example',
    ])
  })
})

it.each([
  ['whose relay decides', { SMTP_URL: 'smtp://127.0.0.1:9', POSTHORN_PUBLIC_URL: 'http://localhost:9' }],
  ['that was told to', { POSTHORN_VERIFY_DOMAINS: 'false' }],
])('a server %s accepts senders of any domain', async (_, environment) => {
  const { server, data } = await starts(environment)
  expect(await projectOf(server).post('/sender-identities', sender)).toMatchObject(sender)
  await stopServer(server)
  data.remove()
})
