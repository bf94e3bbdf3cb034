import { dnsLookupContract } from '@posthorn/testkit/contracts'
import { scriptedDns } from '../src/index.js'

dnsLookupContract('as a test has it', async () => {
  const dns = scriptedDns()
  return { dns, say: dns.set, close: async () => undefined }
})
