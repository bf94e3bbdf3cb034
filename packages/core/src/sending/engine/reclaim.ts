import type { Clock, Log } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Completion } from './complete.js'
import { reportGrace } from './outcome.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'lost' | 'reclaim'>
  readonly states: ChannelStates
  readonly completion: Pick<Completion, 'noteProgress'>
  /** Called when deliveries are back in the queue. */
  readonly onReclaimed: () => void
  readonly clock: Clock
  readonly log: Log
}

/**
 * Reclaims deliveries whose lease has expired: their worker died, and nobody knows whether they were transmitted. They are queued at once
 * if their provider does not report its sends; else they stay `uncertain` for five minutes, in which a report settles them.
 */
export const reclaimExpired = ({ repositories, deliveries, states, completion, onReclaimed, clock, log }: Deps) => {
  /** A channel whose state is unknown might report. */
  const isUnreported = async (dispatchId: string): Promise<boolean> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    if (!dispatch) return true
    const state = await states.current(dispatch.channel)
    return state?.kind === 'ready' && !state.mailer.reportsSends
  }

  return async (): Promise<void> => {
    const now = clock().getTime()
    const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
    const unreported: string[] = []
    const concerned = await deliveries.lost(at(0))
    for (const dispatchId of concerned) if (await isUnreported(dispatchId)) unreported.push(dispatchId)
    const reclaimed = await deliveries.reclaim(at(0), at(reportGrace), unreported)
    if (reclaimed === 0) return
    for (const dispatchId of concerned) await completion.noteProgress(dispatchId)
    onReclaimed()
    log('warn', 'Deliveries of a worker that died were reclaimed', { deliveries: reclaimed })
  }
}
