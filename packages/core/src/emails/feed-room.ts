import { busy } from '../kernel/refusal.js'

type Waiting = { readonly bytes: number; readonly begin: () => void }
type Share = { used: number; readonly waiting: Waiting[] }

/** Memory that the work with feeds of one dispatch or preview is charged for. */
export type FeedCharge = {
  /** Corrects the charge once the values are known. */
  readonly settle: (bytes: number) => void
  readonly end: () => void
}

export type FeedRoomLimits = {
  /** Bytes of all accounts together. */
  readonly total: number
  /** Bytes of one account; no charge is larger. */
  readonly perAccount: number
  /** Charges of one account that wait; further ones are refused. */
  readonly waiting: number
}

/**
 * Memory for feeds, charged before they are read. Charges of one account keep their order; of several accounts that wait, each has one
 * begun in turn, and a large charge is not overtaken by small ones of other accounts.
 */
export const feedRoom = ({ total, perAccount, waiting: mostWaiting }: FeedRoomLimits) => {
  const shares = new Map<string, Share>()
  let used = 0

  const add = (account: string, share: Share, bytes: number): void => {
    share.used += bytes
    used += bytes
    if (share.used === 0 && share.waiting.length === 0) shares.delete(account)
  }

  /** Begins the next charge that its account has room for; false if none has, or all accounts together have no room for it. */
  const beginNext = (): boolean => {
    for (const [account, share] of shares) {
      const [next] = share.waiting
      if (!next || share.used + next.bytes > perAccount) continue
      if (used + next.bytes > total) return false
      share.waiting.shift()
      shares.delete(account)
      shares.set(account, share)
      add(account, share, next.bytes)
      next.begin()
      return true
    }
    return false
  }

  const pump = (): void => {
    while (beginNext());
  }

  return {
    /** Waits for room. @throws Refusal `busy` if too much of the account waits */
    take: async (account: string, bytes: number): Promise<FeedCharge> => {
      const share = shares.get(account) ?? { used: 0, waiting: [] }
      if (share.waiting.length >= mostWaiting)
        throw busy('Too many feeds of this account are being read. Please try again in a minute.')
      shares.set(account, share)
      let charged = Math.min(bytes, perAccount)
      await new Promise<void>((begin) => {
        share.waiting.push({ bytes: charged, begin })
        pump()
      })
      const settle = (actual: number): void => {
        const next = Math.min(actual, perAccount)
        const more = next - charged
        charged = next
        add(account, share, more)
        pump()
      }
      return { settle, end: () => settle(0) }
    },
  }
}
