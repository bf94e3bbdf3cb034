import { without } from '../kernel/merged.js'
import type { Clock, Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Webhook } from './webhook.js'

const hour = 60 * 60_000

/** How long nothing but failures switches a webhook off, in milliseconds. */
const failingTime = 72 * hour
/** Longer than any wait between two attempts: where nothing was tried for so long, failures begin anew. */
const longestGap = 25 * hour
/** How often it is noted that it fails still. */
const noteTime = hour

/** The webhook after posts of which none was taken: it is failing, and after three days switched off. */
const afterFailure = (webhook: Webhook, reason: string, now: string): Webhook => {
  if (webhook.switchedOff) return webhook
  const { failing } = webhook
  const time = Date.parse(now)
  if (!failing || time - Date.parse(failing.last) > longestGap)
    return { ...webhook, failing: { since: now, last: now, reason } }
  if (time - Date.parse(failing.since) >= failingTime) {
    const switchedOff = { reason: `No post was taken since ${failing.since}; the last: ${reason}`, since: now }
    return { ...webhook, failing: { ...failing, last: now, reason }, switchedOff }
  }
  if (time - Date.parse(failing.last) < noteTime) return webhook
  return { ...webhook, failing: { ...failing, last: now, reason } }
}

/** The webhook after a post was taken. */
const afterSuccess = (webhook: Webhook): Webhook =>
  webhook.failing ? (without(webhook, 'failing') as Webhook) : webhook

type Deps = {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook }>
  readonly clock: Clock
  readonly log: Log
}

/** What became of some posts to a webhook: whether any was taken, and why the last was not. */
export type PostsOutcome = { readonly accepted: boolean; readonly failure?: string | undefined }

/**
 * Notes on a webhook whether posts reach it: written when that changes, and once an hour while it fails. One to which no post got
 * through for three days is switched off.
 */
export const endpointHealth = ({ repositories: { webhooks }, clock, log }: Deps) => ({
  /**
   * Answers whether something was written.
   * @param webhook as it was when they were posted: where they went to another URL than there is now, they say nothing
   */
  note: async (webhook: Webhook, { accepted, failure }: PostsOutcome): Promise<boolean> => {
    const { _id, projectId, url } = webhook
    if (accepted) {
      if (webhook.failing) await webhooks.change({ _id, projectId, url }, afterSuccess)
      return webhook.failing !== undefined
    }
    if (failure === undefined) return false
    const now = clock().toISOString()
    if (afterFailure(webhook, failure, now) === webhook) return false
    const { switchedOff } =
      (await webhooks.change({ _id, projectId, url }, (current) => afterFailure(current, failure, now))) ?? {}
    if (switchedOff?.since === now) log('warn', 'A webhook was switched off', { projectId, ...switchedOff })
    return true
  },
})
