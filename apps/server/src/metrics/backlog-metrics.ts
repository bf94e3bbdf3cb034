import type { Backlog, Dispatch } from '@posthorn/core/ports/storage'
import { Gauge, type Registry } from 'prom-client'
import type { Store } from '../store.js'
import { seriesOf } from './series.js'

type Deps = {
  readonly store: Pick<Store, 'deliveries' | 'repositories'>
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** Of all processes together. */
type ToDo = {
  readonly lanes: readonly Backlog[]
  readonly dispatches: Readonly<Record<(typeof stages)[number], number>>
  readonly unread: number
  readonly webhooks: { readonly waiting: number; readonly oldest: string | undefined }
}

const stages = ['expanding', 'sending', 'finishing'] as const satisfies readonly Dispatch['stage'][]

/** Milliseconds for which results are reused. */
const shortestAge = 10_000
/** Slow queries run at most a twentieth of the time. */
const restFactor = 20
/** In ms. Then the metrics report that the store does not answer. */
const patience = 3_000

const askFor = async ({
  deliveries,
  repositories: { dispatches, unreadEvents, webhookDeliveries },
}: Deps['store']): Promise<ToDo> => {
  const inStage = async (stage: Dispatch['stage']) =>
    (await dispatches.list({ where: { stage }, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 })).count
  const [lanes, unread, pending, expanding, sending, finishing] = await Promise.all([
    deliveries.backlog(),
    unreadEvents.list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 }),
    webhookDeliveries.list({
      where: { state: 'pending' },
      sort: { by: 'createdAt', order: 'asc' },
      skip: 0,
      limit: 1,
    }),
    inStage('expanding'),
    inStage('sending'),
    inStage('finishing'),
  ])
  return {
    lanes,
    unread: unread.count,
    dispatches: { expanding, sending, finishing },
    webhooks: { waiting: pending.count, oldest: pending.items[0]?.createdAt },
  }
}

const within = <T>(milliseconds: number, answer: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Queries the store on request, every ten seconds at most and never concurrently. */
export const backlogMetrics = (registry: Registry, { store, now = Date.now }: Deps): void => {
  let known: { readonly toDo: ToDo; readonly until: number } | undefined
  let asking: Promise<ToDo | undefined> | undefined

  const ask = async (): Promise<ToDo | undefined> => {
    const begun = now()
    try {
      const toDo = await askFor(store)
      known = { toDo, until: now() + Math.max(shortestAge, restFactor * (now() - begun)) }
      return toDo
    } catch {
      known = undefined
      return undefined
    } finally {
      asking = undefined
    }
  }

  const current = async (): Promise<ToDo | undefined> => {
    if (known && now() < known.until) return known.toDo
    asking ??= ask()
    return within(patience, asking)
  }

  const secondsSince = (instant: string | undefined): number =>
    instant === undefined ? 0 : Math.max(0, (now() - Date.parse(instant)) / 1000)

  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: (toDo: ToDo, set: (labels: Record<L, string>, value: number) => void) => void,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const toDo = await current()
        this.reset()
        if (toDo) read(toDo, (labels, value) => this.set(labels, value))
        else if (labelNames.length === 0) this.remove()
      },
    })

  seriesOf(registry).gauge('posthorn_store_up', 'Whether the last query for the backlog succeeded', async () =>
    (await current()) ? 1 : 0,
  )
  gauge(
    'posthorn_unread_events',
    'Events of the mail provider that could not be read and are kept: `posthorn ses unread` shows them',
    [],
    ({ unread }, set) => set({}, unread),
  )
  gauge(
    'posthorn_queue_mails',
    'Mails that all processes have to do, by lane and status',
    ['lane', 'status'],
    ({ lanes }, set) => {
      for (const { lane, ...counts } of lanes)
        for (const status of ['queued', 'sending', 'uncertain'] as const) set({ lane, status }, counts[status])
    },
  )
  gauge(
    'posthorn_queue_oldest_seconds',
    'How long the mail has been due that waits longest, by lane',
    ['lane'],
    ({ lanes }, set) => {
      for (const { lane, oldest } of lanes) set({ lane }, secondsSince(oldest))
    },
  )
  gauge('posthorn_dispatches', 'Dispatches that are not over, by stage', ['stage'], ({ dispatches }, set) => {
    for (const stage of stages) set({ stage }, dispatches[stage])
  })
  gauge('posthorn_webhook_queue_events', 'Events that wait for a webhook to take them', [], ({ webhooks }, set) =>
    set({}, webhooks.waiting),
  )
  gauge(
    'posthorn_webhook_oldest_seconds',
    'How long ago the event happened that has waited longest for a webhook to take it',
    [],
    ({ webhooks }, set) => set({}, secondsSince(webhooks.oldest)),
  )
}
