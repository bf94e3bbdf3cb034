import { busy } from '../kernel/refusal.js'

type Waiting = { readonly bytes: number; readonly begin: () => void }
type Share = { used: number; readonly waiting: Waiting[] }

/** Memory charged for the feeds of one dispatch or preview. */
export type FeedCharge = {
  /** Corrects the charge once the size of the values is known. */
  readonly settle: (bytes: number) => void
  readonly end: () => void
}

export type FeedRoomLimits = {
  /** Bytes of all accounts together. */
  readonly total: number
  /** Bytes per account; no charge is larger. */
  readonly perAccount: number
  /** Maximum number of waiting charges per account; further ones are refused. */
  readonly waiting: number
}

/**
 * Reserves memory for feeds before they are read. Charges of one account begin in order, accounts take turns, and small charges of other
 * accounts do not overtake a large one.
 */
export const feedRoom = ({ total, perAccount, waiting: mostWaiting }: FeedRoomLimits) => {
  const shares = new Map<string, Share>()
  let used = 0

  const add = (account: string, share: Share, bytes: number): void => {
    share.used += bytes
    used += bytes
    if (share.used === 0 && share.waiting.length === 0) shares.delete(account)
  }

  /** Begins the next charge that fits its account's limit; false if there is none, or if it does not fit the total. */
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
    /** Waits for memory. @throws Refusal `busy` if too many charges of the account are waiting */
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
