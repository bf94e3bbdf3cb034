import { addressKey } from '../kernel/email-address.js'
import type { Clock, Counters, Secrets } from '../kernel/ports.js'

export type VerificationLimitDeps = {
  readonly counters: Pick<Counters, 'takeUpTo' | 'used' | 'give'>
  readonly secrets: Pick<Secrets, 'sign'>
  readonly clock: Clock
}

const spacingSeconds = 10 * 60
const perDay = 5
const daySeconds = 24 * 60 * 60

/**
 * Limits verification mails to an address of a project to one in ten minutes and five in a UTC day, because strangers can request them in
 * another person's name. The counter's key is a keyed digest of the address, so removing the contact does not reset it.
 */
export const verificationLimit = ({ counters, secrets, clock }: VerificationLimitDeps) => ({
  /** Takes one and returns a function that gives it back; undefined if the address has reached its limit. */
  take: async (projectId: string, email: string): Promise<(() => Promise<void>) | undefined> => {
    const key = `verification:${secrets.sign(`verification:${projectId}:${addressKey(email)}`)}`
    const now = Math.floor(clock().getTime() / 1000)
    const day = Math.floor(now / daySeconds)

    // This counter holds a time: the second from which the next mail may be sent. Of several concurrent callers, only one advances it
    // completely.
    const next = now + spacingSeconds
    const step = next - (await counters.used(key))
    if (step < spacingSeconds) return undefined
    const moved = await counters.takeUpTo({ key, n: step, limit: next }, new Date(next * 1000))
    if (moved < step) return undefined

    const today = { key: `${key}:${day}`, n: 1 }
    const taken = await counters.takeUpTo({ ...today, limit: perDay }, new Date((day + 2) * daySeconds * 1000))
    if (taken === 0) return undefined
    return async () => {
      await counters.give({ key, n: step })
      await counters.give(today)
    }
  },
})
