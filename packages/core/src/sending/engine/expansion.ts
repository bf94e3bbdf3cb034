import type { Account } from '../../accounts/account.js'
import { creditKey } from '../../accounts/account.js'
import { addressKey } from '../../kernel/email-address.js'
import type { Clock, Counters, Take } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, deliveryId, type ExclusionReason } from '../ledger/delivery.js'
import { type Dispatch, statisticsOf } from '../ledger/dispatch.js'
import { dispatchMoves } from '../ledger/dispatch-stage.js'
import type { Leased } from './delivering.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ accounts: Account }>
  readonly deliveries: Deliveries
  readonly counters: Counters
  readonly recipients: Recipients
  readonly clock: Clock
}

/** Who sends what is born leased, and until when it is theirs. */
export type PageLease = {
  readonly worker: string
  readonly leaseUntil: string
  /** Of so many that are wanted, how many may be sent at once: the others are queued. */
  readonly take: (wanted: number) => Promise<number>
}

/** A page of a dispatch, of which these are the worker's to send, and so many wait in the queue. */
export type ExpandedPage = { readonly leased: readonly Leased[]; readonly queued: number }

/** Makes the rows of a page, all of one shape: what is spread together has many, and each costs as much as the row. */
const rowsOf = (dispatch: Dispatch, { worker, leaseUntil }: PageLease, now: string) => {
  const { _id: dispatchId, projectId } = dispatch
  const { emailId } = statisticsOf(dispatch)
  const isList = dispatch.audience.kind === 'list'
  return (
    { email, contact }: Recipient,
    status: 'queued' | 'sending' | 'excluded',
    reason?: ExclusionReason,
  ): Delivery => ({
    _id: deliveryId(dispatchId, isList && contact ? contact._id : addressKey(email)),
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
     * Makes the next page of deliveries; as far as there is no credit, the last of the page go without. The first of them are born leased,
     * as many as the lease takes: they are the caller's to send, without a claim. Undefined when another worker was faster, or others took
     * the credit meanwhile: then it is to be tried again.
     */
    expandPage: async (dispatch: Dispatch, lease: PageLease): Promise<ExpandedPage | undefined> => {
      if (dispatch.audience.kind === 'address') return undefined
      const now = clock().toISOString()
      const page = await recipients.page(dispatch.projectId, dispatch.audience, dispatch.cursor)
      const wanted = page.recipients.filter((one) => !one.excluded).length
      const missing = Math.max(0, wanted - dispatch.creditsHeld)
      const takes = await creditFor(dispatch, missing)
      const paid = dispatch.creditsHeld + (takes?.n ?? 0)
      let held = paid
      let leases = wanted > 0 ? await lease.take(Math.min(wanted, paid)) : 0
      const leased: Leased[] = []
      const rowOf = rowsOf(dispatch, lease, now)
      const rows = page.recipients.map((recipient) => {
        if (recipient.excluded) return rowOf(recipient, 'excluded', recipient.excluded)
        if (held === 0) return rowOf(recipient, 'excluded', 'no-credit')
        held -= 1
        if (leases === 0) return rowOf(recipient, 'queued')
        leases -= 1
        const delivery = rowOf(recipient, 'sending')
        leased.push({ delivery, recipient })
        return delivery
      })
      const key = creditKey(dispatch.accountId)
      const born = await deliveries.expand({
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
      const added = born && born.length < leased.length ? new Set(born) : undefined
      return (
        born && {
          leased: added ? leased.filter(({ delivery }) => added.has(delivery._id)) : leased,
          queued: rows.filter(({ status }) => status === 'queued').length,
        }
      )
    },
  }
}
export type Expander = ReturnType<typeof expansion>
