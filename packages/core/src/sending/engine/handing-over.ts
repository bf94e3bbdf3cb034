import { creditKey } from '../../accounts/account.js'
import { maxAttempts } from '../../kernel/backoff.js'
import { type FairWindow, fairWindow } from '../../kernel/fair-window.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock } from '../../kernel/ports.js'
import type { Recipient } from '../audience/recipients.js'
import { channelKey } from '../channels/channel.js'
import type { Mailer } from '../channels/mailer.js'
import type { Pace } from '../channels/pace.js'
import type { Delivery } from '../ledger/delivery.js'
import { type InDoubt, inDoubt } from './in-doubt.js'
import type { RecordOutcome } from './outcome-records.js'
import { errorOf, notAttempted, type Result, resultOf } from './outcomes.js'
import type { PreparedDispatch } from './preparing.js'
import { channelOf, type Readying } from './readying.js'
import { type Refused, refusalWaves } from './refusal-wave.js'
import type { MailBatch, MailResult, RenderAndSend } from './render-and-send.js'
import type { Ahead, Settled } from './settling.js'

/** What a worker lends to the delivering of what it has. */
export type WorkerContext = {
  /** Notes outcomes, which are durable soon: then the worker says so by `recorded`. */
  readonly settle: (settled: readonly Settled[]) => void
  /** Until when the worker has the delivery, in epoch milliseconds; 0: no longer. A lease can run out while a process is frozen. */
  readonly heldUntil: (id: string) => number
  /** Once it is aborted, nothing more is to be begun. */
  readonly stopping: () => AbortSignal | undefined
}

type Deps = {
  readonly renderAndSend: RenderAndSend
  readonly readying: Pick<Readying, 'later' | 'stoppedBy'>
  readonly record: RecordOutcome
  readonly pace: Pick<Pace, 'answered'>
  readonly clock: Clock
  /** Records a permanent refusal as a bounce; of a mail to one recipient before its outcome. May run twice for one mail. */
  readonly bounced: (refused: Refused) => Promise<void>
}

/** A delivery, whom it is to, and what it is made from and leaves by. */
export type Sendable = {
  readonly delivery: Delivery
  readonly prepared: PreparedDispatch
  readonly mailer: Mailer
  /** Absent where nobody is meant any more. */
  readonly recipient: Recipient | undefined
}

/** What mails that came together have in common. */
type Together = {
  /** Epoch milliseconds until which what is known of the recipients is good enough. */
  readonly freshUntil: number
  /** The outcome of one is known, or somebody else's to find. */
  readonly over: () => void
  /** One has an outcome that cannot be told: it is left to its lease. */
  readonly fail: (error: unknown) => void
}

type Waiting = Sendable & { readonly together: Together }

/** What is under way of a channel. `over`: so many are no longer ahead, all of them durable. */
type Way = Ahead & { readonly window: FairWindow<Waiting>; readonly inDoubt: InDoubt }

type MadeResult = Exclude<MailResult, { readonly kind: 'left' }>

/**
 * What goes ahead of a channel to be made and sent, and stays there until it is recorded: whoever makes mails never waits for more while
 * outcomes are written. Few of these are in doubt (`inDoubt`).
 */
const mostAhead = 2_000
/** So many go at a time. */
const chunk = 200
/** Of a mail's contact, as many characters as one of many mails has room for: 32 million of all that is ahead. */
const ordinary = 16_000

/** Each project has its share of whatever mails wait for, and its transactional mail one of its own. */
const shareOf = ({ projectId, lane }: Delivery) => `${projectId}:${lane}`

const length = (value: unknown) => (typeof value === 'string' ? value.length : 0)

/** What takes much memory counts as many. */
const weightOf = ({ recipient }: Sendable): number => {
  if (!recipient?.contact) return 1
  const { tags, customFields } = recipient.contact
  let characters = 0
  for (const tag of tags) characters += tag.length
  for (const name in customFields) characters += length(customFields[name])
  return 1 + Math.floor(characters / ordinary)
}

const weightOfAll = (some: readonly Sendable[]): number => some.reduce((sum, one) => sum + weightOf(one), 0)

/** Mails of one dispatch, and single mails that share a preparation, go together. */
const sourceOf = (prepared: PreparedDispatch) => (prepared.isShared ? prepared.email : prepared)

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

/** Stages 5 and 6 of a sending: mails go to be made and handed over, and come back with their outcome. */
export const handingOver =
  ({ renderAndSend, readying, record, pace, clock, bounced }: Deps) =>
  ({ settle, heldUntil, stopping }: WorkerContext) => {
    /** By the channel: one that hangs is in no other's way. */
    const ways = new Map<string, Way>()
    const waves = refusalWaves({ clock, bounced })

    /** A mail that cannot be made is this recipient's failure alone, and would be one again with every try. */
    const resultFrom = ({ delivery, prepared, mailer }: Sendable, result: MadeResult): Result => {
      if (result.kind === 'busy') return readying.later()
      if (result.kind === 'unmade')
        return notAttempted({ to: 'failed', error: result.error, refund: creditKey(prepared.dispatch.accountId) })
      const { outcome, subject } = result
      pace.answered(channelOf(prepared), outcome)
      return resultOf(delivery, outcome, subject, clock(), mailer.reportsSends)
    }

    const recordOf = (sendable: Sendable, result: MadeResult, way: Way): Settled => {
      const { delivery, prepared, recipient } = sendable
      return record(delivery, resultFrom(sendable, result), prepared, recipient, { way, weight: weightOf(sendable) })
    }

    /** The record, where something has to be told or done before it is written. */
    const recordAfter = (sendable: Sendable, result: MadeResult, way: Way): Promise<Settled> | undefined => {
      if (result.kind !== 'sent') return undefined
      const { outcome, subject } = result
      const { delivery, prepared, mailer } = sendable
      if (outcome.kind === 'accepted') waves.accepted(delivery.dispatchId)
      if (outcome.kind === 'refused' && outcome.bounce) {
        const refused = { delivery, subject, error: outcome.error }
        if (prepared.dispatch.audience.kind === 'address')
          return bounced(refused).then(() => recordOf(sendable, result, way))
        const wave = waves.refused(refused, mailer.concurrency)
        if (wave !== undefined)
          return readying
            .stoppedBy(prepared.dispatch._id, { name: 'RelayRefusesAll', message: wave })
            .then(() => recordOf(sendable, result, way))
      }
      // What nobody could retry waits for the account instead.
      if (outcome.kind === 'stopped' && prepared.dispatch.kind === 'campaign')
        return readying
          .stoppedBy(prepared.dispatch._id, outcome.error)
          .then((stopped) => record(delivery, stopped, undefined, undefined, { way, weight: weightOf(sendable) }))
      return undefined
    }

    const batchOf = (group: readonly [Waiting, ...Waiting[]], { inDoubt: places }: Way): MailBatch => {
      const [{ delivery: first, prepared, mailer }] = group
      const { dispatch, project, email } = prepared
      return {
        dispatchId: dispatch._id,
        projectId: project._id,
        email,
        channel: channelOf(prepared),
        mailer,
        ...(dispatch.audience.kind !== 'address' && {
          list: {
            subscriberListId: dispatch.audience.subscriberListId,
            ownPage: project.customSubscriptionPreferencesUrl,
          },
        }),
        share: shareOf(first),
        mails: group.map(({ delivery, prepared: { dispatch: own }, recipient, together }) => ({
          deliveryId: delivery._id,
          email: recipient?.email ?? delivery.email,
          contact: recipient?.contact,
          until: Math.min(heldUntil(delivery._id), together.freshUntil),
          contactId: delivery.contactId,
          data: prepared.isShared ? (own.data ?? {}) : undefined,
        })),
        inDoubt: places,
        signal: stopping(),
      }
    }

    /** What came back: outcomes go on record, and what was not begun waits again, in case its lease was renewed meanwhile. */
    const takeBack = (byId: ReadonlyMap<string, Waiting>, way: Way, results: readonly MailResult[]): void => {
      const known: Settled[] = []
      const left: Waiting[] = []
      for (const result of results) {
        const waiting = byId.get(result.deliveryId)
        if (!waiting) continue
        const { together } = waiting
        if (result.kind === 'left') {
          left.push(waiting)
          continue
        }
        const after = recordAfter(waiting, result, way)
        if (!after) {
          known.push(recordOf(waiting, result, way))
          together.over()
          continue
        }
        after.then(
          (settled) => {
            settle([settled])
            together.over()
          },
          (error: unknown) => {
            way.over(weightOf(waiting), 1)
            renderAndSend.freed()
            together.fail(error)
          },
        )
      }
      settle(known)
      const [first] = left
      if (!first) return
      way.window.add(shareOf(first.delivery), left)
      way.window.done(weightOfAll(left))
    }

    const hand = (group: readonly [Waiting, ...Waiting[]], way: Way): void => {
      const byId = new Map(group.map((waiting) => [waiting.delivery._id, waiting]))
      renderAndSend.send(batchOf(group, way), (results) => takeBack(byId, way, results))
    }

    /** What is still held goes to be made and sent; of the rest, and of what is decided anyway, the window is free at once. */
    const begin = (group: readonly Waiting[], way: Way): void => {
      const going: Waiting[] = []
      const known: Settled[] = []
      const now = clock().getTime()
      for (const waiting of group) {
        const { delivery, prepared, recipient, together } = waiting
        if (heldUntil(delivery._id) > now) {
          const isLate = stopping()?.aborted || now >= together.freshUntil
          const result = isLate ? notAttempted({ to: 'queued', notBefore: delivery.notBefore }) : decided(waiting)
          if (!result) {
            going.push(waiting)
            continue
          }
          known.push(record(delivery, result, prepared, recipient))
        }
        together.over()
      }
      settle(known)
      if (going.length < group.length) way.window.done(weightOfAll(group) - weightOfAll(going))
      const [first, ...others] = going
      if (first) hand([first, ...others], way)
    }

    const wayOf = ({ prepared, mailer }: Sendable): Way => {
      const key = channelKey(channelOf(prepared))
      const known = ways.get(key)
      if (known) return known
      const window = fairWindow<Waiting>({
        size: mostAhead,
        chunk,
        weightOf,
        begin: (some) => {
          for (const group of grouped(some, ({ prepared }) => sourceOf(prepared)).values()) begin(group, made)
        },
        emptied: () => ways.delete(key),
      })
      const places = inDoubt(mailer.concurrency)
      const made: Way = {
        window,
        inDoubt: places,
        over: (weight, n) => {
          places.free(n)
          window.done(weight)
        },
      }
      ways.set(key, made)
      return made
    }

    return {
      /** Records the permanent refusals that are bounces. @param all also those that a later mail may show to be none */
      recordBounces: waves.record,

      /** Resolves when all of them have an outcome, or are no longer this worker's. @param freshUntil what is begun later is queued again */
      deliver: (sendables: readonly Sendable[], freshUntil = Number.POSITIVE_INFINITY): Promise<void> =>
        new Promise((resolve, fail) => {
          let open = sendables.length
          if (open === 0) return resolve()
          const over = () => {
            open -= 1
            if (open === 0) resolve()
          }
          const together: Together = { freshUntil, over, fail }
          const byWindow = grouped(
            sendables,
            (one) => `${shareOf(one.delivery)} ${channelKey(channelOf(one.prepared))}`,
          )
          for (const those of byWindow.values()) {
            const [first] = those
            if (!first) continue
            const waiting = those.map(
              ({ delivery, prepared, mailer, recipient }): Waiting => ({
                delivery,
                prepared,
                mailer,
                recipient,
                together,
              }),
            )
            wayOf(first).window.add(shareOf(first.delivery), waiting)
          }
        }),

      /** These have become durable: as many more may be in doubt, and go ahead, as were among them. */
      recorded: (settled: readonly Settled[]): void => {
        const done = new Map<Ahead, { weight: number; n: number }>()
        for (const { ahead } of settled) {
          if (!ahead) continue
          const sum = done.get(ahead.way) ?? { weight: 0, n: 0 }
          sum.weight += ahead.weight
          sum.n += 1
          done.set(ahead.way, sum)
        }
        for (const [way, { weight, n }] of done) way.over(weight, n)
        if (done.size > 0) renderAndSend.freed()
      },
    }
  }
