import type { CampaignReport } from '../api/types.js'
import type { Messages } from '../text/en.js'

/** The nine reasons why a recipient gets no mail. */
export const reasonLabels = {
  suppressed: 'reasonSuppressed',
  unengaged: 'reasonUnengaged',
  unsubscribed: 'reasonUnsubscribed',
  paused: 'reasonPaused',
  unverified: 'reasonUnverified',
  'not-subscribed': 'reasonNotSubscribed',
  'invalid-address': 'reasonInvalid',
  'no-credit': 'reasonNoCredit',
  stopped: 'reasonStopped',
} as const satisfies Readonly<Record<CampaignReport['exclusions'][number]['reason'], keyof Messages>>
