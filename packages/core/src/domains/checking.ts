import { updated } from '../kernel/project-resource.js'
import type { Domain } from './domain.js'
import { hasDkim } from './domain-status.js'
import { notedLoss } from './lost-domain.js'
import { type Claims, needingOwnership, takenAway } from './ownership.js'
import { type Answers, observedIn } from './verification.js'

const seenBy = (current: Domain, answers: Answers, now: string): Domain =>
  updated(current, { observed: observedIn(current.requiredDns, answers, current.observed, now) }, now)

/**
 * The domain after a check. If other accounts claim the domain too, an account that has not verified it needs its ownership record in DNS.
 * An account that has verified it keeps it until DNS names another account and not this one, or its DKIM records disappear.
 */
export const checkedBy = (current: Domain, answers: Answers, claims: Claims | undefined, now: string): Domain => {
  if (!claims) return notedLoss(seenBy(current, answers, now), now)
  const { own, sisters, rivals } = claims
  const isOpen = (one: Domain) => rivals.length > 0 && ![one, ...sisters].some(hasDkim)
  const texts = answers.ownership ?? []
  const isTaken =
    !texts.includes((current.requiredDns.ownership ?? own).value) &&
    rivals.some(({ ownershipRecord }) => texts.includes(ownershipRecord.value))
  const seen = seenBy(isOpen(current) ? needingOwnership(current, own) : current, answers, now)
  const next = isTaken ? takenAway(seen, own, texts, now) : seen
  return notedLoss(isOpen(next) ? needingOwnership(next, own) : next, now)
}
