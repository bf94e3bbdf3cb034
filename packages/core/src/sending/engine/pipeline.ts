import { addressKey } from '../../kernel/email-address.js'
import { grouped } from '../../kernel/grouped.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import { channelKey, serverChannel } from '../channels/channel.js'
import type { SendPermit } from '../channels/send-permits.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { sharedKey } from './compile.js'
import type { Batch, InFlight, InFlightTable } from './in-flight.js'
import type { OutcomeWriter } from './record.js'
import { channelOf, type SendGate } from './send-gate.js'
import type { Transmitter } from './transmit.js'

type Deps = {
  readonly inFlight: Pick<InFlightTable, 'release'>
  readonly gate: SendGate
  readonly recipients: Recipients
  readonly settle: OutcomeWriter['settle']
  readonly transmitter: Pick<Transmitter, 'transmit'>
}

type NonEmpty<T> = readonly [T, ...T[]]

/** Direct sends that share a compiled email and a channel are compiled once. */
const similarity = (dispatch: Dispatch): string =>
  `${sharedKey(dispatch) ?? dispatch._id} ${channelKey(dispatch.channel ?? serverChannel)}`

const isOfOneDispatch = ([first, ...others]: NonEmpty<InFlight>): boolean =>
  others.every(({ delivery }) => delivery.dispatchId === first.delivery.dispatchId)

const audienceKey = ({ compiled }: InFlight): string | undefined => {
  if (!compiled) return undefined
  const { projectId, audience } = compiled.dispatch.dispatch
  return audience.kind === 'address' ? projectId : `${projectId}:${audience.subscriberListId}`
}

/** The path of a leased delivery, the same for claims, fan-out pages and direct sends: send gate, compile, permit, recipient, transmit. */
export const pipeline = ({ inFlight, gate, recipients, settle, transmitter }: Deps) => {
  /** Asks the gate for a group whose first delivery speaks for all; answers those that may go. Direct sends that share nothing go one by one. */
  const compile = async (group: NonEmpty<InFlight>, permit: SendPermit | undefined): Promise<readonly InFlight[]> => {
    const [first, ...others] = group
    const open = await gate.open(first.delivery, first.dispatch)
    const isForAll = isOfOneDispatch(group) || ('mailer' in open && open.dispatch.isShared)
    const covered = isForAll ? group : [first]
    const rest = isForAll ? [] : await Promise.all(others.map((one) => compile([one], permit)))
    if (!('mailer' in open)) {
      for (const entry of covered) settle(entry, open.result, open.attribution)
      return rest.flat()
    }
    const { dispatch, mailer } = open
    const permitted = permit ? await permit.use(channelOf(dispatch), covered.length) : covered.length
    for (const entry of covered.slice(permitted)) settle(entry, gate.noPermit(open))
    const going = covered.slice(0, permitted)
    for (const entry of going) {
      entry.compiled = { mailer, dispatch: entry.dispatch ? { ...dispatch, dispatch: entry.dispatch } : dispatch }
      entry.state = 'compiled'
    }
    return [...going, ...rest.flat()]
  }

  /** Looks the recipients of one audience up, in two or three reads for all of them. */
  const lookUp = async (entries: NonEmpty<InFlight>): Promise<void> => {
    const { projectId, audience } = entries[0].compiled?.dispatch.dispatch ?? {}
    if (projectId === undefined || audience === undefined) return
    if (audience.kind === 'address') {
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

  const lookUpAndTransmit = async (entries: readonly InFlight[]): Promise<void> => {
    const known = entries.filter(({ recipient }) => recipient !== null)
    if (known.length > 0) transmitter.transmit(known)
    const unknown = grouped(
      entries.filter(({ recipient }) => recipient === null),
      audienceKey,
    )
    await Promise.all([...unknown.values()].map(lookUpAudience))
  }

  const lookUpAudience = async ([first, ...others]: readonly InFlight[]): Promise<void> => {
    if (!first) return
    await lookUp([first, ...others])
    transmitter.transmit([first, ...others])
  }

  return {
    /**
     * Sends a batch; resolves when each of its deliveries has an outcome or was released.
     * @param permit what its channel's rate limit allows; absent if that was taken when the batch was leased
     * @throws what the store threw; deliveries that could not be compiled or looked up are released, and their leases expire
     */
    send: async ({ entries, done }: Batch, permit?: SendPermit): Promise<void> => {
      const groups = grouped(entries, ({ delivery, dispatch }) =>
        dispatch ? similarity(dispatch) : delivery.dispatchId,
      )
      try {
        const compiled = await Promise.all(
          [...groups.values()].map(([first, ...others]) => (first ? compile([first, ...others], permit) : [])),
        )
        await lookUpAndTransmit(compiled.flat())
      } catch (error) {
        for (const entry of entries) if (entry.state === 'leased' || entry.state === 'compiled') inFlight.release(entry)
        throw error
      }
      await done
    },
  }
}
export type Pipeline = ReturnType<typeof pipeline>
