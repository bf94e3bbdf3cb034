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
 * How many verification mails an address gets from a project: one in ten minutes and five in a UTC day, because strangers ask for
 * them in anybody's name. What is counted by is a keyed digest of the address, so that removing a contact does not begin anew.
 */
export const verificationLimit = ({ counters, secrets, clock }: VerificationLimitDeps) => ({
  /** Takes one, and answers how it is given back; undefined for an address that has had as many as it may. */
  take: async (projectId: string, email: string): Promise<(() => Promise<void>) | undefined> => {
    const key = `verification:${secrets.sign(`verification:${projectId}:${addressKey(email)}`)}`
    const now = Math.floor(clock().getTime() / 1000)
    const day = Math.floor(now / daySeconds)

    // This counter is a time: the second from which the next mail may go. Of all who move it there, one moves it all the way.
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
