import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { channelKey, type OwnChannel } from '../sending/channels/channel.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'

/** The mail that a report concerns, and its source. */
export type Reported = {
  readonly deliveryId: string
  /**
   * The project's own account that sent the report: reports about mails of other accounts are rejected. Absent: the server's own provider.
   */
  readonly channel?: OwnChannel | undefined
}

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'get'>
}

/** Loads the reported mail. @throws Refusal `not-found` if it does not exist, or was sent by another account than the reporting one */
export const reportedDelivery =
  ({ repositories: { dispatches }, deliveries }: Deps) =>
  async ({ deliveryId, channel }: Reported): Promise<Delivery> => {
    const delivery = await deliveries.get(deliveryId)
    if (!delivery) throw notFound('Mail')
    if (channel === undefined) return delivery
    const { projectId, dispatchId } = delivery
    if (projectId !== channel.projectId) throw notFound('Mail')
    const dispatch = await dispatches.get({ _id: dispatchId, projectId })
    if (!dispatch || channelKey(dispatch.channel) !== channelKey(channel)) throw notFound('Mail')
    return delivery
  }
