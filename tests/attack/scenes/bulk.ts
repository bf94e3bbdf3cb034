import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Answer } from '../client.js'
import { rest, type Scene, type Stage, unless } from '../scene.js'

type Counts = { readonly created?: number; readonly updated?: number; readonly failed?: number }
const countsOf = ({ result }: Answer): Counts => ((result ?? {}) as { readonly counts?: Counts }).counts ?? {}

const refused = (what: string, { status, text }: Answer) =>
  unless(status >= 400 && status < 500 && text.length < 10_000, `${what}: ${status}, an answer of ${text.length} bytes`)

/** Posts rows as NDJSON, or bytes as they are. */
const bulk = (
  { client, asAttacker, attacker }: Stage,
  body: readonly object[] | string | Buffer,
  headers: Readonly<Record<string, string>> = {},
) =>
  client.ask('POST', `/v1/projectId/${attacker.projectId}/contacts/bulk`, {
    headers: { ...asAttacker.headers, 'content-type': 'application/x-ndjson', ...headers },
    body: Array.isArray(body) ? body.map((row) => JSON.stringify(row)).join('\n') : body,
  })

const rowsOf = (n: number, row: (n: number) => object) => Array.from({ length: n }, (_, at) => row(at))

const boundary = 'x'
const importForm = (bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="people.ndjson"\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])

const upload = ({ client, asAttacker, attacker }: Stage, bytes: Buffer) =>
  client.ask('POST', `/v1/projectId/${attacker.projectId}/imports`, {
    headers: { ...asAttacker.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: importForm(bytes),
  })

/** Uploads, previews and starts each file, and awaits the end of those that start. */
const importAll = async (stage: Stage, files: Readonly<Record<string, Buffer>>): Promise<readonly string[]> => {
  const { asAttacker } = stage
  const broken: string[] = []
  for (const [name, bytes] of Object.entries(files)) {
    const { status, result } = await upload(stage, bytes)
    if (status !== 201) {
      broken.push(...unless(status >= 400 && status < 500, `${name}: upload ${status}`))
      continue
    }
    const path = `/imports/${(result as { readonly _id: string })._id}`
    const preview = await asAttacker.get(`${path}/preview`)
    broken.push(...unless(preview.status === 200 || preview.status === 400, `${name}: preview ${preview.status}`))
    broken.push(...unless(preview.text.length < 1_000_000, `${name}: a preview of ${preview.text.length} bytes`))
    const { columns = [] } = (preview.result ?? {}) as { readonly columns?: readonly object[] }
    const start = await asAttacker.post(`${path}/start`, {
      columns: columns.map((_, index) => ({ field: index === 0 ? 'email' : null })),
      consent: 'none',
    })
    broken.push(...unless(start.status === 200 || start.status === 400, `${name}: start ${start.status}`))
    for (let tries = 0; tries < 200; tries += 1) {
      const { result: now } = await asAttacker.get(path)
      if ((now as { readonly state?: string } | undefined)?.state !== 'running') break
      await rest(100)
    }
    await asAttacker.post(`${path}/cancel`, {})
  }
  return broken
}

/** Rows of contacts, files of them and exports, as large and as wrong as they can be. */
export const bulkScenes: readonly Scene[] = [
  {
    name: 'bulk rows with 500 unknown tags each',
    run: async (stage) => {
      const tags = (row: number) => Array.from({ length: 500 }, (_, n) => `r${row}t${n}`)
      const n = stage.size(1_500, 300)
      const answer = await bulk(
        stage,
        rowsOf(n, (row) => ({ email: `tagged${row}@a.example`, tags: tags(row) })),
      )
      const { created = 0, failed = 0 } = countsOf(answer)
      return [
        ...unless(answer.status === 200 && created + failed === n, `${answer.status} ${answer.text.slice(0, 200)}`),
        ...unless(created <= 20, `${created} contacts with 500 new tags each were taken by a project with 10,000 tags`),
      ]
    },
  },
  {
    name: 'bulk rows with fields of 200 KB, a body over its limit, and one of 11 MB of zeros in a kilobyte',
    run: async (stage) => {
      const wide = await bulk(
        stage,
        rowsOf(40, (n) => ({ email: `wide${n}@a.example`, name: 'x'.repeat(200_000) })),
      )
      const keys = await bulk(
        stage,
        rowsOf(400, (n) => ({
          email: `k${n}@a.example`,
          ...Object.fromEntries(Array.from({ length: 2_000 }, (_, k) => [`k${k}`, 1])),
        })),
      )
      return [
        ...unless(countsOf(wide).failed === 40, `rows that do not fit: ${wide.status}`),
        ...unless(countsOf(keys).failed === 400, `rows with unknown fields: ${keys.status}`),
        ...unless(keys.text.length < 1_000_000, `an answer of ${keys.text.length} bytes about unknown fields`),
        ...refused('a body over its limit', await bulk(stage, Buffer.alloc(11_000_000, '{}\n'))),
        ...refused('a bomb', await bulk(stage, gzipSync(Buffer.alloc(11_000_000)), { 'content-encoding': 'gzip' })),
      ]
    },
  },
  {
    name: '5,000 bulk rows of one address',
    run: async (stage) => {
      const n = stage.size(5_000, 1_000)
      const answer = await bulk(
        stage,
        rowsOf(n, (row) => ({ email: row % 2 ? 'one@a.example' : 'ONE@a.example', name: `Name ${row}` })),
      )
      const { created = 0, updated = 0 } = countsOf(answer)
      return unless(created + updated === n, `${answer.status} ${JSON.stringify(countsOf(answer))}`)
    },
  },
  {
    name: 'bulk rows of wrong values, without an end, of one line, of nothing but signs',
    run: async (stage) => {
      const wrong = await bulk(
        stage,
        rowsOf(stage.size(5_000, 1_000), (n) => ({
          email: `${'x'.repeat(300)}${n}`,
          city: { deep: [[[n]]] },
          tags: [''],
        })),
      )
      const line = await bulk(stage, Buffer.alloc(9_900_000, 'x'))
      const quotes = await bulk(stage, Buffer.alloc(9_900_000, '\\"'), { 'content-type': 'application/json' })
      const open = await bulk(
        stage,
        Buffer.concat([Buffer.from('{"contacts":[{"email":"'), Buffer.alloc(9_900_000, '\\"')]),
        {
          'content-type': 'application/json',
        },
      )
      const blank = await bulk(stage, Buffer.concat([Buffer.from('{'), Buffer.alloc(9_900_000, 32)]), {
        'content-type': 'application/json',
      })
      const brackets = await bulk(stage, Buffer.alloc(9_900_000, '['), { 'content-type': 'application/json' })
      return [
        ...unless(wrong.status === 200 && countsOf(wrong).created === 0, `wrong values: ${wrong.status}`),
        ...unless(countsOf(line).failed === 1, `one line: ${line.status}`),
        ...[quotes, open, blank, brackets].flatMap((answer, n) => refused(`signs ${n + 1}`, answer)),
      ]
    },
  },
  {
    name: 'an NDJSON body that never ends, on many connections',
    run: async ({ target, attacker, size }) => {
      const { hostname, port } = new URL(target.base)
      const sockets = Array.from({ length: size(60, 5) }, () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        socket.resume()
        socket.write(
          `POST /v1/projectId/${attacker.projectId}/contacts/bulk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`,
        )
        const part = Buffer.alloc(65_536, 'x')
        const more = setInterval(() => {
          if (socket.destroyed) clearInterval(more)
          else socket.write(Buffer.concat([Buffer.from('10000\r\n'), part, Buffer.from('\r\n')]))
        }, 20)
        return socket
      })
      await rest(size(10_000, 1_000))
      for (const socket of sockets) socket.destroy()
      return []
    },
  },
  {
    name: 'import files of hostile bytes',
    run: (stage) =>
      importAll(stage, {
        noise: Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 256)),
        'one line': Buffer.alloc(stage.size(20_000_000, 3_000_000), '{"email":"'),
        brackets: Buffer.alloc(stage.size(5_000_000, 1_500_000), '['),
        nested: Buffer.from(`{"email":${'['.repeat(900_000)}\n`),
        keys: Buffer.from(`{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join(',')}}\n`),
        'new keys in every row': Buffer.from(
          Array.from({ length: 20_000 }, (_, n) => `{"email":"e${n}@a.example","k${n}":1}`).join('\n'),
        ),
        quotes: Buffer.from(`email\n${'"\n'.repeat(200_000)}`),
        'UTF-16 without an end': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(300_001, 0x22)]),
      }),
  },
  {
    name: 'exports, asked for and not read',
    run: async ({ target, attacker, size }) => {
      const { hostname, port } = new URL(target.base)
      const before = target.resident()
      const sockets = Array.from({ length: size(60, 5) }, () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        socket.pause()
        socket.write(
          `GET /v1/projectId/${attacker.projectId}/contacts/export?format=ndjson HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\n\r\n`,
        )
        return socket
      })
      await rest(size(8_000, 500))
      const grown = target.resident() - before
      for (const socket of sockets) socket.destroy()
      return unless(
        grown < size(150, Number.POSITIVE_INFINITY),
        `${grown.toFixed(0)} MB were held for exports that nobody reads`,
      )
    },
  },
]
