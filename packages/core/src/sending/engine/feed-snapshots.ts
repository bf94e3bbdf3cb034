import { valueBytes } from '../../kernel/byte-bounded-cache.js'
import type { Files, Secrets } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { FeedFailure, type FeedTurn, type FeedValues } from '../../mail/feeds.js'
import { dispatchFolder } from '../acceptance/attachments.js'
import type { Content, Dispatch } from '../ledger/dispatch.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly files: Pick<Files, 'get' | 'put' | 'remove'>
  readonly secrets: Pick<Secrets, 'digest'>
}

/**
 * The feeds of a dispatch. For several recipients they are read once and stored beside the attachments before the first mail is sent, so
 * that every batch and every worker renders the same values. For a single mail nothing is stored.
 */
export const feedSnapshots = ({ repositories: { dispatches }, files, secrets }: Deps) => {
  const load = async (file: string): Promise<FeedValues> => {
    const bytes = await files.get(file)
    if (!bytes) throw new FeedFailure('The feeds of the dispatch were removed.')
    return JSON.parse(new TextDecoder().decode(bytes)) as FeedValues
  }

  /** If two workers read the feeds, the first one to store its values wins. */
  const keep = async (dispatchId: string, values: FeedValues): Promise<FeedValues> => {
    const json = JSON.stringify(values)
    const file = `${dispatchFolder(dispatchId)}/feeds-${secrets.digest(json).slice(0, 16)}`
    await files.put(file, new TextEncoder().encode(json))
    const bytes = valueBytes(values)
    const after = await dispatches.change({ _id: dispatchId }, (one) =>
      one.feeds && !one.feeds.kept ? { ...one, feeds: { ...one.feeds, kept: { file, bytes } } } : one,
    )
    const kept = after?.feeds?.kept?.file ?? file
    if (kept === file) return values
    await files.remove(file)
    return load(kept)
  }

  return async (
    { _id: dispatchId, projectId, audience, feeds }: Dispatch,
    content: Content,
    turn: FeedTurn | undefined,
  ): Promise<FeedValues> => {
    if (!feeds || !turn) return {}
    if (!feeds.kept) {
      const values = await turn.read(content.email.feeds, projectId)
      return audience.kind === 'address' ? values : keep(dispatchId, values)
    }
    turn.settle(feeds.kept.bytes)
    return load(feeds.kept.file)
  }
}
