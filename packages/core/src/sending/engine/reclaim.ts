import type { Clock, Log } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Completion } from './complete.js'
import { reportGrace } from './outcome.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'expireLeases' | 'reclaim'>
  readonly states: ChannelStates
  readonly completion: Pick<Completion, 'noteProgress'>
  readonly onReclaimed: () => void
  readonly clock: Clock
  readonly log: Log
}

/**
 * Reclaims expired leases: their worker died, perhaps after transmitting. Queued at once if the provider reports no sends; else `uncertain` for 5
 * minutes.
 */
export const reclaimExpired = ({ repositories, deliveries, states, completion, onReclaimed, clock, log }: Deps) => {
  /** Whether no provider will report on it: its mailer does not report, or the dispatch is gone. A channel that is not ready might report. */
  const expectsNoReport = async (dispatchId: string): Promise<boolean> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    if (!dispatch) return true
    const state = await states.current(dispatch.channel)
    return state?.kind === 'ready' && !state.mailer.reportsSends
  }

  return async (): Promise<void> => {
    const now = clock().getTime()
    const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
    const withoutReports: string[] = []
    const concerned = await deliveries.expireLeases(at(0))
    for (const dispatchId of concerned) if (await expectsNoReport(dispatchId)) withoutReports.push(dispatchId)
    const reclaimed = await deliveries.reclaim(at(0), at(reportGrace), withoutReports)
    if (reclaimed === 0) return
    for (const dispatchId of concerned) await completion.noteProgress(dispatchId)
    onReclaimed()
    log('warn', 'Deliveries of a worker that died were reclaimed', { deliveries: reclaimed })
  }
}
