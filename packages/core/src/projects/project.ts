import type { Stamped } from '../kernel/shapes.js'
import type { Groups } from '../segments/segment.js'

export type ProjectStatus = 'sandbox' | 'production' | 'byoCloudSes'

/** The unit of scoping (spec, "Project"). */
export type Project = Stamped & {
  readonly accountId: string
  readonly name: string
  readonly logoUrl?: string
  readonly status: ProjectStatus
  readonly restricted: boolean
  readonly restrictedReason?: string
  readonly unengagedContactSegment: { readonly groups: Groups }
  /** Mails per month that the operator has approved; 0 = unlimited. Counts for production only. */
  readonly monthlyLimit: number
  /** Bare domains whose pages may call some endpoints without a key. */
  readonly whiteList: readonly string[]
  /** Where unsubscribe and pause links lead instead of Posthorn's own preferences page. */
  readonly customSubscriptionPreferencesUrl?: string
}
