import { grouped } from '../../kernel/collections.js'
import type { Runtime } from '../../kernel/ports.js'
import { jsonLengthUpTo } from '../../kernel/storable.js'
import type { UnqueuedMail, WorkerReservation } from '../acceptance/acceptance.js'
import type { SendPermit, SendPermits } from '../channels/send-permits.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { InFlightDeliveries } from './in-flight.js'
import type { SendingPipeline } from './pipeline.js'
import type { OutcomeWriter } from './record.js'

type Deps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  readonly permits: Pick<SendPermits, 'take'>
  readonly inFlight: InFlightDeliveries
  readonly pipeline: SendingPipeline
  readonly flushSoon: OutcomeWriter['flushSoon']
  readonly worker: string
  readonly isOpen: () => boolean
}

/** In characters of JSON; larger mails are queued, which keeps memory in flight below 16 MB. */
const mostData = 16_000
/** In ms, after a channel had no permit. */
const limitedTime = 10_000
const mostLimitedProjects = 1_000

const isSmall = ({ attachments, data, own }: Dispatch): boolean =>
  attachments === undefined && (!(data ?? own) || jsonLengthUpTo([data, own], mostData) <= mostData)

/** Sends mails that this process accepts, as soon as they are durable. */
export const unqueuedMailSender = (deps: Deps) => {
  const { permits, inFlight, pipeline, flushSoon, worker, isOpen, clock, sleep, log } = deps
  const limitedUntil = new Map<string, number>()
  let accepted: UnqueuedMail[] = []
  let sent = 0

  const isLimited = (projectId: string): boolean => {
    const until = limitedUntil.get(projectId)
    if (until === undefined) return false
    if (clock().getTime() < until) return true
    limitedUntil.delete(projectId)
    return false
  }

  const limit = (projectId: string): void => {
    if (limitedUntil.size >= mostLimitedProjects) limitedUntil.clear()
    limitedUntil.set(projectId, clock().getTime() + limitedTime)
  }

  /** Queues the project's next mails if the permit does not cover these. */
  const noting = (permit: SendPermit, projectId: string): SendPermit => ({
    ...permit,
    use: async (channel, wanted) => {
      const n = await permit.use(channel, wanted)
      if (n < wanted) limit(projectId)
      return n
    },
  })

  const send = (projectId: string, mails: readonly UnqueuedMail[]): void => {
    const accountId = mails[0]?.dispatch.accountId ?? projectId
    const batch = inFlight.lease(
      'unqueued',
      mails.map((mail) => ({ ...mail, accountId })),
    )
    inFlight.unreserve('unqueued', accountId, mails.length)
    const sending = async () => {
      const permit = await permits.take(projectId, 'transactional', mails.length)
      await pipeline.send(batch, flushSoon, noting(permit, projectId))
    }
    sending().catch((error: unknown) => {
      for (const entry of batch.entries) if (entry.state === 'leased') inFlight.abandon(entry)
      log('error', 'Accepted mails could not be sent; their leases will expire', { projectId, error })
    })
  }

  const sendAccepted = (): void => {
    const byProject = grouped(accepted, ({ dispatch }) => dispatch.projectId)
    accepted = []
    for (const [projectId, mails] of byProject) send(projectId, mails)
  }

  return {
    reserve: (dispatch: Dispatch): WorkerReservation | undefined => {
      const { accountId, projectId } = dispatch
      const isFull = inFlight.roomOf('unqueued', accountId) === 0
      if (!isOpen() || isFull || isLimited(projectId) || !isSmall(dispatch)) return undefined
      inFlight.reserve('unqueued', accountId, 1)
      return {
        worker,
        leaseUntil: inFlight.leaseEnd(),
        cancel: () => inFlight.unreserve('unqueued', accountId, 1),
        send: (mail) => {
          sent += 1
          const isFirst = accepted.push(mail) === 1
          // Mails of one commit become durable in the same turn, and are sent together.
          if (!isOpen()) sendAccepted()
          else if (isFirst) void sleep(0).then(sendAccepted)
        },
      }
    },

    sendAccepted,

    takeSentCount: (): number => {
      const n = sent
      sent = 0
      return n
    },
  }
}

type TransactionalLoad = {
  readonly isBehind: () => boolean
  readonly takeSentCount: () => number
}

/** Ms per transactional mail: about what its request and sending take. */
const timePerMail = 0.8
const longestYield = 1_000
const yieldStep = 20

/** Delays a page by at most a second while transactional mail keeps the process busy. */
export const yieldToTransactional =
  ({
    load,
    clock,
    sleep,
    stopping,
  }: Pick<Deps, 'clock' | 'sleep'> & {
    readonly load: TransactionalLoad
    readonly stopping: () => AbortSignal | undefined
  }) =>
  async (): Promise<void> => {
    const owed = Math.min(longestYield, load.takeSentCount() * timePerMail)
    for (let waited = 0; waited < owed || (load.isBehind() && waited < longestYield); ) {
      if (stopping()?.aborted !== false) return
      const before = clock().getTime()
      await sleep(yieldStep)
      waited += Math.max(yieldStep, clock().getTime() - before)
    }
  }
