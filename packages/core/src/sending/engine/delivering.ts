import type { FeedTurn } from '../../emails/feeds.js'
import { addressKey } from '../../kernel/email-address.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import type { HeadStart } from '../accepting/head-start.js'
import type { Single } from '../accepting/singles-desk.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import { channelKey, serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Leave } from '../channels/leaves.js'
import type { Pace } from '../channels/pace.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { MailMeter } from '../ledger/mail-meter.js'
import type { Mendable, Stopped } from './dispatch-ends.js'
import { handingOver, type WorkerContext } from './handing-over.js'
import { outcomeRecords } from './outcome-records.js'
import { type Preparation, type PreparedDispatch, sharedKey } from './preparing.js'
import { channelOf, type FeedsUnread, type Ready, readying as readyingOf } from './readying.js'
import type { Refused } from './refusal-wave.js'
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
  readonly bounced: (refused: Refused) => Promise<void>
}

/** A delivery of a page that was expanded just now, with whom it is to. */
export type Leased = { readonly delivery: Delivery; readonly recipient: Recipient }

/** A recipient who unsubscribes gets nothing that is begun so many milliseconds later. */
const freshTime = 5_000

const audienceKey = ({ dispatch: { projectId, audience } }: PreparedDispatch) =>
  audience.kind === 'address' ? projectId : `${projectId}:${audience.subscriberListId}`

/** What single mails that are alike have in common: how they are prepared, and by what they leave. */
const likeness = (dispatch: Dispatch): string =>
  `${sharedKey(dispatch) ?? dispatch._id} ${channelKey(dispatch.channel ?? serverChannel)}`

/** Stages 4 to 6 of a sending, of what a worker has: what leaves by which way, who the recipients are now, their mail and its outcome. */
export const delivering = (deps: Deps) => {
  const { recipients, preparation, clock } = deps
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
    const { deliver, recorded, recordBounces } = handOver(context)
    const { settle } = context

    /** What they leave by, or that it has feeds to read first; undefined where they do not leave, and that is settled. */
    const readyFor = async (
      group: readonly Delivery[],
      known?: Dispatch,
      turn?: FeedTurn,
    ): Promise<Ready | FeedsUnread | undefined> => {
      const [first] = group
      const found = first && (await readying.ready(first, known, turn))
      if (!found || !('result' in found)) return found
      settle(group.map((one) => record(one, found.result, found.facts)))
      return undefined
    }

    /** Makes a group with feeds ready and sends it while its feeds are charged to its account; puts it off if too much of that waits. */
    const inFeedTurn = async (
      group: readonly Delivery[],
      dispatch: Dispatch,
      send: (ready: Ready) => Promise<void>,
    ): Promise<void> => {
      try {
        await preparation.inFeedTurn(dispatch, async (turn) => {
          const ready = await readyFor(group, undefined, turn)
          if (ready && 'mailer' in ready) await send(ready)
        })
      } catch (error) {
        if (!isBusy(error)) throw error
        settle(group.map((one) => record(one, readying.later())))
      }
    }

    /** Those of the group that may leave by their channel now; the others are put off. */
    const withRoom = async (group: readonly Delivery[], ready: Ready, leave: Leave) => {
      const n = await leave.use(channelOf(ready.prepared), group.length)
      if (n < group.length) settle(group.slice(n).map((one) => record(one, readying.noRoom(ready))))
      const { prepared, mailer, isShut } = ready
      return group.slice(0, n).map((delivery) => ({ delivery, prepared, mailer, isShut }))
    }

    /** Whom they are to is looked up now, those of an audience together. */
    const lookUpAndDeliver = async (some: readonly (Ready & { readonly delivery: Delivery })[]): Promise<void> => {
      await Promise.all(
        [...grouped(some, ({ prepared }) => audienceKey(prepared)).values()].map(async (same) => {
          const [first] = same
          if (!first) return
          const recipientOf = await lookUp(
            same.map(({ delivery }) => delivery),
            first.prepared.dispatch,
          )
          await deliver(
            same.map(({ delivery, prepared, mailer }) => ({
              delivery,
              prepared,
              mailer,
              recipient: recipientOf(delivery),
            })),
          )
        }),
      )
    }

    /** What is ready to be looked up with others, or a group with feeds that is sent by itself. */
    type Group = readonly (Ready & { readonly delivery: Delivery })[] | (() => Promise<void>)

    const groupFrom = async (
      group: readonly Delivery[],
      found: Ready | FeedsUnread | undefined,
      leave: Leave,
    ): Promise<Group> => {
      if (!found) return []
      if ('mailer' in found) return withRoom(group, found, leave)
      return () =>
        inFeedTurn(group, found.feedsOf, async (ready) => lookUpAndDeliver(await withRoom(group, ready, leave)))
    }

    /** No group waits for the feeds of another. */
    const sendAll = async (groups: readonly Group[]): Promise<void> => {
      const together = groups.flatMap((group) => (typeof group === 'function' ? [] : group))
      const alone = groups.filter((group) => typeof group === 'function')
      await Promise.all([lookUpAndDeliver(together), ...alone.map((send) => send())])
    }

    /** Those that are alike: what is found for the first holds for all where they share their preparation. */
    const readySingles = async ([first, ...others]: readonly Single[], leave: Leave): Promise<readonly Group[]> => {
      if (!first) return []
      const ready = await readyFor([first.delivery], first.dispatch)
      if (!ready || !('mailer' in ready) || !ready.prepared.isShared)
        return Promise.all([
          groupFrom([first.delivery], ready, leave),
          ...others.map(async ({ delivery, dispatch }) =>
            groupFrom([delivery], await readyFor([delivery], dispatch), leave),
          ),
        ])
      const dispatches = new Map([first, ...others].map(({ dispatch }) => [dispatch._id, dispatch]))
      const deliveries = [first, ...others].map(({ delivery }) => delivery)
      return [
        (await withRoom(deliveries, ready, leave)).map((one) => {
          const dispatch = dispatches.get(one.delivery.dispatchId) ?? first.dispatch
          return { ...one, prepared: { ...one.prepared, dispatch } }
        }),
      ]
    }

    return {
      recorded,
      recordBounces,

      /** What mails that come soon need is begun. */
      headStart: {
        mails: () => deps.renderAndSend.expectMails?.(),
        content: deps.preparation.expect,
      } satisfies HeadStart,

      /** Single mails that were accepted just now, with their dispatches. Who their recipients are is looked up. */
      singles: async (born: readonly Single[], leave: Leave): Promise<void> => {
        const alike = grouped(born, ({ dispatch }) => likeness(dispatch))
        const groups = await Promise.all([...alike.values()].map((group) => readySingles(group, leave)))
        await sendAll(groups.flat())
      },

      /** A page that was expanded just now: who its recipients are is known. What has to wait longer goes back to the queue. */
      leased: async (page: readonly Leased[]): Promise<void> => {
        const freshUntil = clock().getTime() + freshTime
        const deliveries = page.map(({ delivery }) => delivery)
        const send = ({ prepared, mailer }: Ready) =>
          deliver(
            page.map(({ delivery, recipient }) => ({ delivery, recipient, prepared, mailer })),
            freshUntil,
          )
        const found = await readyFor(deliveries)
        if (found && 'feedsOf' in found) await inFeedTurn(deliveries, found.feedsOf, send)
        else if (found) await send(found)
      },

      /** What was claimed, perhaps long after it was expanded: who its recipients are is looked up anew. */
      claimed: async (claimed: readonly Delivery[], leave: Leave): Promise<void> => {
        const groups = [...grouped(claimed, (one) => one.dispatchId).values()]
        await sendAll(await Promise.all(groups.map(async (group) => groupFrom(group, await readyFor(group), leave))))
      },
    }
  }
}
export type Delivering = ReturnType<ReturnType<typeof delivering>>
