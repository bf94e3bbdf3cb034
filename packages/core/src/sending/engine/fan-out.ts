import { type Account, creditCounterKey } from '../../accounts/account.js'
import { addressKey } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Counters, CounterTake, Runtime } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { cachedPoll, type WakeUpSignal } from '../../kernel/wake-up.js'
import type { AudienceRecipients, Recipient } from '../audience/recipients.js'
import type { SendPermits } from '../channels/send-permits.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, deliveryId, type ExclusionReason } from '../ledger/delivery.js'
import { type Dispatch, dispatchMoves, isDirectAudience, statisticsEmailId } from '../ledger/dispatch.js'
import type { DispatchCompleter } from './complete.js'
import type { InFlightDeliveries, LeasableDelivery } from './in-flight.js'
import type { SendingPipeline } from './pipeline.js'
import type { OutcomeWriter } from './record.js'

type Deps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; accounts: Account }>
  readonly deliveries: Pick<Deliveries, 'expand'>
  readonly counters: Counters
  readonly recipients: Pick<AudienceRecipients, 'page'>
  readonly completion: Pick<DispatchCompleter, 'finishIfDone'>
  readonly permits: Pick<SendPermits, 'forPage'>
  readonly inFlight: InFlightDeliveries
  readonly pipeline: SendingPipeline
  readonly flush: OutcomeWriter['flush']
  readonly filled: (projectId: string) => void
  readonly yieldToTransactional: () => Promise<void>
  readonly worker: string
  readonly stopping: () => AbortSignal | undefined
  readonly wakeUp: WakeUpSignal
}

/** How long the store’s list of expanding dispatches is used, in ms. A wake-up queries at once. */
const pollInterval = { first: 5_000, longest: 10_000 }
const yieldTime = 30_000
/** In ms. Then pages wait no longer: what finds no place in flight is queued. */
const roomTimeout = 2_000
/** In ms; older recipients are looked up again before sending. */
const freshTime = 5_000

/** Turns an audience into ledger rows, page by page. Rows with room in flight are created leased. */
export const fanOut = (deps: Deps) => {
  const { repositories, deliveries, counters, recipients, completion, permits, inFlight, pipeline, worker, clock } =
    deps
  const { flush, filled, yieldToTransactional, stopping, wakeUp, sleep, log } = deps
  const started = new Set<string>()
  const yielded = new Map<string, number>()
  /** Pages wait no longer until there is room again. */
  let isSlow = false
  const expanding = cachedPoll({
    query: () => collected(repositories.dispatches.each({ stage: 'expanding' })),
    isEmpty: (dispatches) => dispatches.length === 0,
    clock,
    wakeUp,
    interval: pollInterval,
  })

  const hasRoom = () => inFlight.isHalfFree('fan-out')

  /** Until at most half of the places are taken; a full page then fits. */
  const waitForRoom = async (): Promise<void> => {
    if (hasRoom()) isSlow = false
    if (isSlow) return
    const until = clock().getTime() + roomTimeout
    while (!hasRoom() && stopping()?.aborted === false) {
      const rest = until - clock().getTime()
      isSlow = rest <= 0
      if (isSlow) return
      await sleep(rest, inFlight.changed())
    }
  }

  const creditFor = async ({ accountId }: Dispatch, missing: number): Promise<CounterTake | undefined> => {
    if (missing === 0) return undefined
    const key = creditCounterKey(accountId)
    const limit = (await repositories.accounts.get({ _id: accountId }))?.creditGranted ?? 0
    const n = Math.min(missing, limit - (await counters.used(key)))
    return n > 0 ? { key, n, limit } : undefined
  }

  /** One shape: V8 reads it faster. */
  const rowOf = (dispatch: Dispatch, now: string, leaseUntil: string) => {
    const { _id: dispatchId, projectId } = dispatch
    const { emailId } = statisticsEmailId(dispatch)
    const isByContact = dispatch.audience.kind !== 'addresses'
    return (
      { email, contact }: Recipient,
      status: 'queued' | 'sending' | 'excluded',
      reason?: ExclusionReason,
    ): Delivery => ({
      _id: deliveryId(dispatchId, isByContact && contact ? contact._id : addressKey(email)),
      dispatchId,
      projectId,
      emailId,
      lane: 'bulk',
      email,
      contactId: contact?._id,
      status,
      attempts: 0,
      notBefore: now,
      worker: status === 'sending' ? worker : undefined,
      leaseUntil: status === 'sending' ? leaseUntil : undefined,
      reason,
      createdAt: now,
      updatedAt: now,
    })
  }

  /** How many mails of the page may be leased; the others are queued. */
  const leasable = async ({ projectId, feeds, channel }: Dispatch, wanted: number): Promise<number> => {
    const room = feeds ? inFlight.roomBelowHalf('fan-out') : inFlight.room('fan-out')
    const n = stopping()?.aborted ? 0 : Math.min(wanted, room)
    return n > 0 ? permits.forPage(projectId, channel, n) : 0
  }

  const sendPage = (dispatchId: string, page: readonly LeasableDelivery[]): void => {
    const batch = inFlight.lease('fan-out', page, { freshUntil: clock().getTime() + freshTime })
    pipeline
      .send(batch, flush)
      .catch((error: unknown) =>
        log('error', 'A page of a dispatch could not be sent; its leases will expire', { dispatchId, error }),
      )
  }

  /**
   * Adds the page and moves the cursor in one step. Recipients beyond the credit are excluded. False if another worker was faster or used the credit.
   */
  const addPage = async (dispatch: Dispatch): Promise<boolean> => {
    if (isDirectAudience(dispatch.audience)) return false
    await yieldToTransactional()
    await waitForRoom()
    const leaseUntil = inFlight.leaseEnd()
    const now = clock().toISOString()
    const page = await recipients.page(dispatch.projectId, dispatch.audience, dispatch.cursor)
    const wanted = page.recipients.filter(({ excluded }) => !excluded).length
    const takes = await creditFor(dispatch, Math.max(0, wanted - dispatch.creditsHeld))
    let credits = dispatch.creditsHeld + (takes?.n ?? 0)
    let leases = wanted > 0 ? await leasable(dispatch, Math.min(wanted, credits)) : 0
    const leased: LeasableDelivery[] = []
    const row = rowOf(dispatch, now, leaseUntil)
    const rows = page.recipients.map((recipient) => {
      if (recipient.excluded) return row(recipient, 'excluded', recipient.excluded)
      if (credits === 0) return row(recipient, 'excluded', 'no-credit')
      credits -= 1
      if (leases === 0) return row(recipient, 'queued')
      leases -= 1
      const delivery = row(recipient, 'sending')
      leased.push({ delivery, accountId: dispatch.accountId, recipient })
      return delivery
    })
    const added = await deliveries.expand({
      dispatchId: dispatch._id,
      after: dispatch.cursor,
      cursor: page.cursor,
      stage: page.last ? dispatchMoves.send.to : dispatch.stage,
      deliveries: rows,
      creditsHeld: page.last ? 0 : credits,
      takes,
      ...(page.last && credits > 0 && { refund: { key: creditCounterKey(dispatch.accountId), n: credits } }),
      now,
    })
    started.add(dispatch._id)
    if (!added) return false
    if (rows.some(({ status }) => status === 'queued')) filled(dispatch.projectId)
    const ids = added.length < leased.length ? new Set(added) : undefined
    const mine = ids ? leased.filter(({ delivery }) => ids.has(delivery._id)) : leased
    if (mine.length > 0) sendPage(dispatch._id, mine)
    return true
  }

  const isYielded = (dispatchId: string): boolean => {
    const until = yielded.get(dispatchId)
    if (until === undefined) return false
    // The answer is older than the other worker's page.
    if (until <= clock().getTime() && yielded.delete(dispatchId)) expanding.invalidate()
    return true
  }

  const finishExpanded = async (left: readonly Dispatch[]): Promise<void> => {
    if (started.size === 0) return
    const ids = new Set(left.map(({ _id }) => _id))
    for (const _id of [...started].filter((one) => !ids.has(one))) {
      await completion.finishIfDone(_id)
      started.delete(_id)
    }
  }

  return {
    addPages: async (): Promise<boolean> => {
      let moved = false
      const dispatches = await expanding.answer()
      await finishExpanded(dispatches)
      for (const dispatch of dispatches) {
        if (isYielded(dispatch._id)) continue
        try {
          const isMine = await addPage(dispatch)
          if (!isMine) yielded.set(dispatch._id, clock().getTime() + yieldTime)
          moved = isMine || moved
        } catch (error) {
          log('error', 'A dispatch could not be fanned out', { dispatchId: dispatch._id, error })
        } finally {
          expanding.invalidate()
        }
      }
      return moved
    },

    dispatches: (): Iterable<string> => started,

    /** Also retries dispatches left to others. */
    invalidate: (): void => {
      expanding.invalidate()
      yielded.clear()
    },
  }
}
