import { addressKey } from '../../kernel/email-address.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock } from '../../kernel/ports.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Leave } from '../channels/leaves.js'
import type { Pace } from '../channels/pace.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Delivery } from '../ledger/delivery.js'
import type { MailMeter } from '../ledger/mail-meter.js'
import type { Mendable, Stopped } from './dispatch-ends.js'
import { handingOver, type WorkerContext } from './handing-over.js'
import { outcomeRecords } from './outcome-records.js'
import type { Preparation, PreparedDispatch } from './preparing.js'
import { channelOf, type Ready, readying as readyingOf } from './readying.js'
import type { RenderAndSend } from './render-and-send.js'

type Deps = {
  readonly states: ChannelStates
  readonly renderAndSend: RenderAndSend
  readonly preparation: Preparation
  readonly recipients: Recipients
  readonly pace: Pace
  readonly factsOf: (delivery: Delivery) => Promise<Attribution | undefined>
  readonly clock: Clock
  readonly worker: string
  readonly meter?: MailMeter | undefined
  readonly stop: (dispatchId: string, reason: string, mendable?: Mendable) => Promise<Stopped | undefined>
  readonly bounced: (delivery: Delivery, subject: string | undefined) => Promise<void>
}

/** A delivery of a page that was expanded just now, with whom it is to. */
export type Leased = { readonly delivery: Delivery; readonly recipient: Recipient }

/** A recipient who unsubscribes gets nothing that is begun so many milliseconds later. */
const freshTime = 5_000

const audienceKey = ({ dispatch: { projectId, audience } }: PreparedDispatch) =>
  audience.kind === 'address' ? projectId : `${projectId}:${audience.subscriberListId}`

/** Stages 4 to 6 of a sending, of what a worker has: what leaves by which way, who the recipients are now, their mail and its outcome. */
export const delivering = (deps: Deps) => {
  const { recipients, clock } = deps
  const readying = readyingOf(deps)
  const record = outcomeRecords(deps)
  const handOver = handingOver({ ...deps, readying, record })

  /** Looks recipients of the same audience up at once: two or three reads for the whole batch. */
  const lookUp = async (deliveries: readonly Delivery[], { projectId, audience }: PreparedDispatch['dispatch']) => {
    if (audience.kind === 'address') {
      const found = await recipients.ofAddresses(
        projectId,
        deliveries.map((one) => one.email),
      )
      const byKey = new Map(found.map((one) => [addressKey(one.email), one]))
      return (delivery: Delivery) => byKey.get(addressKey(delivery.email))
    }
    const found = await recipients.ofContacts(
      projectId,
      audience.subscriberListId,
      deliveries.flatMap((one) => one.contactId ?? []),
    )
    return (delivery: Delivery) => (delivery.contactId ? found.get(delivery.contactId) : undefined)
  }

  return (context: WorkerContext) => {
    const { deliver, recorded } = handOver(context)
    const { settle } = context

    /** What they leave by; undefined where they do not, and that is settled. */
    const readyFor = async (group: readonly Delivery[]): Promise<Ready | undefined> => {
      const [first] = group
      const found = first && (await readying.ready(first))
      if (!found || 'mailer' in found) return found
      settle(group.map((one) => record(one, found.result, found.facts)))
      return undefined
    }

    /** Those of the group that may leave by their channel now; the others are put off. */
    const withRoom = async (group: readonly Delivery[], ready: Ready, leave: Leave) => {
      const n = await leave.use(channelOf(ready.prepared), group.length)
      if (n < group.length) settle(group.slice(n).map((one) => record(one, readying.noRoom(ready))))
      return group.slice(0, n).map((delivery) => ({ delivery, ...ready }))
    }

    return {
      recorded,

      /** A page that was expanded just now: who its recipients are is known. What has to wait longer goes back to the queue. */
      leased: async (page: readonly Leased[]): Promise<void> => {
        const freshUntil = clock().getTime() + freshTime
        const ready = await readyFor(page.map(({ delivery }) => delivery))
        if (!ready) return
        const { prepared, mailer } = ready
        await deliver(
          page.map(({ delivery, recipient }) => ({ delivery, recipient, prepared, mailer })),
          freshUntil,
        )
      },

      /** What was claimed, perhaps long after it was expanded: who its recipients are is looked up anew. */
      claimed: async (claimed: readonly Delivery[], leave: Leave): Promise<void> => {
        const groups = await Promise.all(
          [...grouped(claimed, (one) => one.dispatchId).values()].map(async (group) => {
            const ready = await readyFor(group)
            return ready ? withRoom(group, ready, leave) : []
          }),
        )
        await Promise.all(
          [...grouped(groups.flat(), ({ prepared }) => audienceKey(prepared)).values()].map(async (same) => {
            const [first] = same
            if (!first) return
            const recipientOf = await lookUp(
              same.map(({ delivery }) => delivery),
              first.prepared.dispatch,
            )
            await deliver(same.map((one) => ({ ...one, recipient: recipientOf(one.delivery) })))
          }),
        )
      },
    }
  }
}
export type Delivering = ReturnType<ReturnType<typeof delivering>>
