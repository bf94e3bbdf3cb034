import type { Contact } from '../../contacts/contact.js'
import type { ResolvedGroups } from '../../segments/segment.js'
import { chunked } from '../../kernel/listing.js'
import type { Clock, NewId } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { stamps, type InProject } from '../../kernel/shapes.js'
import type { Dispatch, DispatchAudience } from '../ledger/dispatch.js'

/** Selects the active subscribers of the list (an expired pause counts as active), narrowed by the segment. */
export type AudienceQuery = {
  readonly projectId: string
  readonly subscriberListId: string
  readonly segment?: ResolvedGroups
  /** Contacts in these groups count as unreachable. */
  readonly unengaged?: ResolvedGroups
  readonly now: string
}

export type AudienceCount = {
  readonly total: number
  /** Contacts of `total` that are neither suppressed nor unengaged. */
  readonly reachable: number
}

export interface Audience {
  /**
   * Contacts per page. Small if the store shares a thread with the recording of outcomes, which a page blocks; large if a page costs a
   * dozen round trips whatever its length.
   */
  readonly pageSize: number
  count(question: AudienceQuery): Promise<AudienceCount>
  /** The next contacts of the audience after that contact id, in `_id` order, including suppressed and unengaged ones. */
  page(question: AudienceQuery, after: string | undefined, limit: number): Promise<readonly Contact[]>
}

/** One page of the addresses that a dispatch names, in their order; pages are counted from 0. */
export type AddressPage = InProject & {
  readonly dispatchId: string
  readonly place: number
  readonly emails: readonly string[]
}

type Named = Extract<DispatchAudience, { kind: 'addresses' }>

type Deps = {
  readonly repositories: RepositoriesFor<{ addressPages: AddressPage; dispatches: Dispatch }>
  readonly clock: Clock
  readonly newId: NewId
}

/** Maximum number of addresses stored in the dispatch itself, which is read with every batch of its mails. */
const mostInDispatch = 500
/** Addresses per page. */
const addressPageSize = 1_000
/** Pages older than this, in ms, are checked for whether a dispatch still needs them. */
const keptFor = 24 * 3_600_000

/** Number of named addresses. */
export const namedIn = ({ emails, pages }: Named): number => pages?.addresses ?? emails.length

/** Returns a page of the named addresses. @throws Refusal `blocked` if it no longer exists */
export const addressPages =
  ({
    repositories: { addressPages: kept },
  }: {
    readonly repositories: RepositoriesFor<{ addressPages: AddressPage }>
  }) =>
  async (projectId: string, { emails, pages }: Named, from: number): Promise<readonly string[]> => {
    if (!pages) return emails.slice(from, from + addressPageSize)
    const place = Math.floor(from / addressPageSize)
    const page = await kept.get({ dispatchId: pages.dispatchId, place, projectId })
    if (!page) throw blocked('The addresses of the send are gone.')
    return page.emails.slice(from % addressPageSize)
  }

/** Stores the addresses that a send names beside its dispatch if there are more than 500. */
export const namedAddresses = ({ repositories, clock, newId }: Deps) => {
  const { addressPages: pages, dispatches } = repositories

  const isNeeded = async (_id: string): Promise<boolean> => {
    const dispatch = await dispatches.get({ _id })
    return dispatch?.stage === 'expanding' || dispatch?.resumes === 'expanding'
  }

  return {
    /** Returns the same audience with its addresses stored under the dispatch id. Pages of an earlier attempt are kept. */
    kept: async (projectId: string, dispatchId: string, audience: Named): Promise<Named> => {
      const { emails } = audience
      if (emails.length <= mostInDispatch) return audience
      const now = clock().toISOString()
      const rows: AddressPage[] = []
      for await (const some of chunked(emails, addressPageSize))
        rows.push({ _id: newId(), projectId, dispatchId, place: rows.length, emails: some, ...stamps(now) })
      await Promise.all(rows.map((row) => pages.add(row).catch(ifKeyTaken(() => undefined))))
      return { ...audience, emails: [], pages: { dispatchId, addresses: emails.length } }
    },

    /** Removes the pages of a dispatch that was never accepted. */
    drop: async (dispatchId: string): Promise<void> => {
      if (!(await dispatches.get({ _id: dispatchId }))) await pages.removeAll({ dispatchId })
    },

    /** Removes pages older than a day whose dispatch has all its deliveries or will get none. Ids follow time, so the oldest come first. */
    prune: async (): Promise<void> => {
      const before = new Date(clock().getTime() - keptFor).toISOString()
      const oldest = await pages.get({})
      if (!oldest || oldest.createdAt > before) return
      const seen = new Set<string>()
      for await (const { dispatchId, createdAt } of pages.each({})) {
        if (createdAt > before) break
        seen.add(dispatchId)
      }
      for (const dispatchId of seen) if (!(await isNeeded(dispatchId))) await pages.removeAll({ dispatchId })
    },
  }
}
export type NamedAddresses = ReturnType<typeof namedAddresses>
