import type { Clock, Files } from '../kernel/ports.js'
import { freshFor, linkFolder } from '../mail/link-tables.js'

type Deps = {
  readonly files: Pick<Files, 'prune'>
  readonly clock: Clock
  readonly settings: { readonly retention: { readonly links: number } }
}

const hour = 60 * 60_000
const day = 24 * hour

/**
 * Removes link tables that no mail has used for the configured number of days plus one, because a table may be stored a day before its last
 * mail. Runs daily, first an hour after the process started. Links of such mails then lead nowhere.
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
