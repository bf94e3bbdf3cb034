import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '../operations.js'
import { type Scene, type Stage, unless } from '../scene.js'

/** A record of the other tenant for each kind that has an id of its own in a path. */
const victimsIds = async ({ asVictim }: Stage) => {
  const list = await asVictim.made('/subscriber-lists', { name: 'Theirs' })
  const email = { subject: 'Theirs', type: 'html', document: '<p>Theirs</p>' }
  await asVictim.post('/contacts', { email: 'theirs@example.com', name: 'Theirs' })
  return {
    'subscriber-lists': list,
    segments: await asVictim.made('/segments', { name: 'Theirs' }),
    'transactional-emails': await asVictim.made('/transactional-emails', { name: 'Theirs', ...email }),
    'triggered-emails': await asVictim.made('/triggered-emails', { name: 'Theirs', ...email, subscriberListId: list }),
    campaigns: await asVictim.made('/campaigns', { name: 'T', ...email, subscriberListId: list, timeZone: 'UTC' }),
    'signup-forms': await asVictim
      .made('/signup-forms', { name: 'Theirs', subscriberListIds: [list], subscriberListId: list })
      .catch(() => list),
    templates: await asVictim.made('/templates', { name: 'Theirs', subject: 'Theirs', document: {} }),
  }
}

const nobody = 'f'.repeat(24)

/** The parts of an answer that may tell something: not its date, nor what is counted. */
const told = ({ status, text }: { readonly status: number; readonly text: string }, id: string) =>
  `${status} ${text.replaceAll(id, '<id>')}`

const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const forgedJwts = (accountId: string): readonly string[] => {
  const headers = [
    { alg: 'none' },
    { alg: 'None', typ: 'JWT' },
    { alg: 'HS256' },
    { alg: 'HS512' },
    { alg: 'RS256' },
    { alg: 'HS256', crit: ['exp'] },
    { alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } },
  ]
  const claims = [
    { sub: 'a', role: 'admin' },
    { sub: 'a', role: 'account-owner', accountId },
  ]
  const secrets = ['', 'secret', 'posthorn', accountId]
  return headers.flatMap((header) =>
    claims.flatMap((claim) => {
      const body = `${base64url(header)}.${base64url(claim)}`
      return [
        `${body}.`,
        ...secrets.map((key) => `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`),
      ]
    }),
  )
}

const privateHosts = [
  '127.0.0.1',
  'localhost',
  '0.0.0.0',
  '0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '[::1]',
  '[::]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  'localhost.',
  'LOCALHOST',
  '①②⑦.0.0.1',
  '127.0.0.1.',
  'user@127.0.0.1',
  '%31%32%37.0.0.1',
]

const lineBreaks = ['\r\n', '\n', '\r', '\u2028', '\u0085', '\0', '\r\n\r\n', '%0d%0a']

/** Attempts to get what is another’s, or what nobody should have. */
export const strangerScenes: readonly Scene[] = [
  {
    name: 'every endpoint, with the ids of another tenant',
    run: async (stage) => {
      const { client, asAttacker, attacker, victim } = stage
      const ids = await victimsIds(stage)
      const broken: string[] = []
      for (const { path, method } of await operations(stage)) {
        const kind = Object.keys(ids).find((one) => path.includes(`/${one}/{`)) as keyof typeof ids | undefined
        const asked = (project: string, id: string) => {
          const filled = path
            .replaceAll('{projectId}', project)
            .replaceAll('{email}', 'theirs@example.com')
            .replace(/\{\w+\}/g, id)
          return client.ask(method, filled, { headers: asAttacker.headers, ...(method !== 'GET' && { body: {} }) })
        }
        if (path.includes('{projectId}')) {
          const theirs = await asked(victim.projectId, ids[kind ?? 'campaigns'])
          const none = await asked(nobody, ids[kind ?? 'campaigns'])
          if (theirs.status !== 403 || told(theirs, victim.projectId) !== told(none, nobody))
            broken.push(`${method} ${path} of another project: ${told(theirs, victim.projectId).slice(0, 120)}`)
        }
        if (!kind) continue
        const theirs = await asked(attacker.projectId, ids[kind])
        const none = await asked(attacker.projectId, nobody)
        if (theirs.status < 400 || told(theirs, ids[kind]) !== told(none, nobody))
          broken.push(
            `${method} ${path} with another’s id: ${told(theirs, ids[kind]).slice(0, 80)} / ${told(none, nobody).slice(0, 80)}`,
          )
      }
      return broken
    },
  },
  {
    name: 'forged tokens of operators, of links and of keys',
    run: async ({ client, victim, asVictim }) => {
      const list = await asVictim.made('/subscriber-lists', { name: 'Theirs, too' })
      const broken: string[] = []
      const jwts = forgedJwts(victim.accountId)
      for (const jwt of jwts) {
        const { status } = await client.ask('GET', `/v1/subscriber-lists/${list}`, {
          headers: { authorization: `Bearer ${jwt}` },
        })
        if (status !== 403) broken.push(`a forged JWT was answered ${status}`)
      }
      const payload = base64url({ purpose: 'unsubscribe', l: list, c: nobody })
      for (const token of [
        '',
        '.',
        payload,
        `${payload}.`,
        `${payload}.${base64url('x')}`,
        ...jwts.slice(0, 12),
        'a'.repeat(8000),
      ]) {
        const query = `?token=${encodeURIComponent(token)}`
        for (const [method, path] of [
          ['POST', `/v1/subscriber-lists/${list}/a%40b.example/unsubscribe`],
          ['GET', '/v1/verify'],
          ['GET', '/preferences'],
        ] as const) {
          const { status } = await client.ask(method, path + query, method === 'POST' ? { body: {} } : {})
          if (status < 400) broken.push(`${method} ${path} with a forged token: ${status}`)
        }
      }
      return broken
    },
  },
  {
    name: 'Origins that are not on the list, and what a listed one may read of a project that lets it subscribe only',
    run: async ({ client, asAttacker, attacker }) => {
      await asAttacker.patch('', { whiteList: ['shop.example'] })
      const path = `/v1/projectId/${attacker.projectId}/contacts`
      const others = [
        'null',
        'https://shop.example.evil.example',
        'https://evilshop.example',
        'https://evil.example#shop.example',
        'https://shop.example@evil.example',
        'https://sub.shop.example',
        'shop.example',
        'javascript://shop.example',
        'file://shop.example',
        'https://shop.example,https://evil.example',
        'https://ѕhop.example',
        'https://shop.example.',
        '*',
      ]
      const broken: string[] = []
      for (const origin of others) {
        const { status, headers } = await client.ask('GET', path, {
          headers: { origin: Buffer.from(origin).toString('latin1') },
        })
        if (status !== 403 || headers['access-control-allow-origin'] !== undefined) broken.push(`${origin}: ${status}`)
      }
      const { status } = await asAttacker.patch('', { browserAccess: 'subscribe-only' })
      if (status !== 200) return [...broken, `browserAccess: ${status}`]
      for (const [method, to, body] of [
        ['GET', path, undefined],
        ['GET', `${path}/reader1%40example.com`, undefined],
        ['PATCH', `${path}/reader1%40example.com`, { name: 'Changed' }],
        ['DELETE', `${path}/reader1%40example.com`, undefined],
      ] as const) {
        const answer = await client.ask(method, to, { headers: { origin: 'https://shop.example' }, body })
        if (answer.status !== 403) broken.push(`${method} by a browser that may only subscribe: ${answer.status}`)
      }
      await asAttacker.patch('', { browserAccess: 'full' })
      return broken
    },
  },
  {
    name: 'webhooks and feeds that lead to this machine',
    run: async ({ asAttacker, attacker, size }) => {
      let hits = 0
      const local = createServer((_, answer) => {
        hits += 1
        answer.end('{}')
      })
      await new Promise<void>((done) => local.listen(0, done))
      const { port } = local.address() as AddressInfo
      const broken: string[] = []
      for (const host of privateHosts)
        for (const scheme of size(2, 1) > 1 ? ['http', 'https'] : ['http']) {
          const url = `${scheme}://${host}:${port}/`
          const set = await asAttacker.patch('/webhook', { url, secretKey: attacker.key, sent: true })
          if (set.status !== 400) broken.push(`a webhook to ${host} is taken: ${set.status}`)
          if (set.status === 200) await asAttacker.get('/test-webhook?type=sent')
          await asAttacker.remove('/webhook')
        }
      for (const host of privateHosts.slice(0, 12)) {
        const { result } = await asAttacker.post('/transactional-emails', {
          name: 'Feed',
          subject: 'Feed',
          type: 'html',
          document: '{{f}}',
          feeds: [{ url: `http://${host}:${port}/`, feedType: 'json', variableName: 'f', required: true }],
        })
        const { _id: transactionalId } = (result ?? {}) as { readonly _id?: string }
        if (!transactionalId) continue
        await asAttacker.post('/send-transactional', { transactionalId, email: 'a@b.example' })
        await new Promise((done) => setTimeout(done, size(300, 100)))
        const { text } = await asAttacker.get(`/related-to/${transactionalId}/email-error-logs`)
        const leaked = /ECONN|EADDR|ENOT|connect |certificate|socket/i.exec(text)
        if (leaked) broken.push(`the reason of a feed says ${leaked[0]}`)
      }
      local.close()
      return [...broken, ...unless(hits === 0, `${hits} requests reached this machine`)]
    },
  },
  {
    name: 'header fields in every text that a mail is made of',
    run: async ({ asAttacker, client, size }) => {
      const broken: string[] = []
      for (const lineBreak of lineBreaks) {
        const evil = `a${lineBreak}X-Injected: yes`
        const { result } = await asAttacker.post('/transactional-emails', {
          name: evil,
          subject: `${evil} {{s}}`,
          previewText: evil,
          type: 'html',
          document: '<p>{{s}}</p>',
        })
        const { _id: transactionalId } = (result ?? {}) as { readonly _id?: string }
        for (const email of [
          'a@b.example',
          `a${lineBreak}@b.example`,
          `"a${lineBreak}b"@b.example`,
          `a@b.example${lineBreak}Bcc: c@d.example`,
        ])
          await asAttacker.post('/send-transactional', {
            transactionalId,
            email,
            data: { s: evil },
            attachments: [{ filename: `${evil}.txt`, content: 'QQ==' }],
          })
      }
      await new Promise((done) => setTimeout(done, size(3000, 500)))
      const { text } = await client.ask('GET', '/outbox')
      for (const [, path = ''] of [...text.matchAll(/href="(\/outbox\/[^"?#]+)"/g)].slice(0, 40)) {
        const { text: source } = await client.ask('GET', path.endsWith('.eml') ? path : `${path}/source`)
        if (/^(X-Injected|Bcc):/im.test(source)) broken.push(`a header field got into ${path}`)
      }
      return broken
    },
  },
  {
    name: 'the mail and the figures of all, by another name of the host',
    run: async ({ client }) => {
      const broken: string[] = []
      for (const host of [
        'evil.example',
        'evil.example:80',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        '[::2]',
      ])
        for (const path of ['/outbox', '/metrics']) {
          const { status } = await client.ask('GET', path, { headers: { host } })
          if (status < 400) broken.push(`${path} for the host “${host}”: ${status}`)
        }
      return broken
    },
  },
  {
    name: 'more requests than the rate allows, with a new key each time, and on pages',
    run: async ({ client, attacker }) => {
      const broken: string[] = []
      const many = (ask: (n: number) => Promise<{ readonly status: number }>) =>
        Promise.all(Array.from({ length: 600 }, (_, n) => ask(n)))
      const turnedAway = (answers: readonly { readonly status: number }[]) =>
        answers.filter(({ status }) => status === 429).length
      const random = await many(() =>
        client.once('GET', `/v1/projectId/${attacker.projectId}`, {
          headers: { authorization: `Bearer ph_${randomBytes(32).toString('base64url')}` },
        }),
      )
      if (turnedAway(random) === 0) broken.push('600 of 600 requests with random keys were taken')
      for (const path of ['/preferences?token=a', '/v1/verify?token=a', '/v1/captcha']) {
        const answers = [
          ...(await many(() => client.once('GET', path))),
          ...(await many(() => client.once('GET', path))),
        ]
        if (turnedAway(answers) === 0) broken.push(`1,200 of 1,200 requests for ${path} were taken`)
      }
      return broken
    },
  },
]
