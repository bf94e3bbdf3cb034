import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rest, type Scene, type Stage, unless } from '../scene.js'

/** Feeds and webhooks of these scenes are served by the scene itself, on loopback. */
const settings = { POSTHORN_ALLOW_PRIVATE_FEEDS: 'true', POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' }

const serving = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const plain = { name: 'Code', subject: 'Code', type: 'text', document: 'Code' }

/** Milliseconds until a mail of the victim has left; undefined if it has not after `most`. */
const mailTime = async ({ asVictim }: Stage, transactionalId: string, email: string, most: number) => {
  const begun = performance.now()
  await asVictim.post('/send-transactional', { transactionalId, email })
  while (performance.now() - begun < most) {
    const { text } = await asVictim.get(`/transactional-emails/${transactionalId}/recipients?filter[email]=${email}`)
    if (/"status":"(sent|delivered|opened|clicked)"/.test(text)) return performance.now() - begun
    await rest(50)
  }
  return undefined
}

const longestFeed = 5_000_000
/** Milliseconds that a mail of another account may take to leave. */
const mailLimit = 5_000
/** Megabytes by which memory may grow while feeds are read. */
const growthLimit = 400

/** Feeds and receivers of webhooks that take long, beside another tenant's mails and events. */
export const slowReceiverScenes: readonly Scene[] = [
  {
    name: 'hundreds of sends with twenty slow feeds of 5 MB each',
    settings,
    run: async (stage) => {
      const { asAttacker, attacker, client, target, size } = stage
      const body = JSON.stringify('x'.repeat(longestFeed))
      let [open, most] = [0, 0]
      const feeds = await serving((_, answer) => {
        open += 1
        most = Math.max(most, open)
        answer.once('close', () => {
          open -= 1
        })
        setTimeout(() => answer.end(body), size(3_000, 500))
      })
      const before = target.resident()
      let resident = before
      const watch = setInterval(() => {
        resident = Math.max(resident, target.resident())
      }, 100)
      try {
        const transactionalId = await asAttacker.made('/transactional-emails', {
          ...plain,
          feeds: Array.from({ length: 20 }, (_, n) => ({
            url: `${feeds.url}/${n}`,
            feedType: 'json',
            variableName: `f${n}`,
          })),
        })
        const victimId = await stage.asVictim.made('/transactional-emails', plain)
        await Promise.all(
          Array.from({ length: size(500, 50) }, (_, n) =>
            asAttacker.post('/send-transactional', { transactionalId, email: `reader${n}@example.com` }),
          ),
        )
        const path = `/v1/projectId/${attacker.projectId}/render-preview/${transactionalId}`
        const asked = { headers: asAttacker.headers, body: {} }
        const previews = Array.from({ length: size(30, 5) }, () => client.once('POST', path, asked))
        const times: (number | undefined)[] = []
        for (let n = 0; n < size(20, 5); n += 1)
          times.push(await mailTime(stage, victimId, `victim${n}@example.com`, mailLimit))
        await Promise.race([Promise.all(previews), rest(size(20_000, 2_000))])
        const late = times.filter((time) => time === undefined).length
        return [
          ...unless(late === 0, `${late} of the other tenant’s ${times.length} mails took more than ${mailLimit} ms`),
          ...unless(most > 0, 'no feed was read'),
          ...unless(most <= 12, `${most} feeds were read at the same time`),
          ...unless(
            resident - before <= growthLimit,
            `memory grew by ${Math.round(resident - before)} MB while feeds were read`,
          ),
        ]
      } finally {
        clearInterval(watch)
        feeds.close()
      }
    },
  },
  {
    name: 'twenty webhooks of one project: slow, redirecting, and to private addresses',
    settings,
    run: async (stage) => {
      const { asAttacker, target, size } = stage
      let followed = 0
      const inner = await serving((_, answer) => {
        followed += 1
        answer.end()
      })
      const slow = await serving((_, answer) => void setTimeout(() => answer.end(), 9_000))
      const redirecting = await serving((_, answer) => {
        answer.writeHead(307, { location: inner.url })
        answer.end()
      })
      let taken = 0
      const quick = await serving((_, answer) => {
        taken += 1
        answer.end()
      })
      const ids: string[] = []
      const resident = target.resident()
      try {
        const wanted = size(20, 6)
        for (let n = 0; n < wanted; n += 1) {
          const url = `${n % 5 === 4 ? redirecting.url : slow.url}/${n}`
          ids.push(await asAttacker.made('/webhooks', { url, types: ['sent'] }))
        }
        const more = await Promise.all(
          Array.from({ length: 25 }, () => asAttacker.post('/webhooks', { url: slow.url, types: ['sent'] })),
        )
        const listed = JSON.parse((await asAttacker.get('/webhooks?limit=30')).text) as {
          readonly result?: { readonly items: readonly { readonly _id: string }[] }
        }
        const all = listed.result?.items ?? []
        for (const { _id } of all) if (!ids.includes(_id)) ids.push(_id)
        const transactionalId = await asAttacker.made('/transactional-emails', plain)
        await Promise.all(
          Array.from({ length: size(200, 20) }, (_, n) =>
            asAttacker.post('/send-transactional', { transactionalId, email: `r${n}@example.com` }),
          ),
        )
        await stage.asVictim.post('/webhooks', { url: quick.url, types: ['sent'] })
        const victimId = await stage.asVictim.made('/transactional-emails', plain)
        const mails = size(50, 10)
        for (let n = 0; n < mails; n += 1)
          await stage.asVictim.post('/send-transactional', { transactionalId: victimId, email: `v${n}@example.com` })
        for (let tries = 0; tries < 80 && taken < mails; tries += 1) await rest(250)
        const secrets = (await asAttacker.get('/webhooks?limit=30')).text.includes('whsec_')
        const growth = target.resident() - resident
        return [
          ...unless(taken >= mails, `${taken} of the other tenant’s ${mails} events were posted within 20 s`),
          ...unless(followed === 0, `${followed} redirects were followed`),
          ...unless(all.length <= 20, `the project has ${all.length} webhooks`),
          ...unless(
            more.some(({ status }) => status === 400),
            'no webhook was refused',
          ),
          ...unless(!secrets, 'the list shows secrets'),
          ...unless(growth <= growthLimit, `memory grew by ${Math.round(growth)} MB`),
        ]
      } finally {
        for (const id of ids) await asAttacker.remove(`/webhooks/${id}`)
        for (const one of [slow, redirecting, inner, quick]) one.close()
      }
    },
  },
  {
    name: 'webhooks of four projects whose receivers are all slow',
    settings,
    run: async (stage) => {
      const { target, attacker, client, size } = stage
      const slow = await serving((_, answer) => void setTimeout(() => answer.end(), 9_000))
      let taken = 0
      const quick = await serving((_, answer) => {
        taken += 1
        answer.end()
      })
      const secretKey = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      try {
        const call = (key: string, projectId: string, method: string, path: string, body: unknown) =>
          client.ask(method, `/v1/projectId/${projectId}${path}`, { headers: { authorization: `Bearer ${key}` }, body })
        const projects = [attacker]
        for (let n = 1; n < 4; n += 1) {
          const name = `Slow ${n}`
          const { _id: projectId } = (await target.command('project', 'create', attacker.accountId, name)) as {
            _id: string
          }
          await target.command('access', 'approve', projectId)
          const { key } = (await target.command('key', 'create', projectId)) as { key: string }
          projects.push({ ...attacker, projectId, key })
        }
        for (const [n, { key, projectId }] of projects.entries()) {
          const sender = { email: 'post@sender.example', name: 'Post', region: 'eu-west-1' }
          if (n > 0) await call(key, projectId, 'POST', '/sender-identities', sender)
          await call(key, projectId, 'PATCH', '/webhook', { url: `${slow.url}/${n}`, secretKey, sent: true })
          const { result } = await call(key, projectId, 'POST', '/transactional-emails', plain)
          const { _id: transactionalId } = result as { readonly _id: string }
          await Promise.all(
            Array.from({ length: size(200, 30) }, (_, m) =>
              call(key, projectId, 'POST', '/send-transactional', { transactionalId, email: `r${m}@example.com` }),
            ),
          )
        }
        await stage.asVictim.patch('/webhook', { url: quick.url, secretKey, sent: true })
        const victimId = await stage.asVictim.made('/transactional-emails', plain)
        await rest(size(12_000, 3_000))
        const wanted = size(50, 10)
        for (let n = 0; n < wanted; n += 1)
          await stage.asVictim.post('/send-transactional', { transactionalId: victimId, email: `v${n}@example.com` })
        for (let tries = 0; tries < 60 && taken < wanted; tries += 1) await rest(250)
        return unless(taken >= wanted, `${taken} of the other tenant’s ${wanted} events were posted within 15 s`)
      } finally {
        slow.close()
        quick.close()
        await stage.asVictim.remove('/webhook')
      }
    },
  },
]
