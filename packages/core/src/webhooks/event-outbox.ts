import type { Account } from '../accounts/account.js'
import { isMailEvent, type PosthornEvent, type Publish } from '../events/event.js'
import { grouped } from '../kernel/grouped.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { ifKeyTaken } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import type { SubscriberList } from '../subscribers/subscriber-list.js'
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
    webhookDeliveries: WebhookDelivery
  }>
  readonly clock: Clock
  readonly newId: NewId
}

type Owners = Pick<EventSetting, 'account' | 'project'>

/** Whose events a project's are; undefined where it is gone. */
export const ownersIn =
  ({ accounts, projects }: RepositoriesFor<{ accounts: Account; projects: Project }>) =>
  async (projectId: string): Promise<Owners | undefined> => {
    const project = await projects.get({ _id: projectId })
    const account = project && (await accounts.get({ _id: project.accountId }))
    return account && { account, project }
  }

/** Puts events on their way to the webhook of their project. */
export const eventOutbox = ({ repositories, clock, newId }: Deps) => {
  const { subscriberLists, webhooks, webhookDeliveries } = repositories
  const ownersOf = ownersIn(repositories)

  /** As it is posted; undefined where the list that it is about is gone. */
  const bodyOf = async (event: PosthornEvent, owners: Owners): Promise<string | undefined> => {
    if (isMailEvent(event)) return JSON.stringify(webhookEventOf(event, owners))
    const subscriberList = await subscriberLists.get({ _id: event.subscription.subscriberListId })
    return subscriberList && JSON.stringify(webhookEventOf(event, { ...owners, subscriberList }))
  }

  const add = (delivery: WebhookDelivery): Promise<void> =>
    webhookDeliveries.add(delivery).catch(ifKeyTaken(() => undefined))

  /** Where the project's webhook asks for it. A told event is known by its `_id`: told again, it is not posted again. */
  const tellOf = async (projectId: string, events: readonly PosthornEvent[]): Promise<void> => {
    const webhook = await webhooks.get({ projectId })
    const wanted = events.filter(({ type }) => wants(webhook, type))
    const owners = wanted.length > 0 ? await ownersOf(projectId) : undefined
    if (!owners) return
    await Promise.all(
      wanted.map(async (event) => {
        const { _id: eventId, type } = event
        const body = await bodyOf(event, owners)
        if (body === undefined || !isWebhookEventType(type)) return
        const now = clock().toISOString()
        const started = { state: 'pending', attempts: 0, nextAt: now, log: [], ...stamps(now) } as const
        await add({ _id: newId(), projectId, eventId, type, body, ...started })
      }),
    )
  }

  /** Called in the moment events are recorded: those that a webhook asks for are durably on their way when it resolves. */
  const publish: Publish = async (events) => {
    const projects = grouped(events, ({ projectId }) => projectId)
    await Promise.all([...projects].map(([projectId, those]) => tellOf(projectId, those)))
  }
  return { publish }
}
