import { creditKey } from '../../accounts/account.js'
import type { MailEvent } from '../../events/event.js'
import { type Counted, counted, type Metric } from '../../figures/figure.js'
import { maxAttempts, spreadOf } from '../../kernel/backoff.js'
import { addressKey } from '../../kernel/email-address.js'
import { type FairWindow, fairWindow } from '../../kernel/fair-window.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock } from '../../kernel/ports.js'
import { isBusy, shortened } from '../../kernel/refusal.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import { type Channel, channelKey, serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Leave } from '../channels/leaves.js'
import { type Mail, type Mailer, MailerUnavailable } from '../channels/mailer.js'
import type { Pace } from '../channels/pace.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Settlement } from '../ledger/deliveries.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Mendable, Stopped } from './dispatch-ends.js'
import { type Result, resultOf } from './outcomes.js'
import { type Preparation, type PreparedDispatch, Unpreparable } from './preparing.js'
import type { MailResult, RenderAndSend } from './render-and-send.js'
import type { Settled } from './settling.js'

type Deps = {
  readonly states: ChannelStates
  readonly renderAndSend: RenderAndSend
  readonly preparation: Preparation
  readonly recipients: Recipients
  readonly pace: Pace
  /** Of a mail whose dispatch cannot be prepared. */
  readonly factsOf: (delivery: Delivery) => Promise<Attribution | undefined>
  readonly clock: Clock
  readonly worker: string
  /** Stops the whole dispatch, of which nothing can be sent. */
  readonly stop: (dispatchId: string, reason: string, mendable?: Mendable) => Promise<Stopped | undefined>
  /** Where the mail comes back to, and what it is called elsewhere. */
  readonly returnsOf: (delivery: Delivery) => Pick<Mail, 'envelopeFrom' | 'reference'>
  /** The way out refused the address for good. Told before the outcome is recorded, perhaps more than once. */
  readonly bounced: (delivery: Delivery, subject: string | undefined) => Promise<void>
}

/** What a worker lends to the delivering of what it has. */
export type WorkerContext = {
  /** Notes outcomes, which are durable soon: then the worker says so by `recorded`. */
  readonly settle: (settled: readonly Settled[]) => void
  /** Until when the worker has the delivery, in epoch milliseconds; 0: no longer. A lease can run out while a process is frozen. */
  readonly heldUntil: (id: string) => number
  /** Once it is aborted, nothing more is to be begun. */
  readonly stopping: () => AbortSignal | undefined
}

/** A delivery of a page that was expanded just now, with whom it is to. */
export type Leased = { readonly delivery: Delivery; readonly recipient: Recipient }

/** A dispatch that can be sent, and what by. */
type Ready = { readonly prepared: PreparedDispatch; readonly mailer: Mailer; readonly isShut: boolean }

type Sendable = {
  readonly delivery: Delivery
  readonly prepared: PreparedDispatch
  readonly mailer: Mailer
  readonly recipient: Recipient | undefined
  /** Epoch milliseconds until which what is known of the recipient is good enough. */
  readonly freshUntil: number
  /** Its outcome is known, or somebody else's to find. */
  readonly over: () => void
  /** It has an outcome that cannot be told: it is left to its lease. */
  readonly fail: (error: unknown) => void
}

const errorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: shortened(error instanceof Error ? error.message : String(error)),
})

const notAttempted = (result: Omit<Result, 'attempted'>): Result => ({ ...result, attempted: false })

/** After so long, a project of which too much was waiting is tried again. */
const busyTime = 60_000

/** After so long, what a channel had no room for; and, where it lets nothing through, up to twice `busyTime`. */
const noRoomTime = 1_000

const channelOf = ({ dispatch: { channel = serverChannel } }: PreparedDispatch): Channel => channel

/**
 * What stops a sending to many is its own failure, and told as such: its recipients are left out, or wait for a retry. Of a single mail
 * it is the mail's.
 */
const ofStopped = (stopped: Stopped | undefined, error: DeliveryError): Result => {
  if (stopped && !stopped.isSingle && !stopped.resumes)
    return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  return notAttempted({ to: 'failed', error, ...(stopped && { refund: stopped.refund }) })
}

type SideEffects = Pick<Settlement, 'counted' | 'receivedBy'>

/** One for all mails of a dispatch, so that a store that has many to sum up sees that they are the same. */
const countedOf = new WeakMap<readonly string[], Map<Metric, readonly Counted[]>>()

const countedOnce = (subjects: readonly string[], metric: Metric): readonly Counted[] => {
  const known = countedOf.get(subjects) ?? new Map<Metric, readonly Counted[]>()
  countedOf.set(subjects, known)
  const found = known.get(metric) ?? counted(subjects, metric)
  known.set(metric, found)
  return found
}

/** What an outcome counts for, and whom it reached. */
const sideEffectsOf = (
  { subjects }: Pick<Attribution, 'subjects'>,
  { to }: Result,
  recipient: Recipient | undefined,
): SideEffects => {
  if (subjects.length === 0 || (to !== 'sent' && to !== 'failed')) return {}
  const contactId = recipient?.contact?._id
  return { counted: countedOnce(subjects, to), ...(to === 'sent' && contactId && { receivedBy: contactId }) }
}

/** The event that an outcome is; none of a mail that is put off or left out, and none of a test's. */
const eventOf = (
  { dispatch: { kind, emailId }, subject: stored, subjects }: Attribution,
  { _id, projectId, attempts, email: address, subject: earlier }: Delivery,
  { to, error, subject = earlier ?? stored }: Result,
  now: string,
): MailEvent | undefined => {
  const mail = { deliveryId: _id, emailId, kind, subject, to: address, sentAt: now }
  if (subjects.length === 0) return undefined
  if (to === 'sent') return { _id: `${_id}:sent`, projectId, at: now, type: 'sent', mail }
  if (to === 'failed')
    return {
      _id: `${_id}:failed:${attempts}`,
      projectId,
      at: now,
      type: 'failed',
      mail,
      ...(error && { errors: [error] }),
    }
  return undefined
}

/** Each project has its share of whatever mails wait for, and its transactional mail one of its own. */
const shareOf = ({ projectId, lane }: Delivery) => `${projectId}:${lane}`

type MadeResult = Exclude<MailResult, { readonly kind: 'left' }>

/** Mails that are handed over and not yet durably recorded: all that a crash may send twice. */
const mostInDoubt = 200
/** A recipient who unsubscribes gets nothing that is begun so many milliseconds later. */
const freshTime = 5_000
/** So many mails go to be made and sent at a time. */
const chunk = 50

/** Stages 4 to 6 of a sending: who the recipients are now, their mail, its way out, its outcome. */
export const delivering = ({
  states,
  renderAndSend,
  preparation,
  recipients,
  pace,
  factsOf,
  clock,
  worker,
  stop,
  returnsOf,
  bounced,
}: Deps) => {
  /** Of mails whose making has to wait: nothing was tried. */
  const later = (): Result =>
    notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + busyTime).toISOString() })

  /** What is known without sending anything. */
  const decided = ({ delivery, prepared, recipient }: Sendable): Result | undefined => {
    if (delivery.attempts >= maxAttempts)
      return notAttempted({
        to: 'failed',
        error: delivery.error ?? errorOf('WorkerDied', 'Every worker that tried this mail died.'),
      })
    const reason = recipient ? recipient.excluded : 'unsubscribed'
    return reason && notAttempted({ to: 'excluded', reason, refund: creditKey(prepared.dispatch.accountId) })
  }

  /** A mail that cannot be made is this recipient's failure alone, and would be one again with every try. */
  const resultFrom = ({ delivery, prepared, mailer }: Sendable, result: MadeResult): Result => {
    if (result.kind === 'busy') return later()
    if (result.kind === 'unmade')
      return notAttempted({ to: 'failed', error: result.error, refund: creditKey(prepared.dispatch.accountId) })
    const { outcome, subject } = result
    if (outcome.kind === 'deferred' && outcome.throttled) pace.throttled(channelOf(prepared))
    return { ...resultOf(delivery, outcome, clock(), mailer.reportsSends), ...(subject !== undefined && { subject }) }
  }

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

  const audienceKey = ({ dispatch: { projectId, audience } }: PreparedDispatch) =>
    audience.kind === 'address' ? projectId : `${projectId}:${audience.subscriberListId}`

  /** Nothing leaves by the channel until somebody mends that: the whole dispatch waits for it, and this mail, which was not even tried. */
  const stoppedBy = async (dispatchId: string, error: DeliveryError): Promise<Result> =>
    ofStopped(await stop(dispatchId, error.message, { error: error.name }), error)

  /** Of mails that there is no room for by their channel now: nothing was tried. */
  const noRoom = ({ prepared, isShut }: Pick<Ready, 'prepared' | 'isShut'>): Result => {
    const rest = isShut ? busyTime * (1 + spreadOf(prepared.dispatch._id)) : noRoomTime
    return notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + rest).toISOString() })
  }

  /** With what it leaves by; without, while that cannot be had for a reason that may pass. @throws Unpreparable, MailerUnavailable, Refusal `busy` */
  const readied = async (dispatchId: string): Promise<Ready | Pick<Ready, 'prepared' | 'isShut'>> => {
    const prepared = await preparation.prepared(dispatchId)
    const state = await states.current(channelOf(prepared))
    if (state?.kind === 'unavailable') throw new MailerUnavailable(state.reason)
    if (state?.kind !== 'ready') return { prepared, isShut: state !== undefined }
    return { prepared, mailer: state.mailer, isShut: state.ratePerSecond === 0 }
  }

  return ({ settle, heldUntil, stopping }: WorkerContext) => {
    /** Without facts, an outcome that is nobody's to count or hear of. */
    const settled = (delivery: Delivery, result: Result, facts?: Attribution, recipient?: Recipient): Settled => {
      const now = clock().toISOString()
      return {
        settlement: {
          _id: delivery._id,
          worker,
          now,
          ...result,
          ...(facts && sideEffectsOf(facts, result, recipient)),
        },
        event: facts && eventOf(facts, delivery, result, now),
      }
    }

    const readyOrStopped = async (dispatchId: string, group: readonly Delivery[]): Promise<Ready | undefined> => {
      const record = (result: Result, facts?: Attribution) => settle(group.map((one) => settled(one, result, facts)))
      try {
        const ready = await readied(dispatchId)
        if ('mailer' in ready) return ready
        record(noRoom(ready))
      } catch (error) {
        if (isBusy(error)) record(later())
        else if (error instanceof MailerUnavailable) record(await stoppedBy(dispatchId, errorOf(error.name, error)))
        else if (error instanceof Unpreparable) {
          const stopped = await stop(dispatchId, error.message)
          record(ofStopped(stopped, errorOf('DispatchStopped', error)), group[0] && (await factsOf(group[0])))
        } else throw error
      }
      return undefined
    }

    /** Those of the group that may leave by their channel now; the others are put off. */
    const withRoom = async (group: readonly Delivery[], ready: Ready, leave: Leave) => {
      const n = await leave.use(channelOf(ready.prepared), group.length)
      if (n < group.length) settle(group.slice(n).map((one) => settled(one, noRoom(ready))))
      return group.slice(0, n).map((delivery) => ({ delivery, ...ready }))
    }

    /** What is under way of each channel: one that hangs is in no other's way. */
    const windows = new Map<string, FairWindow<Sendable>>()

    const windowOf = ({ prepared, mailer }: Pick<Sendable, 'prepared' | 'mailer'>): FairWindow<Sendable> => {
      const key = channelKey(channelOf(prepared))
      const known = windows.get(key)
      if (known) return known
      const made = fairWindow<Sendable>({
        size: Math.max(mostInDoubt, mailer.concurrency),
        chunk,
        begin: (some) => {
          for (const group of grouped(some, (one) => one.prepared).values()) begin(group, made)
        },
        emptied: () => windows.delete(key),
      })
      windows.set(key, made)
      return made
    }

    /** What is still held goes to be made and sent; of the rest, and of what is decided anyway, the window is free at once. */
    const begin = (group: readonly Sendable[], window: FairWindow<Sendable>): void => {
      const going: Sendable[] = []
      const known: Settled[] = []
      const signal = stopping()
      for (const sendable of group) {
        const { delivery, prepared, recipient } = sendable
        if (heldUntil(delivery._id) > clock().getTime()) {
          const isLate = signal?.aborted || clock().getTime() > sendable.freshUntil
          const result = isLate ? notAttempted({ to: 'queued', notBefore: delivery.notBefore }) : decided(sendable)
          if (!result) {
            going.push(sendable)
            continue
          }
          known.push(settled(delivery, result, prepared, recipient))
        }
        sendable.over()
      }
      settle(known)
      if (going.length < group.length) window.done(group.length - going.length)
      if (going.length > 0) hand(going, window, signal)
    }

    /** Handed over and not yet recorded. */
    const handed = new Map<string, FairWindow<Sendable>>()

    const outcomeOf = (sendable: Sendable, result: MadeResult): Settled => {
      const { delivery, prepared, recipient } = sendable
      return settled(delivery, resultFrom(sendable, result), prepared, recipient)
    }

    /** The outcome, where something has to be told or done before it is recorded. */
    const outcomeAfter = (sendable: Sendable, result: MadeResult): Promise<Settled> | undefined => {
      if (result.kind !== 'sent') return undefined
      const { outcome, subject } = result
      const { delivery, prepared } = sendable
      if (outcome.kind === 'refused' && outcome.bounce)
        return bounced(delivery, subject).then(() => outcomeOf(sendable, result))
      // What nobody could retry waits for the account instead.
      if (outcome.kind === 'stopped' && prepared.dispatch.kind === 'campaign')
        return stoppedBy(prepared.dispatch._id, outcome.error).then((result) => settled(delivery, result))
      return undefined
    }

    const hand = (group: readonly Sendable[], window: FairWindow<Sendable>, signal: AbortSignal | undefined): void => {
      const [first] = group as readonly [Sendable]
      const { dispatch, project, email } = first.prepared
      const byId = new Map(group.map((sendable) => [sendable.delivery._id, sendable]))
      for (const id of byId.keys()) handed.set(id, window)
      renderAndSend.send(
        {
          dispatchId: dispatch._id,
          projectId: project._id,
          email,
          channel: channelOf(first.prepared),
          mailer: first.mailer,
          ...(dispatch.audience.kind !== 'address' && {
            list: {
              subscriberListId: dispatch.audience.subscriberListId,
              ownPage: project.customSubscriptionPreferencesUrl,
            },
          }),
          share: shareOf(first.delivery),
          mails: group.map(({ delivery, recipient }) => ({
            deliveryId: delivery._id,
            email: recipient?.email ?? delivery.email,
            contact: recipient?.contact,
            until: heldUntil(delivery._id),
            ...returnsOf(delivery),
          })),
          signal,
        },
        (results) => {
          const outcomes: Settled[] = []
          const left: Sendable[] = []
          for (const result of results) {
            const sendable = byId.get(result.deliveryId)
            if (!sendable) continue
            if (result.kind === 'left') {
              left.push(sendable)
              handed.delete(result.deliveryId)
              continue
            }
            const after = outcomeAfter(sendable, result)
            if (after) {
              after.then(
                (outcome) => {
                  settle([outcome])
                  sendable.over()
                },
                (error: unknown) => {
                  if (handed.delete(result.deliveryId)) window.done(1)
                  sendable.fail(error)
                },
              )
              continue
            }
            outcomes.push(outcomeOf(sendable, result))
            sendable.over()
          }
          settle(outcomes)
          if (left.length === 0) return
          // A lease that was renewed meanwhile is looked at again, behind what waits.
          window.add(shareOf(first.delivery), left)
          window.done(left.length)
        },
      )
    }

    /** Resolves when all of them have an outcome, or are no longer this worker's. */
    const deliver = (
      sendables: readonly Omit<Sendable, 'over' | 'fail' | 'freshUntil'>[],
      freshUntil = Number.POSITIVE_INFINITY,
    ): Promise<void> =>
      new Promise((resolve, fail) => {
        let open = sendables.length
        if (open === 0) return resolve()
        const over = () => {
          open -= 1
          if (open === 0) resolve()
        }
        for (const [share, those] of grouped(sendables, ({ delivery }) => shareOf(delivery)))
          for (const by of grouped(those, ({ prepared }) => channelKey(channelOf(prepared))).values()) {
            const [first] = by
            if (!first) continue
            windowOf(first).add(
              share,
              by.map((one) => ({ ...one, freshUntil, over, fail })),
            )
          }
      })

    return {
      /** These have become durable: as many more may be handed over as were among them. */
      recorded: (settlements: readonly Settlement[]): void => {
        const done = new Map<FairWindow<Sendable>, number>()
        for (const { _id } of settlements) {
          const window = handed.get(_id)
          if (window && handed.delete(_id)) done.set(window, (done.get(window) ?? 0) + 1)
        }
        for (const [window, n] of done) window.done(n)
      },

      /** A page that was expanded just now: who its recipients are is known. What has to wait longer goes back to the queue. */
      leased: async (dispatchId: string, page: readonly Leased[]): Promise<void> => {
        const freshUntil = clock().getTime() + freshTime
        const ready = await readyOrStopped(
          dispatchId,
          page.map(({ delivery }) => delivery),
        )
        if (ready)
          await deliver(
            page.map((one) => ({ ...one, ...ready })),
            freshUntil,
          )
      },

      /** What was claimed, perhaps long after it was expanded: who its recipients are is looked up anew. */
      claimed: async (claimed: readonly Delivery[], leave: Leave): Promise<void> => {
        const groups = await Promise.all(
          [...grouped(claimed, (one) => one.dispatchId)].map(async ([dispatchId, group]) => {
            const ready = await readyOrStopped(dispatchId, group)
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
