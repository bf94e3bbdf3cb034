import type { FeedTurn } from '../../emails/feeds.js'
import { spreadOf } from '../../kernel/backoff.js'
import type { Clock } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import { type Channel, serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import { type Mailer, MailerUnavailable } from '../channels/mailer.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Mendable, Stopped } from './dispatch-ends.js'
import { errorOf, notAttempted, type Result } from './outcomes.js'
import { NeedsFeedTurn, type Preparation, type PreparedDispatch, Unpreparable } from './preparing.js'

type Deps = {
  readonly preparation: Preparation
  readonly states: ChannelStates
  /** Of a mail whose dispatch cannot be prepared. */
  readonly factsOf: (delivery: Delivery) => Promise<Attribution | undefined>
  /** Stops the whole dispatch, of which nothing can be sent. */
  readonly stop: (dispatchId: string, reason: string, mendable?: Mendable) => Promise<Stopped | undefined>
  readonly clock: Clock
}

/** A dispatch that can be sent, and what by. `isShut`: its channel lets nothing through now. */
export type Ready = { readonly prepared: PreparedDispatch; readonly mailer: Mailer; readonly isShut: boolean }

/** What becomes of all mails of a dispatch that cannot be sent now; without facts it is nobody's to count or hear of. */
export type Unready = { readonly result: Result; readonly facts?: Attribution | undefined }

/** A dispatch with feeds, which is made ready in a turn of its own. */
export type FeedsUnread = { readonly feedsOf: Dispatch }

/** After so long, a project of which too much was waiting is tried again. */
const busyTime = 60_000
/** After so long, what a channel had no room for; and, where it lets nothing through, up to twice `busyTime`. */
const noRoomTime = 1_000

/** So long whatever nobody could retry waits for an account that is stopped: half a day, as for a server that says "later". */
const stoppedTime = 12 * 60 * 60_000

/** What a dispatch leaves by; one that is older than channels, by the server's own. */
export const channelOf = ({ dispatch: { channel = serverChannel } }: PreparedDispatch): Channel => channel

/**
 * What stops a sending to many is its own failure, and told as such: its recipients are left out, or wait for a retry. Of a single mail
 * it is the mail's.
 */
const ofStopped = (stopped: Stopped | undefined, error: DeliveryError): Result => {
  if (stopped && !stopped.isSingle && !stopped.resumes)
    return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  return notAttempted({ to: 'failed', error, ...(stopped && { refund: stopped.refund }) })
}

/** Stage 4 of a sending: whether a dispatch can be sent now, and what becomes of its mails where it cannot. */
export const readying = ({ preparation, states, factsOf, stop, clock }: Deps) => {
  const putOff = (milliseconds: number): Result =>
    notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + milliseconds).toISOString() })

  /** Of mails whose making has to wait. */
  const later = (): Result => putOff(busyTime)

  /** Of mails that there is no room for by their channel now. */
  const noRoom = ({ prepared, isShut }: Pick<Ready, 'prepared' | 'isShut'>): Result =>
    putOff(isShut ? busyTime * (1 + spreadOf(prepared.dispatch._id)) : noRoomTime)

  /** Nothing leaves by the channel until somebody mends that: the whole dispatch waits for it, and this mail, which was not even tried. */
  const stoppedBy = async (dispatchId: string, error: DeliveryError): Promise<Result> =>
    ofStopped(await stop(dispatchId, error.message, { error: error.name }), error)

  const mayWait = ({ dispatch: { kind, createdAt } }: PreparedDispatch): boolean =>
    kind !== 'campaign' && clock().getTime() - Date.parse(createdAt) < stoppedTime

  const ready = async (
    dispatchId: string,
    known: Dispatch | undefined,
    turn: FeedTurn | undefined,
  ): Promise<Ready | Unready> => {
    const prepared = await preparation.prepared(dispatchId, known, turn)
    const state = await states.current(channelOf(prepared))
    if (state?.kind === 'stopped' && mayWait(prepared)) return { result: noRoom({ prepared, isShut: true }) }
    if (state?.kind === 'unavailable' || state?.kind === 'stopped') throw new MailerUnavailable(state.reason)
    if (state?.kind !== 'ready') return { result: noRoom({ prepared, isShut: state !== undefined }) }
    return { prepared, mailer: state.mailer, isShut: state.ratePerSecond === 0 }
  }

  return {
    later,
    noRoom,
    stoppedBy,

    /**
     * @param one of the mails that wait for it
     * @param known its dispatch, where that was accepted just now
     * @param turn the dispatch's, if it has feeds
     */
    ready: async (one: Delivery, known?: Dispatch, turn?: FeedTurn): Promise<Ready | Unready | FeedsUnread> => {
      const { dispatchId } = one
      try {
        return await ready(dispatchId, known, turn)
      } catch (error) {
        if (error instanceof NeedsFeedTurn) return { feedsOf: error.dispatch }
        if (isBusy(error)) return { result: later() }
        if (error instanceof MailerUnavailable)
          return { result: await stoppedBy(dispatchId, errorOf(error.name, error)) }
        if (!(error instanceof Unpreparable)) throw error
        const stopped = await stop(dispatchId, error.message)
        return { result: ofStopped(stopped, errorOf('DispatchStopped', error)), facts: await factsOf(one) }
      }
    },
  }
}
export type Readying = ReturnType<typeof readying>
