import { grouped } from '../../kernel/grouped.js'
import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import { jsonLength } from '../../kernel/storable.js'
import type { LeaseSingle, Single } from '../accepting/singles-desk.js'
import type { Leave, Leaves } from '../channels/leaves.js'
import type { Settlement } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { freely } from './claiming.js'
import type { Delivering } from './delivering.js'
import type { Leases } from './leases.js'
import type { PacedProjects } from './paced-projects.js'
import { places } from './places.js'

type Deps = {
  readonly leaves: Pick<Leaves, 'take'>
  readonly projects: PacedProjects
  readonly leases: Leases
  readonly delivering: Pick<Delivering, 'singles'>
  readonly worker: string
  /** Resolves when everything that is settled so far is durable, which others may wait for a little. */
  readonly flushSoon: () => Promise<void>
  /** Whether the worker takes anything now. */
  readonly isOpen: () => boolean
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/** Single mails that this worker sends as soon as they are accepted, each account within its share: further ones wait in the queue. */
const mostBorn = 1_000
/** What has more data, as JSON, waits in the queue, on disk: 16 MB of all that are here. */
const longestData = 16_000
/** So long a project's mails wait in the queue after there was no room for all of them by their channel, in milliseconds. */
const limitedTime = 10_000
const mostLimited = 1_000

/** With neither attachments nor much data. */
const isSmall = ({ attachments, data }: Dispatch): boolean =>
  attachments === undefined && (data === undefined || jsonLength(data, longestData) <= longestData)

/** Single mails of this process: born as the worker's, and on their way as soon as they are durable, those of one commit together. */
export const singlesAtOnce = (deps: Deps) => {
  const { leaves, projects, leases, delivering, worker, flushSoon, isOpen, clock, sleep, log } = deps
  /** Ids of those that have begun and are not over. */
  const underWay = new Set<string>()
  /** By the project, until when it is paced. */
  const limited = new Map<string, number>()
  const born = places(mostBorn)
  let begun = 0
  let together: Single[] = []
  let allOver: (() => void)[] = []

  const isLimited = (projectId: string): boolean => {
    const until = limited.get(projectId)
    if (until === undefined) return false
    if (clock().getTime() < until) return true
    limited.delete(projectId)
    return false
  }

  const limit = (projectId: string): void => {
    if (limited.size >= mostLimited) limited.clear()
    limited.set(projectId, clock().getTime() + limitedTime)
  }

  const over = (accountId: string, n: number): void => {
    born.free(accountId, n)
    if (born.taken() > 0) return
    for (const tell of allOver) tell()
    allOver = []
  }

  /** As the leave, and hears where it does not let all of them go. */
  const heeded = (leave: Leave, projectId: string): Leave => ({
    ...leave,
    use: async (channel, asked) => {
      const n = await leave.use(channel, asked)
      if (n < asked) limit(projectId)
      return n
    },
  })

  const sendOf = async (projectId: string, some: readonly Single[]): Promise<void> => {
    const project = await projects.get(projectId)
    const leave = project ? await leaves.take(project, 'transactional', some.length) : freely(some.length)
    await delivering.singles(some, heeded(leave, projectId))
  }

  const send = (projectId: string, accountId: string, some: readonly Single[]): void => {
    const ids = some.map(({ delivery }) => delivery._id)
    void leases
      .during(sendOf(projectId, some), ids, flushSoon)
      .catch((error: unknown) => log('error', 'Single mails failed; their leases will run out', { projectId, error }))
      .finally(() => {
        for (const id of ids) underWay.delete(id)
        over(accountId, ids.length)
      })
  }

  const sendAll = (): void => {
    const some = grouped(together, ({ dispatch }) => dispatch.projectId)
    together = []
    for (const [projectId, those] of some) send(projectId, those[0]?.dispatch.accountId ?? projectId, those)
  }

  const begin = (single: Single): void => {
    begun += 1
    leases.hold([single.delivery])
    underWay.add(single.delivery._id)
    const isFirst = together.push(single) === 1
    if (!isOpen()) sendAll()
    else if (isFirst) void sleep(0).then(sendAll)
  }

  const lease: LeaseSingle = (dispatch) => {
    const { accountId, projectId } = dispatch
    if (!isOpen() || born.left(accountId) === 0 || isLimited(projectId) || !isSmall(dispatch)) return undefined
    born.take(accountId, 1)
    return { worker, leaseUntil: leases.end(), begin, drop: () => over(accountId, 1) }
  }

  return {
    lease,
    /** How many have begun since this was asked last. */
    since: (): number => {
      const n = begun
      begun = 0
      return n
    },
    /** Those of the settlements that are not of such mails. A mail without attachments that is all of its dispatch has no progress to note. */
    othersOf: (settlements: readonly Settlement[]): readonly Settlement[] =>
      underWay.size === 0 ? settlements : settlements.filter(({ _id }) => !underWay.has(_id)),
    /** Resolves when none has a place here. */
    idle: async (): Promise<void> => {
      sendAll()
      if (born.taken() > 0)
        await new Promise<void>((resolve) => {
          allOver.push(resolve)
        })
    },
  }
}
export type SinglesAtOnce = ReturnType<typeof singlesAtOnce>
