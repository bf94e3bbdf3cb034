import { grouped } from '../../kernel/collections.js'
import { addressKey } from '../../kernel/email-address.js'
import { isBusyRefusal } from '../../kernel/refusal.js'
import type { AudienceRecipients, Recipient } from '../audience/recipients.js'
import { channelKey } from '../channels/channel.js'
import type { SendPermit } from '../channels/send-permits.js'
import { type Dispatch, isDirectAudience } from '../ledger/dispatch.js'
import { type DispatchCompiler, sharedCompileKey } from './compile.js'
import type { InFlightDeliveries, InFlightDelivery, LeasedBatch } from './in-flight.js'
import type { OutcomeWriter } from './record.js'
import type { ClosedSendGate, OpenSendGate, SendGate } from './send-gate.js'
import type { Transmitter } from './transmit.js'

type Deps = {
  readonly inFlight: Pick<InFlightDeliveries, 'compiled' | 'whenDecided' | 'abandon'>
  readonly gate: SendGate
  readonly compiler: Pick<DispatchCompiler, 'inFeedTurn'>
  readonly recipients: AudienceRecipients
  readonly settle: OutcomeWriter['settle']
  readonly transmitter: Pick<Transmitter, 'transmit'>
}

type Group = readonly [InFlightDelivery, ...InFlightDelivery[]]

const groupsOf = (
  entries: readonly InFlightDelivery[],
  keyOf: (entry: InFlightDelivery) => string | undefined,
): readonly Group[] => [...grouped(entries, keyOf).values()].filter((group): group is Group => group.length > 0)

const similarity = (dispatch: Dispatch): string =>
  `${sharedCompileKey(dispatch) ?? dispatch._id} ${channelKey(dispatch.channel)}`

const isOfOneDispatch = ([first, ...others]: Group): boolean =>
  others.every(({ delivery }) => delivery.dispatchId === first.delivery.dispatchId)

const audienceKey = ({ compiled }: InFlightDelivery): string | undefined => {
  if (!compiled) return undefined
  const { projectId, audience } = compiled.dispatch
  return isDirectAudience(audience) ? projectId : `${projectId}:${audience.subscriberListId}`
}

/** The path of every leased delivery: send gate, compile, permit, recipient, transmit. */
export const sendingPipeline = ({ inFlight, gate, compiler, recipients, settle, transmitter }: Deps) => {
  /** Settles deliveries that the gate stopped or that got no permit; the others become `compiled`. */
  const compileOrSettle = async (
    group: Group,
    passed: OpenSendGate | ClosedSendGate,
    permit: SendPermit | undefined,
  ): Promise<readonly InFlightDelivery[]> => {
    if (passed.kind === 'closed') {
      for (const entry of group) settle(entry, passed.result, passed.attribution)
      return []
    }
    const { compiled, isRateZero } = passed
    const { dispatch } = compiled
    const n = permit ? await permit.use(dispatch.channel, group.length) : group.length
    for (const entry of group.slice(n)) settle(entry, gate.noPermit(dispatch, isRateZero))
    const going = group.slice(0, n)
    for (const entry of going)
      inFlight.compiled(entry, entry.dispatch ? { ...compiled, dispatch: entry.dispatch } : compiled)
    return going
  }

  /** Puts the group off if its account is too busy. */
  const sendWithFeeds = async (group: Group, dispatch: Dispatch, permit: SendPermit | undefined): Promise<void> => {
    try {
      await compiler.inFeedTurn(dispatch, async (turn) => {
        const passed = await gate.open(group[0].delivery, undefined, turn)
        if (passed.kind === 'feeds-unread') return
        await lookUpAndTransmit(await compileOrSettle(group, passed, permit))
        await inFlight.whenDecided(group)
      })
    } catch (error) {
      if (!isBusyRefusal(error)) throw error
      for (const entry of group) settle(entry, gate.later())
    }
  }

  /**
   * Queries the gate once for the group, or once for each dispatch if they do not share a compiled email. A group with feeds is added to
   * `withFeeds`, so that no other group waits for its feeds; `send` awaits it even if another group fails.
   */
  const admit = async (
    group: Group,
    permit: SendPermit | undefined,
    withFeeds: Promise<void>[],
  ): Promise<readonly InFlightDelivery[]> => {
    const [first, ...others] = group
    const passed = await gate.open(first.delivery, first.dispatch)
    const isForAll = isOfOneDispatch(group) || (passed.kind === 'open' && passed.compiled.isShared)
    const covered: Group = isForAll ? group : [first]
    const rest = isForAll ? [] : await Promise.all(others.map((one) => admit([one], permit, withFeeds)))
    if (passed.kind === 'feeds-unread') {
      const sent = sendWithFeeds(covered, passed.dispatch, permit)
      // A rejection before the await would end the process.
      sent.catch(() => undefined)
      withFeeds.push(sent)
      return rest.flat()
    }
    return [...(await compileOrSettle(covered, passed, permit)), ...rest.flat()]
  }

  const lookUp = async (entries: Group): Promise<void> => {
    const { projectId = '', audience } = entries[0].compiled?.dispatch ?? {}
    if (!audience) return
    if (isDirectAudience(audience)) {
      const found = await recipients.ofAddresses(
        projectId,
        entries.map(({ delivery }) => delivery.email),
      )
      const byKey = new Map<string, Recipient>(found.map((one) => [addressKey(one.email), one]))
      for (const entry of entries) entry.recipient = byKey.get(addressKey(entry.delivery.email))
      return
    }
    const ids = entries.flatMap(({ delivery }) => delivery.contactId ?? [])
    const found = await recipients.ofContacts(projectId, audience.subscriberListId, ids)
    for (const entry of entries) entry.recipient = found.get(entry.delivery.contactId ?? '')
  }

  const lookUpAndTransmit = async (entries: readonly InFlightDelivery[]): Promise<void> => {
    const known = entries.filter(({ recipient }) => recipient !== null)
    if (known.length > 0) transmitter.transmit(known)
    const unknown = groupsOf(
      entries.filter(({ recipient }) => recipient === null),
      audienceKey,
    )
    await Promise.all(
      unknown.map(async (group) => {
        await lookUp(group)
        transmitter.transmit(group)
      }),
    )
  }

  return {
    /**
     * Resolves when each delivery is stored or abandoned.
     * @param permit absent if permits were taken at the lease
     * @throws store errors; deliveries not compiled or looked up are abandoned
     */
    send: async ({ entries, decided }: LeasedBatch, flush: () => Promise<void>, permit?: SendPermit): Promise<void> => {
      const groups = groupsOf(entries, ({ delivery, dispatch }) =>
        dispatch ? similarity(dispatch) : delivery.dispatchId,
      )
      const withFeeds: Promise<void>[] = []
      try {
        const admitted = await Promise.all(groups.map((group) => admit(group, permit, withFeeds)))
        await Promise.all([lookUpAndTransmit(admitted.flat()), ...withFeeds])
        await decided
      } catch (error) {
        for (const entry of entries) if (entry.state === 'leased' || entry.state === 'compiled') inFlight.abandon(entry)
        await Promise.allSettled(withFeeds)
        throw error
      } finally {
        await flush()
      }
    },
  }
}
export type SendingPipeline = ReturnType<typeof sendingPipeline>
