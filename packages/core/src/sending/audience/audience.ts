import type { Contact } from '../../contacts/contact.js'
import { chunked } from '../../kernel/listing.js'
import type { Runtime } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { type InProject, stamps } from '../../kernel/shapes.js'
import type { ResolvedGroups } from '../../segments/segment.js'
import type { Dispatch, DispatchAudience } from '../ledger/dispatch.js'

/** Active subscribers of the list (including expired pauses), narrowed by the segment. */
export type AudienceQuery = {
  readonly projectId: string
  readonly subscriberListId: string
  readonly segment?: ResolvedGroups
  /** Counted as unreachable. */
  readonly unengaged?: ResolvedGroups
  readonly now: string
}

export type AudienceCount = {
  readonly total: number
  /** Neither suppressed nor unengaged. */
  readonly reachable: number
}

export interface AudienceReader {
  /** Small if the store shares a thread with the worker; large if round trips are slow. */
  readonly pageSize: number
  count(question: AudienceQuery): Promise<AudienceCount>
  /** In `_id` order, including suppressed and unengaged contacts. */
  page(question: AudienceQuery, after: string | undefined, limit: number): Promise<readonly Contact[]>
}

/** Addresses of a dispatch from index `place`. */
export type DispatchAddressPage = InProject & {
  readonly dispatchId: string
  readonly place: number
  readonly emails: readonly string[]
}

type Named = Extract<DispatchAudience, { kind: 'addresses' }>

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ addressPages: DispatchAddressPage; dispatches: Dispatch }>
}

/** More are stored as pages, because every batch reads the dispatch. */
const mostInDispatch = 500
const addressPageSize = 1_000
/** In ms. */
const keptFor = 24 * 3_600_000

export const audienceAddressCount = ({ emails, pages }: Named): number => pages?.addresses ?? emails.length

/** @throws Refusal `blocked` if the page no longer exists */
export const audienceAddressPageLookup =
  ({
    repositories: { addressPages: kept },
  }: {
    readonly repositories: RepositoriesFor<{ addressPages: DispatchAddressPage }>
  }) =>
  async (projectId: string, { emails, pages }: Named, from: number): Promise<readonly string[]> => {
    if (!pages) return emails.slice(from, from + addressPageSize)
    const place = Math.floor(from / addressPageSize)
    const page = await kept.get({ dispatchId: pages.dispatchId, place, projectId })
    if (!page) throw blocked('The addresses of the send are gone.')
    return page.emails.slice(from % addressPageSize)
  }

/** Stores more than 500 addresses beside the dispatch. */
export const dispatchAddressStorage = ({ repositories, clock, newId }: Deps) => {
  const { addressPages: pages, dispatches } = repositories

  const isNeeded = async (_id: string): Promise<boolean> => {
    const dispatch = await dispatches.get({ _id })
    return dispatch?.stage === 'expanding' || dispatch?.resumes === 'expanding'
  }

  return {
    kept: async (projectId: string, dispatchId: string, audience: Named): Promise<Named> => {
      const { emails } = audience
      if (emails.length <= mostInDispatch) return audience
      const rows: DispatchAddressPage[] = []
      for await (const some of chunked(emails, addressPageSize))
        rows.push({
          _id: newId(),
          projectId,
          dispatchId,
          place: rows.length,
          emails: some,
          ...stamps(clock().toISOString()),
        })
      await Promise.all(rows.map((row) => pages.add(row).catch(ifKeyTaken(() => undefined))))
      return { ...audience, emails: [], pages: { dispatchId, addresses: emails.length } }
    },

    drop: async (dispatchId: string): Promise<void> => {
      if (!(await dispatches.get({ _id: dispatchId }))) await pages.removeAll({ dispatchId })
    },

    /** Removes pages older than a day that no dispatch needs. Ids follow time: the oldest come first. */
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
export type DispatchAddressStorage = ReturnType<typeof dispatchAddressStorage>
