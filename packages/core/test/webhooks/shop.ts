import { createCore } from '@posthorn/core'
import type { WebhookPost, WebhookPostOutcome } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import type { WebhookDelivery } from '../../src/webhooks/webhook-delivery.js'
import { aMailEvent } from './events.js'

export const down: WebhookPostOutcome = { kind: 'answered', status: 503 }
export const hour = 60 * 60_000

const inOrder = { by: '_id', order: 'asc' } as const

/** A project whose webhook asks for all that was sent, and whatever else is given. */
export const aShop = async (fields: object = {}) => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const projectId = project.project._id
  const set = (changes: object = {}) =>
    core.webhooks.set(project.scope, {
      ...{ url: 'https://shop.example.com/', secretKey: project.key, sent: true },
      ...fields,
      ...changes,
    })
  await set()
  const tell = (...ids: readonly string[]) =>
    core.webhooks.publish(ids.map((_id) => aMailEvent('sent', { _id, projectId })))
  const kept = async (): Promise<readonly WebhookDelivery[]> =>
    (await ports.repositories.webhookDeliveries.list({ where: {}, sort: inOrder, skip: 0, limit: 5000 })).items
  const states = async () => (await kept()).map(({ state }) => state)
  /** What a worker does in that time, a minute at a time. */
  const work = async (milliseconds: number) => {
    for (let passed = 0; passed <= milliseconds; passed += 60_000) {
      await core.worker.postEvents()
      world.clock.advance(60_000)
    }
  }
  return { ...world, ports, core, project, projectId, set, tell, kept, states, work }
}

export const names = (n: number, of = 'event') => Array.from({ length: n }, (_, i) => `${of} ${i}`)

/** The events of a batch. */
export const eventsIn = ({
  body,
}: Pick<WebhookPost, 'body'>): readonly { readonly id: string; readonly type: string }[] => JSON.parse(body).events
