import type { Clock } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { moveSubscriber, type Subscriber, statusAt } from '../subscribers/subscriber.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

const batchSize = 200

type Deps = {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber }>
  readonly subscriptionRecorder: SubscriptionRecorder
  readonly clock: Clock
}

/** Activates memberships whose pause has ended, the oldest first. */
export const resumingPauses = (deps: Deps) => {
  const {
    repositories: { subscribers },
    clock,
  } = deps
  const recorder = deps.subscriptionRecorder

  const next = async (now: string) => {
    const { items } = await subscribers.list({
      where: { status: 'paused' },
      sort: { by: 'pausedUntil', order: 'asc' },
      skip: 0,
      limit: batchSize,
    })
    return items.filter((one) => statusAt(one, now) === 'active')
  }

  return async (): Promise<void> => {
    const now = clock().toISOString()
    for (let over = await next(now); over.length > 0; over = await next(now))
      await Promise.all(
        over.map(({ _id }) =>
          recorder.change({ _id }, (current) =>
            current.status === 'paused' && statusAt(current, now) === 'active'
              ? moveSubscriber(current, 'resume', now)
              : current,
          ),
        ),
      )
  }
}
