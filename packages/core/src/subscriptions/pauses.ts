import { type MembershipDeps, memberships } from './memberships.js'
import { moveSubscriber, statusAt } from './subscriber.js'

const batchSize = 200

/** Stores as active those whose pause is over, the longest over first. */
export const resumingPauses = (deps: MembershipDeps) => {
  const {
    repositories: { subscribers },
    clock,
  } = deps
  const members = memberships(deps)

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
          members.change({ _id }, (current) =>
            current.status === 'paused' && statusAt(current, now) === 'active'
              ? moveSubscriber(current, 'resume', now)
              : current,
          ),
        ),
      )
  }
}
