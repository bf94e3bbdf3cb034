import type { Clock, Log } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { DispatchEnds } from './dispatch-ends.js'
import { reportGrace } from './outcomes.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'lost' | 'reclaim'>
  readonly states: ChannelStates
  readonly ends: Pick<DispatchEnds, 'moved'>
  /** Hears that there is more to claim. */
  readonly tookOver: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Has what dead workers held tried again: at once where nobody will report what became of it, else after a grace. */
export const takingOver = ({ repositories, deliveries, states, ends, tookOver, clock, log }: Deps) => {
  /** Whether its channel will not report a send whose outcome is unknown; one that cannot be asked might. */
  const isUnreported = async (dispatchId: string): Promise<boolean> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    if (!dispatch) return true
    const state = await states.current(dispatch.channel ?? serverChannel)
    return state?.kind === 'ready' && !state.mailer.reportsSends
  }

  return async (): Promise<void> => {
    const now = clock().getTime()
    const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
    const atOnce: string[] = []
    const concerned = await deliveries.lost(at(0))
    for (const dispatchId of concerned) if (await isUnreported(dispatchId)) atOnce.push(dispatchId)
    const lost = await deliveries.reclaim(at(0), at(reportGrace), atOnce)
    if (lost === 0) return
    for (const dispatchId of concerned) await ends.moved(dispatchId)
    tookOver()
    log('warn', 'Deliveries of a worker that died were taken over', { deliveries: lost })
  }
}
