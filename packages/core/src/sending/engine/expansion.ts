import type { Account } from '../../accounts/account.js'
import { creditKey } from '../../accounts/account.js'
import { addressKey } from '../../kernel/email-address.js'
import type { Clock, Counters, Take } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { stamps } from '../../kernel/shapes.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, deliveryId, type ExclusionReason } from '../ledger/delivery.js'
import { type Dispatch, statisticsOf } from '../ledger/dispatch.js'
import { dispatchMoves } from '../ledger/dispatch-stage.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ accounts: Account }>
  readonly deliveries: Deliveries
  readonly counters: Counters
  readonly recipients: Recipients
  readonly clock: Clock
}

const rowOf = (
  dispatch: Dispatch,
  { email, contact }: Recipient,
  excluded: ExclusionReason | undefined,
  now: string,
): Delivery => ({
  _id: deliveryId(dispatch._id, dispatch.audience.kind === 'list' && contact ? contact._id : addressKey(email)),
  dispatchId: dispatch._id,
  projectId: dispatch.projectId,
  ...statisticsOf(dispatch),
  lane: 'bulk',
  email,
  ...(contact && { contactId: contact._id }),
  status: excluded ? 'excluded' : 'queued',
  ...(excluded && { reason: excluded }),
  attempts: 0,
  notBefore: now,
  ...stamps(now),
})

/** Stage 2 of a sending: the audience becomes ledger rows, a page and its cursor in one step, so that a crash resumes where it was. */
export const expansion = ({ repositories, deliveries, counters, recipients, clock }: Deps) => {
  /** Credit that more may be taken of for so many: they joined between the count and now. */
  const creditFor = async ({ accountId }: Dispatch, missing: number): Promise<Take | undefined> => {
    if (missing === 0) return undefined
    const key = creditKey(accountId)
    const limit = (await repositories.accounts.get({ _id: accountId }))?.creditGranted ?? 0
    const n = Math.min(missing, limit - (await counters.used(key)))
    return n > 0 ? { key, n, limit } : undefined
  }

  return {
    /**
     * Makes the next page of deliveries; as far as there is no credit, the last of the page go without. Answers false when another worker
     * was faster, or others took the credit meanwhile: then it is to be tried again.
     */
    expandPage: async (dispatch: Dispatch): Promise<boolean> => {
      if (dispatch.audience.kind === 'address') return false
      const now = clock().toISOString()
      const page = await recipients.page(dispatch.projectId, dispatch.audience, dispatch.cursor)
      const wanted = page.recipients.filter((one) => !one.excluded).length
      const missing = Math.max(0, wanted - dispatch.creditsHeld)
      const takes = await creditFor(dispatch, missing)
      let held = dispatch.creditsHeld + (takes?.n ?? 0)
      const rows = page.recipients.map((one) => {
        if (one.excluded) return rowOf(dispatch, one, one.excluded, now)
        if (held === 0) return rowOf(dispatch, one, 'no-credit', now)
        held -= 1
        return rowOf(dispatch, one, undefined, now)
      })
      const key = creditKey(dispatch.accountId)
      return deliveries.expand({
        dispatchId: dispatch._id,
        after: dispatch.cursor,
        cursor: page.cursor,
        stage: page.last ? dispatchMoves.send.to : dispatch.stage,
        deliveries: rows,
        creditsHeld: page.last ? 0 : held,
        takes,
        ...(page.last && held > 0 && { refund: { key, n: held } }),
        now,
      })
    },
  }
}
export type Expander = ReturnType<typeof expansion>
