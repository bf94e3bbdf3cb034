import { collected } from '../kernel/listing.js'
import type { Runtime } from '../kernel/ports.js'
import type { RepositoriesFor, StoredRecord } from '../kernel/repository.js'

export type UnparsedProviderEvent = StoredRecord & {
  /** `ses`, or `ses:` and the project whose own account sent it. */
  readonly source: string
  readonly createdAt: string
  readonly reason: string
  /** Cut at `longestText` characters. */
  readonly text: string
}

type Deps = Pick<Runtime, 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{ unreadEvents: UnparsedProviderEvent }>
}

const longestText = 16 * 1024
/** Per source; the oldest are removed. Each project is a source: none evicts others' events. */
const mostOfSource = 200
/** In ms. */
const keptFor = 30 * 24 * 60 * 60_000

/** Unreadable provider events, neither lost nor retried forever. */
export const unreadableProviderEvents = ({ repositories: { unreadEvents: kept }, clock, newId, log }: Deps) => {
  const oldestFirst = { by: '_id', order: 'asc' } as const

  return {
    keep: async ({
      source,
      reason,
      text,
    }: Pick<UnparsedProviderEvent, 'source' | 'reason' | 'text'>): Promise<void> => {
      const { items, count } = await kept.list({ where: { source }, sort: oldestFirst, skip: 0, limit: 1 })
      if (count >= mostOfSource) await kept.removeAll({ _id: items.map(({ _id }) => _id) })
      const createdAt = clock().toISOString()
      await kept.add({ _id: newId(), source, createdAt, reason, text: text.slice(0, longestText) })
      log('error', 'An event of the mail provider could not be read and is kept: see `posthorn ses unread`', {
        source,
        reason,
      })
    },

    list: (): Promise<readonly UnparsedProviderEvent[]> => collected(kept.each({})),

    clear: (): Promise<number> => kept.removeAll({}),

    prune: async (): Promise<void> => {
      const before = new Date(clock().getTime() - keptFor).toISOString()
      for await (const { _id, createdAt } of kept.each({})) {
        if (createdAt >= before) return
        await kept.remove({ _id })
      }
    },
  }
}
