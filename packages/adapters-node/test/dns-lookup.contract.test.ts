import { dnsLookupContract } from '@posthorn/testkit/contracts'
import { dnsLookup } from '../src/index.js'
import { dnsServer } from './dns-server.js'

const recordOf = {
  CNAME: (text: string) => ({ domain: text }),
  TXT: (text: string) => ({ data: text }),
  MX: (text: string) => {
    const [priority, exchange = ''] = text.split(' ')
    return { priority: Number(priority), exchange }
  },
}

dnsLookupContract('by the resolver of node', async () => {
  const server = await dnsServer()
  return {
    dns: dnsLookup({ servers: [server.address] }),
    say: (type, name, values) =>
      server.say(type, name, values instanceof Error ? 'SERVFAIL' : values.map((text) => recordOf[type](text))),
    close: server.close,
  }
})
