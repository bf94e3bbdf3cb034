import type { Clock } from '../../kernel/ports.js'
import { isBusyRefusal } from '../../kernel/refusal.js'
import { jitterFromText } from '../../kernel/retry.js'
import type { FeedTurn } from '../../mail/feeds.js'
import type { SendingChannelStates } from '../channels/channel-states.js'
import type { StatisticsAttribution } from '../ledger/attribution.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { type DispatchCompiler, type FeedsUnread, UnsendableDispatch } from './compile.js'
import type { RepairableStop, StoppedDispatch } from './complete.js'
import type { CompiledWithMailer } from './in-flight.js'
import { type DeliverySettlement, deliveryErrorOf, withoutCountingAttempt } from './outcome.js'

type Deps = {
  readonly compiler: DispatchCompiler
  readonly states: SendingChannelStates
  readonly attributionOfDelivery: (delivery: Delivery) => Promise<StatisticsAttribution | undefined>
  readonly stop: (
    dispatchId: string,
    reason: string,
    repairable?: RepairableStop,
  ) => Promise<StoppedDispatch | undefined>
  readonly clock: Clock
}

/** `isRateZero`: the channel's rate is 0 now. */
export type OpenSendGate = {
  readonly kind: 'open'
  readonly compiled: CompiledWithMailer
  readonly isRateZero: boolean
}

/** What happens to every delivery of a dispatch that cannot be sent now. */
export type ClosedSendGate = {
  readonly kind: 'closed'
  readonly result: DeliverySettlement
  readonly attribution?: StatisticsAttribution | undefined
}

/** In ms, for a project with too much work waiting. */
const busyDelay = 60_000
/** In ms; up to twice `busyDelay` if the channel's rate is 0. */
const noPermitDelay = 1_000
/** In ms: mails that no user could retry wait as for a relay that defers. */
const stoppedAccountWait = 12 * 60 * 60_000

/** Of many deliveries, the dispatch stores the reason once. */
const changeAfterStop = (stopped: StoppedDispatch | undefined, error: DeliveryError): DeliverySettlement => {
  if (stopped && !stopped.isSingle && !stopped.error)
    return withoutCountingAttempt({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  return withoutCountingAttempt({ to: 'failed', error, ...(stopped && { refund: stopped.refund }) })
}

/** Decides whether a dispatch may send now, else what happens to its deliveries. */
export const sendGate = ({ compiler, states, attributionOfDelivery, stop, clock }: Deps) => {
  const putOff = (milliseconds: number): DeliverySettlement =>
    withoutCountingAttempt({ to: 'queued', notBefore: new Date(clock().getTime() + milliseconds).toISOString() })

  const later = (): DeliverySettlement => putOff(busyDelay)

  /** The channel had no permit. */
  const noPermit = ({ _id }: Pick<Dispatch, '_id'>, isRateZero: boolean): DeliverySettlement =>
    putOff(isRateZero ? busyDelay * (1 + jitterFromText(_id)) : noPermitDelay)

  const closed = (result: DeliverySettlement): ClosedSendGate => ({ kind: 'closed', result })

  /** A person must repair the channel: the dispatch stops and can be resumed. */
  const stoppedBy = async (dispatchId: string, error: DeliveryError): Promise<DeliverySettlement> =>
    changeAfterStop(await stop(dispatchId, error.message, { error: error.name }), error)

  const mayWait = ({ kind, createdAt, sendAt = createdAt }: Dispatch): boolean =>
    kind !== 'campaign' && clock().getTime() - Date.parse(sendAt) < stoppedAccountWait

  const opened = async (
    dispatchId: string,
    known: Dispatch | undefined,
    turn: FeedTurn | undefined,
  ): Promise<OpenSendGate | ClosedSendGate | FeedsUnread> => {
    const compiled = await compiler.compiled(dispatchId, known, turn)
    if ('kind' in compiled) return compiled
    const { dispatch } = compiled
    const state = await states.current(dispatch.channel)
    if (state?.kind === 'stopped' && mayWait(dispatch)) return closed(noPermit(dispatch, true))
    if (state?.kind === 'unavailable' || state?.kind === 'stopped')
      return closed(await stoppedBy(dispatchId, deliveryErrorOf('MailerUnavailable', state.reason)))
    if (state?.kind !== 'ready') return closed(noPermit(dispatch, state !== undefined))
    return { kind: 'open', compiled: { ...compiled, mailer: state.mailer }, isRateZero: state.ratePerSecond === 0 }
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
    open: async (
      delivery: Delivery,
      known?: Dispatch,
      turn?: FeedTurn,
    ): Promise<OpenSendGate | ClosedSendGate | FeedsUnread> => {
      const { dispatchId } = delivery
      try {
        return await opened(dispatchId, known, turn)
      } catch (error) {
        if (isBusyRefusal(error)) return closed(later())
        if (!(error instanceof UnsendableDispatch)) throw error
        const stopped = await stop(dispatchId, error.message)
        const result = changeAfterStop(stopped, stopped?.error ?? deliveryErrorOf('DispatchStopped', error))
        return { ...closed(result), attribution: stopped?.error ? undefined : await attributionOfDelivery(delivery) }
      }
    },
  }
}
export type SendGate = ReturnType<typeof sendGate>
