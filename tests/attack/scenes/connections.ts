import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { holding, whileHeld } from '../held.js'
import { type Scene, type Stage, unless } from '../scene.js'

type Asked = {
  readonly method?: string
  readonly path: string
  readonly key?: string
  readonly origin?: string
  readonly body?: unknown
}

/** The status of a request on a connection of its own, 0 if there is no answer within ten seconds. */
const fresh = ({ target }: Stage, { method = 'GET', path, key, body }: Asked): Promise<number> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(target.base)
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    }
    const one = request({ agent: false, hostname, port, method, path, headers, timeout: 10_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    one.on('timeout', () => one.destroy())
    one.on('error', () => resolve(0))
    one.end(bytes)
  })

/** What still works for others: new clients get responses, and a mail leaves. */
const othersAreServed = async (stage: Stage, transactionalId: string): Promise<readonly string[]> => {
  const { victim, client, size } = stage
  const broken: string[] = []
  for (let n = 0; n < size(20, 5); n += 1) {
    const status = await fresh(stage, { path: `/v1/projectId/${victim.projectId}`, key: victim.key })
    if (status !== 200) broken.push(`a new client was answered ${status}`)
  }
  const email = `reader-${Date.now()}@example.com`
  const sent = await fresh(stage, {
    method: 'POST',
    path: `/v1/projectId/${victim.projectId}/send-transactional`,
    key: victim.key,
    body: { transactionalId, email, data: {} },
  })
  if (sent !== 200) return [...broken, `a send was answered ${sent}`]
  for (let tries = 0; tries < 40; tries += 1) {
    const { text } = await client.ask('GET', '/outbox')
    if (text.includes(email)) return broken
    await sleep(250)
  }
  return [...broken, 'no mail left within ten seconds']
}

const receiptOf = ({ asVictim }: Stage) =>
  asVictim.made('/transactional-emails', { name: 'Order', subject: 'Order', type: 'html', document: '<p>Order</p>' })

const openFiles = 2_048

/** Connections that are opened and kept. */
export const connectionScenes: readonly Scene[] = [
  {
    name: '2,000 half requests of one address, with 2,048 open files',
    openFiles,
    run: async (stage) => {
      const transactionalId = await receiptOf(stage)
      const open = () => holding(stage, '127.0.9.9', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
      return whileHeld(open, stage.size(2_000, 1_200), () => othersAreServed(stage, transactionalId))
    },
  },
  {
    name: 'half requests of 2,000 addresses, with 2,048 open files',
    openFiles,
    run: async (stage) => {
      const transactionalId = await receiptOf(stage)
      let n = 0
      const open = () => {
        n += 1
        return holding(stage, `127.1.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`, 'POST / HTTP/1.1\r\nHost: x\r\n')
      }
      return whileHeld(open, stage.size(2_000, 1_200), () => othersAreServed(stage, transactionalId))
    },
  },
  {
    name: '8,000 headers that never end, of eight addresses',
    run: async (stage) => {
      const { memoryHeld, size } = stage
      const transactionalId = await receiptOf(stage)
      const headers = `GET / HTTP/1.1\r\nHost: x\r\n${'X-Long: y\r\n'.repeat(2_000)}`
      let n = 0
      // One in two is refused for its length, the other stays below the limit, and is kept.
      const open = () => {
        n += 1
        return holding(stage, `127.0.8.${1 + (n % 8)}`, headers.slice(0, n % 16 < 8 ? 15_000 : 7_900))
      }
      const before = await memoryHeld()
      const work = async () => {
        const served = await othersAreServed(stage, transactionalId)
        const grown = (await memoryHeld()) - before
        return [...served, ...unless(grown < 200, `${grown.toFixed(0)} MB were held for headers`)]
      }
      return whileHeld(open, size(8_000, 1_000), work, 4_000)
    },
  },
  {
    name: '160 forms, held before their end, while the project sends',
    run: async (stage) => {
      const { attacker, asAttacker } = stage
      await asAttacker.patch('', { whiteList: ['shop.example'], browserAccess: 'full' })
      const transactionalId = await asAttacker.made('/transactional-emails', {
        ...{ name: 'Order', subject: 'Order', type: 'html', document: '<p>Order</p>' },
      })
      const head = (length: number) =>
        [
          `POST /v1/projectId/${attacker.projectId}/contacts HTTP/1.1`,
          ...['Host: x', 'Origin: https://shop.example', 'Content-Type: application/json'],
          ...[`Content-Length: ${length}`, '', '{"email":"a@b.example",'],
        ].join('\r\n')
      // One in two claims to be a megabyte long, as the project's own bodies may be.
      let n = 0
      const open = () => {
        n += 1
        return holding(stage, `127.0.7.${1 + (n % 40)}`, head(n % 2 === 0 ? 16_384 : 1_000_000))
      }
      return whileHeld(open, 160, async () => {
        const content = Buffer.alloc(100_000, 7).toString('base64')
        const { status, text } = await stage.client.once(
          'POST',
          `/v1/projectId/${attacker.projectId}/send-transactional`,
          {
            headers: asAttacker.headers,
            body: { transactionalId, email: 'reader@example.com', attachments: [{ filename: 'a.bin', content }] },
          },
        )
        return unless(status === 200, `the project's own send was answered ${status}: ${text.slice(0, 100)}`)
      })
    },
  },
]
