import type { Clock } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import { spreadOf } from '../../kernel/retry.js'
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
  readonly attributionOf: (delivery: Delivery) => Promise<Attribution | undefined>
  readonly stop: (dispatchId: string, reason: string, repairable?: RepairableStop) => Promise<Stopped | undefined>
  readonly clock: Clock
}

/** `isShut`: the channel's rate is 0 now. */
export type Open = { readonly dispatch: CompiledDispatch; readonly mailer: Mailer; readonly isShut: boolean }

/** Result for every delivery of a dispatch that cannot be sent now. */
export type Closed = { readonly result: Result; readonly attribution?: Attribution | undefined }

/** The feeds must be read in a turn first. */
export type FeedsUnread = { readonly feedsOf: Dispatch }

/** In ms, for a project with too much work waiting. */
const busyDelay = 60_000
/** In ms; up to twice `busyDelay` if the channel's rate is 0. */
const noPermitDelay = 1_000
/** In ms: mails that no user could retry wait as for a relay that defers. */
const stoppedAccountWait = 12 * 60 * 60_000

export const channelOf = ({ dispatch: { channel } }: CompiledDispatch): Channel => channel

/** Of many deliveries, the dispatch stores the reason once. */
const resultOfStop = (stopped: Stopped | undefined, error: DeliveryError): Result => {
  if (stopped && !stopped.isSingle && !stopped.error)
    return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  return notAttempted({ to: 'failed', error, ...(stopped && { refund: stopped.refund }) })
}

/** Decides whether a dispatch may send now, else what happens to its deliveries. */
export const sendGate = ({ compiler, states, attributionOf, stop, clock }: Deps) => {
  const putOff = (milliseconds: number): Result =>
    notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + milliseconds).toISOString() })

  const later = (): Result => putOff(busyDelay)

  /** The channel had no permit. */
  const noPermit = ({ dispatch, isShut }: Pick<Open, 'dispatch' | 'isShut'>): Result =>
    putOff(isShut ? busyDelay * (1 + spreadOf(dispatch.dispatch._id)) : noPermitDelay)

  /** A person must repair the channel: the dispatch stops and can be resumed. */
  const stoppedBy = async (dispatchId: string, error: DeliveryError): Promise<Result> =>
    resultOfStop(await stop(dispatchId, error.message, { error: error.name }), error)

  const mayWait = ({ dispatch: { kind, createdAt, sendAt = createdAt } }: CompiledDispatch): boolean =>
    kind !== 'campaign' && clock().getTime() - Date.parse(sendAt) < stoppedAccountWait

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
     * @param delivery one of the dispatch
     * @param known the dispatch, if just accepted
     * @param turn if it has feeds
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
        const result = resultOfStop(stopped, stopped?.error ?? errorOf('DispatchStopped', error))
        return { result, attribution: stopped?.error ? undefined : await attributionOf(delivery) }
      }
    },
  }
}
export type SendGate = ReturnType<typeof sendGate>
