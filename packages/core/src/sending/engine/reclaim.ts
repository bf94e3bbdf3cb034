import type { Runtime } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { SendingChannelStates } from '../channels/channel-states.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { DispatchCompleter } from './complete.js'
import { sendReportGraceTime } from './outcome.js'

type Deps = Pick<Runtime, 'clock' | 'log'> & {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'dispatchesOfDeadLeases' | 'reclaim'>
  readonly states: SendingChannelStates
  readonly completion: Pick<DispatchCompleter, 'noteProgress'>
  readonly onQueued: () => void
}

/**
 * Takes back what dead workers held, perhaps after transmitting it: `uncertain`, and `queued` in the same call if nobody will report on it.
 */
export const reclaimExpired = ({ repositories, deliveries, states, completion, onQueued, clock, log }: Deps) => {
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
    const concerned = await deliveries.dispatchesOfDeadLeases(at(0))
    for (const dispatchId of concerned) if (await expectsNoReport(dispatchId)) withoutReports.push(dispatchId)
    const { lost, queued } = await deliveries.reclaim(at(0), at(sendReportGraceTime), withoutReports)
    if (queued > 0) onQueued()
    if (lost === 0) return
    for (const dispatchId of concerned) await completion.noteProgress(dispatchId)
    log('warn', 'Deliveries of a worker that died were reclaimed', { deliveries: lost })
  }
}
