import { type HeldSendCounts, heldSendCountsIn } from '@posthorn/core'
import type { Store } from '../store.js'

export const countHeldSends = async ({
  repositories,
  heldMails,
}: Pick<Store, 'repositories' | 'heldMails'>): Promise<HeldSendCounts> => {
  const [{ campaigns, sends }, mails] = await Promise.all([heldSendCountsIn(repositories), heldMails.count()])
  return { campaigns, sends: sends + mails }
}

const counted = (n: number, noun: string): readonly string[] => (n > 0 ? [`${n} ${noun}${n === 1 ? '' : 's'}`] : [])

/** Such as “1 campaign and 2 other sends”; undefined for none. */
export const heldText = ({ campaigns, sends }: HeldSendCounts): string | undefined =>
  [...counted(campaigns, 'campaign'), ...counted(sends, campaigns > 0 ? 'other send' : 'send')].join(' and ') ||
  undefined

/** Such as “1 campaign is held back”; undefined for none. */
export const heldBackText = (held: HeldSendCounts): string | undefined => {
  const text = heldText(held)
  return text && `${text} ${held.campaigns + held.sends === 1 ? 'is' : 'are'} held back`
}
