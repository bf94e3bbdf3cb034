import type { Contact } from '../../contacts/contact.js'
import type { MeantGroups } from '../../segments/segment.js'

/** Selects the active subscribers of the list (an expired pause counts as active), narrowed by the segment. */
export type AudienceQuestion = {
  readonly projectId: string
  readonly subscriberListId: string
  readonly segment?: MeantGroups
  /** Contacts in these groups count as unreachable. */
  readonly unengaged?: MeantGroups
  readonly now: string
}

export type AudienceCount = {
  readonly total: number
  /** Contacts of `total` that are neither suppressed nor unengaged. */
  readonly reachable: number
}

export interface Audience {
  /**
   * Contacts per page. Small if the store shares a thread with the recording of outcomes, which a page blocks; large if a page costs a
   * dozen round trips whatever its length.
   */
  readonly pageSize: number
  count(question: AudienceQuestion): Promise<AudienceCount>
  /** The next contacts of the audience after that contact id, in `_id` order, including suppressed and unengaged ones. */
  page(question: AudienceQuestion, after: string | undefined, limit: number): Promise<readonly Contact[]>
}
