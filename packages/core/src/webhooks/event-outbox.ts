import { grouped } from '../kernel/collections.js'
import type { Runtime } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { isMailEvent, type PosthornEvent, type PublishEvents } from '../tracking/events.js'
import type { WebhookOutbox } from './ports.js'
import type { EventAccountAndProject, WebhookTargetLookup } from './targets.js'
import { isWebhookEventType, wantsEventType } from './webhook.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import { webhookEventOf } from './webhook-event.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ subscriberLists: SubscriberList }>
  readonly webhookOutbox: Pick<WebhookOutbox, 'add'>
  readonly targets: Pick<WebhookTargetLookup, 'of'>
  readonly added: () => void
}

/** Resolves when the events are stored, in one write, for each webhook that wants them. */
export const eventOutbox = ({
  repositories: { subscriberLists },
  webhookOutbox,
  targets,
  added: addedEvents,
  clock,
  newId,
}: Deps): PublishEvents => {
  const bodyOf = async (event: PosthornEvent, owners: EventAccountAndProject): Promise<string | undefined> => {
    if (isMailEvent(event)) return JSON.stringify(webhookEventOf(event, owners))
    const subscriberList = await subscriberLists.get({ _id: event.subscription.subscriberListId })
    return subscriberList && JSON.stringify(webhookEventOf(event, { ...owners, subscriberList }))
  }

  /** Publishing an event again, with the same `_id`, does not post it again. */
  const addWanted = async (projectId: string, events: readonly PosthornEvent[]): Promise<void> => {
    const all = await targets.of(projectId)
    const rows = events.map(async (event): Promise<readonly WebhookDelivery[]> => {
      const { _id: eventId, type } = event
      const wanting = all.filter(({ webhook }) => wantsEventType(webhook, type))
      const owners = wanting[0]?.owners
      if (!owners || !isWebhookEventType(type)) return []
      const body = await bodyOf(event, owners)
      if (body === undefined) return []
      const now = clock().toISOString()
      const deliveryId = isMailEvent(event) ? event.mail.deliveryId : event.deliveryId
      return wanting.map(({ webhook: { _id: webhookId, switchedOff } }) => ({
        _id: newId(),
        projectId,
        webhookId,
        eventId,
        ...(deliveryId !== undefined && { deliveryId }),
        type,
        body,
        ...(switchedOff
          ? ({ state: 'given-up', reason: `The webhook is switched off. ${switchedOff.reason}` } as const)
          : ({ state: 'pending' } as const)),
        attempts: 0,
        nextAt: now,
        log: [],
        ...stamps(now),
      }))
    })
    const added = (await Promise.all(rows)).flat()
    if (added.length === 0) return
    await webhookOutbox.add(added)
    addedEvents()
  }

  return async (events) => {
    const projects = grouped(events, ({ projectId }) => projectId)
    await Promise.all([...projects].map(([projectId, those]) => addWanted(projectId, those)))
  }
}
