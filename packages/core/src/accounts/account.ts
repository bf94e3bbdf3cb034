import type { Stamped } from '../kernel/shapes.js'

/** Owns projects and holds the credit: 1 credit = one mail to one recipient (gaps.md, section 2). */
export type Account = Stamped & {
  readonly name: string
  /** The name in a form for URLs. */
  readonly urlFriendlyName: string
  /** All credit ever added. Used credit is a separate count, under `creditKey`. */
  readonly creditGranted: number
}

export const creditKey = (accountId: string) => `credit:${accountId}`
