import { spreadOf } from '../../kernel/backoff.js'
import type { Clock } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import type { FeedTurn } from '../../mail/feeds.js'
import type { Channel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import { type Mailer, MailerUnavailable } from '../channels/mailer.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { type CompiledDispatch, type Compiler, NeedsFeedTurn, NotSendable } from './compile.js'
import type { RepairableStop, Stopped } from './complete.js'
import { errorOf, notAttempted, type Result } from './outcome.js'

type Deps = {
  readonly compiler: Compiler
  readonly states: ChannelStates
  /** Attribution of a mail whose dispatch cannot be compiled. */
  readonly attributionOf: (delivery: Delivery) => Promise<Attribution | undefined>
  /** Stops the whole dispatch. */
  readonly stop: (dispatchId: string, reason: string, repairable?: RepairableStop) => Promise<Stopped | undefined>
  readonly clock: Clock
}

/** A dispatch that may send now. `isShut`: its channel's rate is 0 at the moment. */
export type Open = { readonly dispatch: CompiledDispatch; readonly mailer: Mailer; readonly isShut: boolean }

/** The result for every delivery of a dispatch that cannot be sent now. Without attribution it is neither counted nor published. */
export type Closed = { readonly result: Result; readonly attribution?: Attribution | undefined }

/** A dispatch with feeds: they are read in a turn of their own before the gate is asked again. */
export type FeedsUnread = { readonly feedsOf: Dispatch }

/** After this many ms, a project that had too much work waiting is tried again. */
const busyDelay = 60_000
/** After this many ms, a mail that its channel had no permit for; up to twice `busyDelay` if the channel's rate is 0. */
const noPermitDelay = 1_000
/** Mails that nobody could retry wait for a stopped sending account this long, in ms, as they would for a server that says "later". */
const stoppedAccountWait = 12 * 60 * 60_000

/** The channel that a dispatch's mails leave by. */
export const channelOf = ({ dispatch: { channel } }: CompiledDispatch): Channel => channel

/**
 * When a dispatch to many stops, the reason is recorded once for the dispatch, and its recipients are excluded or wait for a retry. A
 * single mail fails with the reason.
 */
const resultOfStop = (stopped: Stopped | undefined, error: DeliveryError): Result => {
  if (stopped && !stopped.isSingle && !stopped.resumes)
    return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  return notAttempted({ to: 'failed', error, ...(stopped && { refund: stopped.refund }) })
}

/** Decides whether a dispatch may send now, and what happens to its deliveries if it may not. */
export const sendGate = ({ compiler, states, attributionOf, stop, clock }: Deps) => {
  const putOff = (milliseconds: number): Result =>
    notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + milliseconds).toISOString() })

  /** For mails whose project has too much work waiting. */
  const later = (): Result => putOff(busyDelay)

  /** For mails that got no permit of their channel. */
  const noPermit = ({ dispatch, isShut }: Pick<Open, 'dispatch' | 'isShut'>): Result =>
    putOff(isShut ? busyDelay * (1 + spreadOf(dispatch.dispatch._id)) : noPermitDelay)

  /** For a mail of a channel that sends nothing until a person repairs it: the whole dispatch stops and can be resumed. */
  const stoppedBy = async (dispatchId: string, error: DeliveryError): Promise<Result> =>
    resultOfStop(await stop(dispatchId, error.message, { error: error.name }), error)

  const mayWait = ({ dispatch: { kind, createdAt } }: CompiledDispatch): boolean =>
    kind !== 'campaign' && clock().getTime() - Date.parse(createdAt) < stoppedAccountWait

  const opened = async (
    dispatchId: string,
    known: Dispatch | undefined,
    turn: FeedTurn | undefined,
  ): Promise<Open | Closed> => {
    const dispatch = await compiler.compiled(dispatchId, known, turn)
    const state = await states.current(channelOf(dispatch))
    if (state?.kind === 'stopped' && mayWait(dispatch)) return { result: noPermit({ dispatch, isShut: true }) }
    if (state?.kind === 'unavailable' || state?.kind === 'stopped') throw new MailerUnavailable(state.reason)
    if (state?.kind !== 'ready') return { result: noPermit({ dispatch, isShut: state !== undefined }) }
    return { dispatch, mailer: state.mailer, isShut: state.ratePerSecond === 0 }
  }

  return {
    later,
    noPermit,
    stoppedBy,

    /**
     * @param delivery one of those that wait for the dispatch
     * @param known its dispatch, if that was accepted just now
     * @param turn the dispatch's, if it has feeds
     */
    open: async (delivery: Delivery, known?: Dispatch, turn?: FeedTurn): Promise<Open | Closed | FeedsUnread> => {
      const { dispatchId } = delivery
      try {
        return await opened(dispatchId, known, turn)
      } catch (error) {
        if (error instanceof NeedsFeedTurn) return { feedsOf: error.dispatch }
        if (isBusy(error)) return { result: later() }
        if (error instanceof MailerUnavailable)
          return { result: await stoppedBy(dispatchId, errorOf(error.name, error)) }
        if (!(error instanceof NotSendable)) throw error
        const stopped = await stop(dispatchId, error.message)
        const result = resultOfStop(stopped, errorOf('DispatchStopped', error))
        return { result, attribution: await attributionOf(delivery) }
      }
    },
  }
}
export type SendGate = ReturnType<typeof sendGate>
