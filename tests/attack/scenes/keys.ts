import { asTenant } from '../client.js'
import { operations } from '../operations.js'
import { type Scene, type Stage, unless } from '../scene.js'

const keyFor = async ({ target }: Stage, projectId: string, scope: string): Promise<string> =>
  ((await target.command('key', 'create', projectId, '--scope', scope)) as { readonly key: string }).key

/** Every GET endpoint of a project, with that id wherever a path has one. */
const readPaths = async (stage: Stage, id: string): Promise<readonly string[]> =>
  (await operations(stage))
    .filter(({ path, method }) => method === 'GET' && path.startsWith('/v1/projectId/{projectId}'))
    .map(({ path }) =>
      path
        .replace('/v1/projectId/{projectId}', '')
        .replace('{email}', 'a%40b.example')
        .replace(/\{\w+\}/g, id),
    )

/** Keys that may do some things only. */
export const keyScenes: readonly Scene[] = [
  {
    name: 'keys that may only send, only read, or only sign webhooks',
    run: async ({ client, target, attacker: { projectId }, size }) => {
      const path = `/v1/projectId/${projectId}`
      const refused = {
        send: [
          ['GET', `${path}/contacts`],
          ['GET', path],
          ['GET', `${path}/webhook`],
          ['POST', `${path}/segments`],
        ],
        read: [
          ['POST', `${path}/send-transactional`],
          ['PATCH', path],
          ['DELETE', `${path}/webhook`],
        ],
        webhook: [
          ['GET', `${path}/contacts`],
          ['GET', path],
          ['POST', `${path}/send-transactional`],
        ],
      } as const
      const broken: string[] = []
      for (const [scope, requests] of Object.entries(refused).slice(0, size(3, 1))) {
        const { key } = (await target.command('key', 'create', projectId, '--scope', scope)) as { key: string }
        for (const [method, to] of requests) {
          const headers = { authorization: `Bearer ${key}` }
          const { status } = await client.ask(method, to, { headers, ...(method !== 'GET' && { body: {} }) })
          if (status !== 403) broken.push(`${method} ${to} with a key for ${scope}: ${status}`)
        }
      }
      return broken
    },
  },
  {
    name: 'the address of the webhook, read with keys that may not configure it',
    run: async (stage) => {
      const { asAttacker, attacker, client, size } = stage
      const secret = 'secret-of-the-receiver'
      const secretKey = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      const url = `https://hooks.example/${secret}?token=${secret}`
      const set = await asAttacker.patch('/webhook', { url, secretKey, sent: true })
      const email = { name: 'Posted', subject: 'Posted', type: 'text', document: 'Posted' }
      const transactionalId = await asAttacker.made('/transactional-emails', email)
      await asAttacker.post('/send-transactional', { transactionalId, email: 'a@b.example' })
      const further = await asAttacker.made('/webhooks', { url, secretKey, description: 'Further' })
      const isKnown = (await asAttacker.get('/webhook')).text.includes(secret)
      const broken: string[] = []
      for (const scope of ['read', 'send', 'webhook'].slice(0, size(3, 1))) {
        const key = await keyFor(stage, attacker.projectId, scope)
        const asReader = asTenant(client, { ...attacker, key })
        for (const path of await readPaths(stage, transactionalId)) {
          const { status, text } = await asReader.get(path)
          if (text.includes(secret) || text.includes(secretKey))
            broken.push(`GET ${path} with a key for ${scope}: ${status}, with the secret`)
        }
      }
      await asAttacker.remove('/webhook')
      await asAttacker.remove(`/webhooks/${further}`)
      return [
        ...unless(set.status === 200, `the webhook was answered ${set.status}: ${set.text}`),
        ...unless(isKnown, 'a full key does not see the address either'),
        ...broken,
      ]
    },
  },
]
