import type { Account } from '../accounts/account.js'
import { grouped } from '../kernel/collections.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import type { Project } from '../projects/project.js'
import { isMailEvent, type PosthornEvent, type Publish } from '../tracking/events.js'
import type { WebhookOutbox } from './ports.js'
import type { Webhook } from './webhook.js'
import { isWebhookEventType, wants } from './webhook.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import { type EventSetting, webhookEventOf } from './webhook-event.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    subscriberLists: SubscriberList
    webhooks: Webhook
  }>
  readonly webhookOutbox: Pick<WebhookOutbox, 'add'>
  readonly added: () => void
  readonly clock: Clock
  readonly newId: NewId
}

type Owners = Pick<EventSetting, 'account' | 'project'>

/** In ms; and the number of cached projects. */
const knownTime = 2_000
const mostKnown = 1_000

type Receiver = readonly [webhook: Webhook | undefined, owners: Owners | undefined]
type Known = { readonly receiver: Promise<Receiver>; readonly until: number }

/** Undefined if the account or project was deleted. */
export const ownersIn =
  ({ accounts, projects }: RepositoriesFor<{ accounts: Account; projects: Project }>) =>
  async (projectId: string): Promise<Owners | undefined> => {
    const project = await projects.get({ _id: projectId })
    const account = project && (await accounts.get({ _id: project.accountId }))
    return account && { account, project }
  }

export const eventOutbox = ({ repositories, webhookOutbox, added, clock, newId }: Deps) => {
  const { subscriberLists, webhooks } = repositories
  const ownersOf = ownersIn(repositories)

  /** Undefined if the event's list was deleted. */
  const bodyOf = async (event: PosthornEvent, owners: Owners): Promise<string | undefined> => {
    if (isMailEvent(event)) return JSON.stringify(webhookEventOf(event, owners))
    const subscriberList = await subscriberLists.get({ _id: event.subscription.subscriberListId })
    return subscriberList && JSON.stringify(webhookEventOf(event, { ...owners, subscriberList }))
  }

  const known = new Map<string, Known>()

  /** Cached because a campaign can publish many events per second. */
  const receiverOf = (projectId: string): Promise<Receiver> => {
    const now = clock().getTime()
    const found = known.get(projectId)
    if (found && now < found.until) return found.receiver
    known.delete(projectId)
    for (const oldest of known.keys()) {
      if (known.size < mostKnown) break
      known.delete(oldest)
    }
    const receiver = webhooks
      .get({ projectId })
      .then(async (webhook): Promise<Receiver> => [webhook, webhook && (await ownersOf(projectId))])
    // A failed read is not cached.
    receiver.catch(() => known.delete(projectId))
    known.set(projectId, { receiver, until: now + knownTime })
    return receiver
  }

  /** Publishing an event again, with the same `_id`, does not post it again. */
  const addWanted = async (projectId: string, events: readonly PosthornEvent[]): Promise<void> => {
    const [webhook, owners] = await receiverOf(projectId)
    const wanted = events.filter(({ type }) => wants(webhook, type))
    if (!webhook || !owners || wanted.length === 0) return
    const { switchedOff } = webhook
    const made = wanted.map(async (event): Promise<readonly WebhookDelivery[]> => {
      const { _id: eventId, type } = event
      const body = await bodyOf(event, owners)
      if (body === undefined || !isWebhookEventType(type)) return []
      const now = clock().toISOString()
      const state = switchedOff
        ? ({ state: 'given-up', reason: `The webhook is switched off. ${switchedOff.reason}` } as const)
        : ({ state: 'pending' } as const)
      return [
        { _id: newId(), projectId, eventId, type, body, ...state, attempts: 0, nextAt: now, log: [], ...stamps(now) },
      ]
    })
    await webhookOutbox.add((await Promise.all(made)).flat())
    added()
  }

  /** Resolves when the events that a webhook wants are stored in its outbox. */
  const publish: Publish = async (events) => {
    const projects = grouped(events, ({ projectId }) => projectId)
    await Promise.all([...projects].map(([projectId, those]) => addWanted(projectId, those)))
  }
  return {
    publish,
    /** Call after this process changed the webhook. */
    forget: (projectId: string): void => {
      known.delete(projectId)
    },
  }
}
