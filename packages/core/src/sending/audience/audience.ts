import type { Contact } from '../../contacts/contact.js'
import type { MeantGroups } from '../../segments/segment.js'

/** Who is meant: subscribers of the list that are active now (a pause that is over counts as active), in the segment. */
export type AudienceQuestion = {
  readonly projectId: string
  readonly subscriberListId: string
  readonly segment?: MeantGroups
  /** Those who are in these groups are not reachable. */
  readonly unengaged?: MeantGroups
  readonly now: string
}

export type AudienceCount = {
  readonly total: number
  /** Of these: not suppressed and not unengaged. */
  readonly reachable: number
}

export interface Audience {
  /**
   * How many an email's page has. Few where the store shares a thread with what records outcomes, which waits meanwhile; many where a page
   * costs a dozen round trips, however long it is.
   */
  readonly pageSize: number
  count(question: AudienceQuestion): Promise<AudienceCount>
  /** The next contacts of the audience after that contact id, in `_id` order. Suppressed and unengaged ones included. */
  page(question: AudienceQuestion, after: string | undefined, limit: number): Promise<readonly Contact[]>
}
