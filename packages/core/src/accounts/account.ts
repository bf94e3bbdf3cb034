import type { Stamped } from '../kernel/shapes.js'

/** 1 credit = one mail to one recipient (gaps.md, section 2). */
export type Account = Stamped & {
  readonly name: string
  readonly urlFriendlyName: string
  /** Used credit is counted under `creditCounterKey`. */
  readonly creditGranted: number
}

export const creditCounterKey = (accountId: string) => `credit:${accountId}`
