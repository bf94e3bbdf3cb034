import type { Where } from '../kernel/repository.js'
import { type MembershipDeps, memberships } from './memberships.js'
import { moveSubscriber, type Subscriber, statusAt } from './subscriber.js'

const batchSize = 200

/** Stores as active those, of one list or of all, whose pause is over, the longest over first. */
export const resumingPauses = (deps: MembershipDeps) => {
  const {
    repositories: { subscribers },
    clock,
  } = deps
  const members = memberships(deps)

  const next = async (where: Where<Subscriber>, now: string) => {
    const { items } = await subscribers.list({
      where: { ...where, status: 'paused' },
      sort: { by: 'pausedUntil', order: 'asc' },
      skip: 0,
      limit: batchSize,
    })
    return items.filter((one) => statusAt(one, now) === 'active')
  }

  return async (where: Pick<Where<Subscriber>, 'subscriberListId'> = {}): Promise<void> => {
    const now = clock().toISOString()
    for (let over = await next(where, now); over.length > 0; over = await next(where, now))
      await Promise.all(
        over.map(({ _id }) =>
          members.change({ _id }, (current) =>
            current.status === 'paused' && statusAt(current, now) === 'active'
              ? moveSubscriber(current, 'resume', now)
              : current,
          ),
        ),
      )
  }
}
