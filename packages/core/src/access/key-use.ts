import type { Clock, Log } from '../kernel/ports.js'
import type { Repository } from '../kernel/repository.js'
import type { ApiKey } from './access.js'

/** In ms. */
const precision = 60 * 60_000
/** Above this, the process forgets all keys and may repeat writes. */
const mostKeys = 10_000

type Deps = { readonly apiKeys: Pick<Repository<ApiKey>, 'change'>; readonly clock: Clock; readonly log: Log }

/** Writes at most once an hour, without delaying the request. */
export const keyUseRecorder = ({ apiKeys, clock, log }: Deps) => {
  const noted = new Map<string, number>()
  return ({ _id, lastUsedAt }: ApiKey): void => {
    const now = clock()
    const isRecent = (time: number | undefined) => time !== undefined && now.getTime() - time < precision
    if (isRecent(noted.get(_id)) || (lastUsedAt !== undefined && isRecent(Date.parse(lastUsedAt)))) return
    if (noted.size >= mostKeys) noted.clear()
    noted.set(_id, now.getTime())
    apiKeys
      .change({ _id }, (key) =>
        key.lastUsedAt !== undefined && isRecent(Date.parse(key.lastUsedAt))
          ? key
          : { ...key, lastUsedAt: now.toISOString() },
      )
      .catch((error: unknown) => log('warn', 'The last use of an API key could not be stored', { key: _id, error }))
  }
}
