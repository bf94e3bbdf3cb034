import { connect } from 'node:net'
import { rest, type Scene, type Stage, unless } from '../scene.js'

const receipt = (stage: Stage) =>
  stage.asAttacker.made('/transactional-emails', {
    name: 'Receipt',
    subject: 'Receipt',
    type: 'html',
    document: '<p>R</p>',
  })

const attachment = (bytes: number) => ({
  filename: 'a.bin',
  content: Buffer.alloc(bytes, 7).toString('base64'),
})

const sendWith = async (stage: Stage, transactionalId: string, bytes: number) =>
  stage.asAttacker.post('/send-transactional', {
    transactionalId,
    email: 'reader@example.com',
    attachments: [attachment(bytes)],
  })

const refusedWell = (what: string, { status, text }: { readonly status: number; readonly text: string }) =>
  unless(status >= 400 && status < 500 && text.length < 10_000, `${what}: ${status}, an answer of ${text.length} bytes`)

/** Half a request on each of many connections, kept open for some seconds. Answers how many were turned away. */
const held = async ({ target, size }: Stage, connections: number, head: string, part: Buffer): Promise<number> => {
  const { hostname, port } = new URL(target.base)
  let refused = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (/^HTTP\/1.1 4\d\d/.test(data.toString('latin1'))) refused += 1
    })
    socket.write(`${head}\r\n`)
    socket.write(part)
    return socket
  })
  await rest(size(5000, 500))
  for (const socket of sockets) socket.destroy()
  return refused
}

/** Connections that ask, and read nothing of what is answered. */
const unread = ({ target }: Stage, connections: number, head: string) => {
  const { hostname, port } = new URL(target.base)
  return Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(`${head}\r\n`)
    return socket
  })
}

/** A chunk of PNG. */
const chunk = (type: string, data: Buffer) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data, Buffer.alloc(4)])
}

/** A form with a picture of about so many bytes. */
const imageForm = (bytes: number) =>
  Buffer.concat([
    Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
    ),
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])),
    chunk('IDAT', Buffer.alloc(bytes)),
    chunk('IEND', Buffer.alloc(0)),
    Buffer.from('\r\n--x--\r\n'),
  ])

/** Requests that are large, many, or never end. */
export const bodyScenes: readonly Scene[] = [
  {
    name: 'one attachment of 3.4 MB, and one of 25 MB',
    run: async (stage) => {
      const id = await receipt(stage)
      const answers = [await sendWith(stage, id, 3_400_000), await sendWith(stage, id, 25_000_000)]
      await rest(stage.size(3000, 500))
      return answers.flatMap(({ status }, index) => unless(status === 200, `attachment ${index + 1}: ${status}`))
    },
  },
  {
    name: 'sixty sends with 23 MB of attachments',
    run: async (stage) => {
      const id = await receipt(stage)
      for (let sends = 0; sends < stage.size(60, 3); sends += 1) {
        const { status } = await sendWith(stage, id, 23_000_000)
        if (status !== 200) return [`a send was answered ${status}`]
      }
      await rest(stage.size(5000, 500))
      return []
    },
  },
  {
    name: '900,000 and 600,000 addresses in one send-triggered',
    run: async (stage) => {
      const { asAttacker, listId, size } = stage
      const triggeredId = await asAttacker.made('/triggered-emails', {
        name: 'News',
        subject: 'News',
        type: 'html',
        document: '<p>N</p>',
        subscriberListId: listId,
      })
      const answers = []
      for (const count of [size(900_000, 90_000), size(600_000, 60_000)])
        answers.push(
          await asAttacker.post('/send-triggered', {
            triggeredId,
            emails: Array.from({ length: count }, (_, n) => `a${n}@b.example`),
          }),
        )
      return answers.flatMap((answer) => refusedWell('addresses', answer))
    },
  },
  {
    name: '75,000 unknown keys, and a million small values',
    run: async ({ asAttacker, size }) => {
      const keys = Object.fromEntries(Array.from({ length: size(75_000, 20_000) }, (_, n) => [`k${n}`, 1]))
      const values = { name: 'x', groups: Array.from({ length: size(480_000, 50_000) }, () => 1) }
      return [
        ...refusedWell('keys', await asAttacker.post('/contacts', { email: 'a@b.example', ...keys })),
        ...refusedWell('values', await asAttacker.post('/segments', values)),
        ...refusedWell('a long name', await asAttacker.post('/segments', { name: 'x'.repeat(900_000), nmae: 1 })),
      ]
    },
  },
  {
    name: 'data of 39 MB in a send without attachments',
    run: async (stage) => {
      const transactionalId = await receipt(stage)
      const data = { s: Array.from({ length: stage.size(9_000_000, 500_000) }, () => 12) }
      const answer = await stage.asAttacker.post('/send-transactional', { transactionalId, email: 'a@b.example', data })
      return refusedWell('data', answer)
    },
  },
  {
    name: 'lists of 2.7 MB and images of 9.9 MB, asked for and not read',
    run: async (stage) => {
      const { asAttacker, attacker, client, target, size } = stage
      const document = 'x'.repeat(900_000)
      for (let n = 0; n < 3; n += 1)
        await asAttacker.post('/transactional-emails', { name: `Long ${n}`, subject: 'Long', type: 'html', document })
      const { result } = await client.ask('POST', `/v1/projectId/${attacker.projectId}/gallery/images`, {
        headers: { ...asAttacker.headers, 'content-type': 'multipart/form-data; boundary=x' },
        body: imageForm(size(9_900_000, 900_000)),
      })
      const { url = '' } = (result ?? {}) as { readonly url?: string }
      if (url === '') return ['the image was not taken']
      const list = `/v1/projectId/${attacker.projectId}/transactional-emails?limit=100`
      const before = target.resident()
      const sockets = [
        ...unread(stage, size(60, 3), `GET ${list} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\n`),
        ...unread(stage, size(200, 10), `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\n`),
      ]
      await rest(size(8000, 200))
      const grown = target.resident() - before
      for (const socket of sockets) socket.destroy()
      return unless(
        grown < size(300, Number.POSITIVE_INFINITY),
        `${grown.toFixed(0)} MB were held for who does not read`,
      )
    },
  },
  {
    name: '200 uploads of 9.9 MB, held before their end',
    run: async (stage) => {
      const { projectId, key } = stage.attacker
      const head = [
        `POST /v1/projectId/${projectId}/gallery/images HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 9950000',
        '',
        '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n',
      ].join('\r\n')
      await held(stage, stage.size(200, 20), head, Buffer.alloc(9_900_000))
      return []
    },
  },
  {
    name: '60 bodies of 39 MB, held before their end',
    run: async (stage) => {
      const { projectId, key } = stage.attacker
      const head = [
        `POST /v1/projectId/${projectId}/send-transactional HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        'Content-Length: 39900000',
        '',
      ].join('\r\n')
      await held(stage, stage.size(60, 4), head, Buffer.alloc(39_000_000, 32))
      return []
    },
  },
  {
    name: 'thousands of spellings of one time zone',
    run: async ({ asAttacker, size }) => {
      const id = await asAttacker.made('/transactional-emails', {
        name: 'T',
        subject: 'T',
        type: 'html',
        document: 'T',
      })
      const letters = 'europe/amsterdam'
      const spelling = (n: number) =>
        Array.from(letters, (letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('')
      const range = 'interval=daily&metric=sent&from=2026-01-01&to=2026-01-03'
      const spellings = Array.from({ length: size(4_000, 200) }, (_, n) => spelling(n))
      for (let at = 0; at < spellings.length; at += 50)
        await Promise.all(
          spellings
            .slice(at, at + 50)
            .map((zone) =>
              asAttacker.get(`/transactional-emails/${id}/stats?${range}&timeZone=${encodeURIComponent(zone)}`),
            ),
        )
      return []
    },
  },
]
