import type { Scene } from '../scene.js'
import { unless } from '../scene.js'

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

const visual = (name: string, document: unknown) => ({ name, subject: name, document })

/** Visual documents, which are rendered in shared threads. */
export const documentScenes: readonly Scene[] = [
  {
    name: 'fifty hostile visual documents, and one of somebody else',
    run: async ({ asAttacker, asVictim, size }) => {
      const send = async (tenant: typeof asAttacker, content: string) => {
        const transactionalId = await tenant.made('/transactional-emails', visual('Visual', mjml(content)))
        return tenant.post('/send-transactional', { transactionalId, email: 'reader@example.com' })
      }
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
]
