import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { localReceiver } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostLookup } from '../src/dns-lookup.js'
import { guardedRequest } from '../src/guarded-request.js'
import { dnsServer } from './dns-server.js'

let server: Awaited<ReturnType<typeof dnsServer>>
beforeAll(async () => {
  server = await dnsServer()
})
afterAll(() => server.close())

const lookup = () => hostLookup({ servers: [server.address], timeoutMilliseconds: 20_000 })
const hasty = () => hostLookup({ servers: [server.address], timeoutMilliseconds: 100 })

describe('the lookup of an untrusted host', () => {
  it('returns addresses of both families, up to a limit', async () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ address: `192.0.2.${n % 250}` }))
    server.say('A', 'many.example.com', many)
    expect(await lookup()('many.example.com')).toHaveLength(16)
  })

  it.each(['SERVFAIL', 'REFUSED', 'silence', 'rubbish', 'NXDOMAIN'] as const)(
    'fails if the answer is %s',
    async (said) => {
      server.say('A', `${said}.a.example.com`, said)
      await expect(hasty()(`${said}.a.example.com`)).rejects.toBeInstanceOf(Error)
    },
  )

  it('fails for an alias of itself or of nothing', async () => {
    server.say('A', 'loop.example.com', [{ type: 5, domain: 'loop.example.com' } as never])
    await expect(hasty()('loop.example.com')).rejects.toBeInstanceOf(Error)
  })

  it('blocks no thread that file access needs, however many names are silent', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `silent${n}.example.com`)
    for (const name of names) server.say('A', name, 'silence')
    let isOver = false
    const waiting = Promise.allSettled(names.map(lookup())).then(() => {
      isOver = true
    })
    await Promise.all(Array.from({ length: 20 }, () => readFile(import.meta.filename)))
    expect(isOver).toBe(false)
    void waiting
  })

  it('connects only to the address that was checked', async () => {
    const receiver = await localReceiver((_, response) => response.end('secret'))
    const { port } = new URL(receiver.url)
    const answers = [['192.0.2.1'], ['127.0.0.1'], ['127.0.0.1', '192.0.2.1'], ['::ffff:127.0.0.1']]
    let asked = 0
    const rebinding = async () => {
      asked += 1
      return (answers[asked % answers.length] ?? []).map((address) => ({ address, family: 4 }))
    }
    for (let n = 0; n < answers.length; n += 1)
      await expect(
        guardedRequest(
          `http://rebinding.example.com:${port}/`,
          { lookup: rebinding, timeoutMs: 300 },
          { method: 'GET', headers: {} },
          text,
        ),
      ).rejects.toMatchObject({ name: 'Unreachable' })
    await receiver.close()
  })
})
