import { asTenant, type TenantClient } from '../client.js'
import { rest, type Scene, unless } from '../scene.js'

const mjml = (content: string) => ({
  tagName: 'mjml',
  children: [
    {
      tagName: 'mj-body',
      children: [
        { tagName: 'mj-section', children: [{ tagName: 'mj-column', children: [{ tagName: 'mj-text', content }] }] },
      ],
    },
  ],
})

/** A few hundred kilobytes that become a string of hundreds of megabytes: V8 aborts the process that is to make it one piece. */
const aborting = {
  tagName: 'mjml',
  children: [
    {
      tagName: 'mj-head',
      children: [
        {
          tagName: 'mj-attributes',
          children: [{ tagName: 'mj-all', attributes: { 'font-family': 'x'.repeat(100_000) } }],
        },
      ],
    },
    { tagName: 'mj-body', children: Array(3_000).fill({ tagName: 'mj-text', content: 'a' }) },
  ],
}

const visual = (name: string, document: unknown) => ({ name, subject: name, document })

const send = async (tenant: TenantClient, content: string) => {
  const transactionalId = await tenant.made('/transactional-emails', visual('Visual', mjml(content)))
  return tenant.post('/send-transactional', { transactionalId, email: 'reader@example.com' })
}

/** Visual documents, which are rendered in shared processes. */
export const documentScenes: readonly Scene[] = [
  {
    name: 'hostile visual documents of two projects of one account, and one of somebody else',
    run: async ({ target, client, attacker, asAttacker, asVictim, size }) => {
      const asSister = asTenant(client, await target.project(attacker.accountId, 'Sister'))
      await asSister.made('/sender-identities', { email: 'post@sender.example', name: 'Post', region: 'eu-west-1' })
      const hostile = [asAttacker, asSister].flatMap((tenant) =>
        Array.from({ length: size(20, 3) }, (_, n) => send(tenant, `${n}${'<!--[if '.repeat(100_000)}`)),
      )
      await rest(size(1_000, 200))
      const begun = performance.now()
      const { status, text } = await send(asVictim, 'Hello')
      const waited = Math.round(performance.now() - begun)
      await Promise.all(hostile)
      return [
        ...unless(status === 200, `the other’s document was refused: ${text.slice(0, 200)}`),
        ...unless(waited < size(2_000, 30_000), `the other’s document waited ${waited} ms`),
      ]
    },
  },
  {
    name: 'fifty hostile visual documents, and one of somebody else',
    run: async ({ asAttacker, asVictim, size }) => {
      const hostile = Array.from({ length: size(50, 6) }, (_, index) =>
        send(asAttacker, `${index}${'<!--[if '.repeat(100_000)}`),
      )
      const begun = performance.now()
      const { status, text } = await send(asVictim, 'Hello')
      const waited = Math.round(performance.now() - begun)
      await Promise.all(hostile)
      return [
        ...unless(status === 200, `the other’s document was refused: ${text.slice(0, 200)}`),
        // Where tests run beside it, the processor is theirs as well.
        ...unless(waited < size(2_000, 30_000), `the other’s document waited ${waited} ms`),
      ]
    },
  },
  {
    name: 'visual documents whose HTML is more than V8 can hold',
    run: async ({ asAttacker, size }) => {
      const transactionalId = await asAttacker.made('/transactional-emails', visual('Large', aborting))
      const answers = await Promise.all(
        Array.from({ length: size(10, 2) }, () =>
          asAttacker.post('/send-transactional', { transactionalId, email: 'reader@example.com' }),
        ),
      )
      const others = answers.filter(({ text }) => !text.includes('it takes too much memory'))
      return unless(others.length === 0, `it was not refused for its memory: ${others[0]?.text.slice(0, 200)}`)
    },
  },
]
