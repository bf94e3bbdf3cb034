import type { Contact } from '../contacts/contact.js'
import type { Secrets } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import { type Dispatch, subscriberListIdOf } from '../sending/ledger/dispatch.js'
import { type ReturnAddress, type ReturnAddressKind, readReturnLocalPart } from '../sending/returns/return-address.js'
import { signedToken } from '../tokens/signed-token.js'
import { type DeliveryEvent, deliveryLookup } from './delivery-events.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get'>
  readonly secrets: Pick<Secrets, 'sign' | 'signed' | 'verifiesShort'>
  readonly report: (report: DeliveryEvent) => Promise<void>
  readonly unsubscribe: (listId: string, token: unknown) => Promise<unknown>
  readonly settings: { readonly bounceDomain?: string | undefined }
}

/** For feedback reports, and required by RFC 2142 and RFC 5321. */
const roles: readonly string[] = ['fbl', 'abuse', 'postmaster']

export type ReturnedMailEvent = Pick<DeliveryEvent, 'type' | 'transient' | 'reason'>

/** For a bounce without a reason. */
const noReason = { name: 'Bounced', message: 'The mail bounced permanently. No reason was given.' }

/** Mail to return and unsubscribe addresses. The signature is the only authorization: 96 bits. */
export const returnedMail = ({ repositories, deliveries, secrets, report, unsubscribe, settings }: Deps) => {
  const { dispatches } = repositories

  const findMail = deliveryLookup({ repositories, deliveries })

  const deliveryOf = async (address: ReturnAddress): Promise<Delivery> => {
    const delivery = await findMail(address)
    if (!delivery) throw notFound('Mail')
    return delivery
  }

  const opened = (reference: string, kind: ReturnAddressKind): ReturnAddress => {
    const address = readReturnLocalPart(secrets, reference)
    if (address?.kind !== kind) throw notFound('Mail')
    return address
  }

  return {
    /** In any case; undefined for addresses that this server did not sign. `role`: feedback reports and the operator. */
    addressed: (
      address: string,
    ): { readonly kind: ReturnAddressKind | 'role'; readonly reference: string } | undefined => {
      const at = address.lastIndexOf('@')
      if (settings.bounceDomain === undefined || address.slice(at + 1).toLowerCase() !== settings.bounceDomain)
        return undefined
      const reference = address.slice(0, at).toLowerCase()
      if (roles.includes(reference)) return { kind: 'role', reference }
      const kind = readReturnLocalPart(secrets, reference)?.kind
      return kind && { kind, reference }
    },

    /**
     * By `Mail.reference`, the local part of the return address.
     * @throws Refusal `not-found` if it is not signed by this server or the mail was deleted
     */
    report: async (reference: string, returned: ReturnedMailEvent): Promise<void> => {
      const { _id } = await deliveryOf(opened(reference, 'bounce'))
      await report({
        ...returned,
        ...(returned.type === 'bounce' && { reason: returned.reason ?? noReason }),
        deliveryId: _id,
      })
    },

    /**
     * By the unsubscribe address, which feedback reports usually preserve.
     * @throws Refusal `not-found`
     */
    complaint: async (reference: string): Promise<void> => {
      const address = readReturnLocalPart(secrets, reference)
      if (!address) throw notFound('Mail')
      await report({ type: 'complaint', deliveryId: (await deliveryOf(address))._id })
    },

    /**
     * From the mail's list; repeatable.
     * @throws Refusal `not-found` for a wrong signature, or a deleted mail, list or contact
     */
    unsubscribe: async (reference: string): Promise<void> => {
      const { dispatchId, contactId } = opened(reference, 'unsubscribe')
      const dispatch = await dispatches.get({ _id: dispatchId })
      const listId = dispatch && subscriberListIdOf(dispatch.audience)
      if (listId === undefined || contactId === undefined) throw notFound('Mail')
      const token = signedToken(secrets, { purpose: 'unsubscribe', l: listId, c: contactId, d: dispatchId })
      await unsubscribe(listId, token)
    },
  }
}
export type ReturnedMailUseCases = ReturnType<typeof returnedMail>
