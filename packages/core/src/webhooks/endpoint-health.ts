import { without } from '../kernel/merged.js'
import type { Runtime } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Webhook } from './webhook.js'

const hour = 60 * 60_000

/** In ms. */
const failingTime = 72 * hour
/** In ms; longer than any wait between attempts. After such a gap, failing starts anew. */
const longestGap = 25 * hour
/** In ms. */
const noteTime = hour

/** Marks it as failing and, after three days, switches it off. */
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

const afterSuccess = (webhook: Webhook): Webhook => (webhook.failing ? without(webhook, 'failing') : webhook)

type Deps = Pick<Runtime, 'clock' | 'log'> & {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook }>
}

type EndpointOutcome = { readonly accepted: boolean; readonly failure?: string | undefined }

/** Records whether posts reach a webhook: at each change, and hourly while it fails. */
export const endpointHealthRecorder = ({ repositories: { webhooks }, clock, log }: Deps) => ({
  /**
   * Returns whether something was written.
   * @param webhook as at the time of the posts; ignored if its URL has changed since
   */
  note: async (webhook: Webhook, { accepted, failure }: EndpointOutcome): Promise<boolean> => {
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
    if (switchedOff?.since === now)
      log('warn', 'A webhook was switched off', { projectId, webhookId: _id, ...switchedOff })
    return true
  },
})
