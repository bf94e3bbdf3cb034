import type { Stamped } from '../kernel/shapes.js'

/** Owns projects and holds the credit: 1 credit = one mail to one recipient (gaps.md, section 2). */
export type Account = Stamped & {
  readonly name: string
  /** The name as it may stand in a URL. */
  readonly urlFriendlyName: string
  /** All credit ever added. What has been used of it is counted apart, under `creditKey`. */
  readonly creditGranted: number
}

export const creditKey = (accountId: string) => `credit:${accountId}`
