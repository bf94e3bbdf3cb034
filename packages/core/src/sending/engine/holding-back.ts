import type { RepositoriesFor } from '../../kernel/repository.js'
import { serverChannel } from '../channels/channel.js'
import type { Pace } from '../channels/pace.js'
import type { Dispatch } from '../ledger/dispatch.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly pace: Pick<Pace, 'shutBy' | 'isLimited'>
}

/** Whether it is a dispatch's channel that lets no more of it through now, and not an error. Where it lets nothing through, the dispatch says why. */
export const holdingBack =
  ({ repositories: { dispatches }, pace }: Deps) =>
  async ({ _id, channel = serverChannel, waitsFor: noted }: Dispatch): Promise<boolean> => {
    const waitsFor = await pace.shutBy(channel)
    if (waitsFor !== noted)
      await dispatches.change({ _id }, ({ waitsFor: _before, ...one }) => ({ ...one, ...(waitsFor && { waitsFor }) }))
    return waitsFor !== undefined || pace.isLimited(channel)
  }
export type HoldingBack = ReturnType<typeof holdingBack>
