import { freshFor, linkFolder } from '../emails/link-tables.js'
import type { Clock, Files } from '../kernel/ports.js'

type Deps = {
  readonly files: Pick<Files, 'prune'>
  readonly clock: Clock
  readonly settings: { readonly retention: { readonly links: number } }
}

const hour = 60 * 60_000
const day = 24 * hour

/**
 * Removes the tables of links that no mail was made by for as many days as the settings say, and one more, as a table may be put a day before
 * its last mail: daily, and for the first time an hour after
 * the process has begun. Links of such mails lead nowhere from then on.
 */
export const linkPruning = ({ files, clock, settings: { retention } }: Deps) => {
  let next = clock().getTime() + hour
  return async (): Promise<void> => {
    const now = clock().getTime()
    if (now < next) return
    next = now + day
    await files.prune(linkFolder, new Date(now - freshFor - retention.links * day))
  }
}
