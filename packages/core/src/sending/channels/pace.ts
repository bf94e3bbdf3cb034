import type { Clock, Counters } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import type { Mailer } from '../ledger/deliveries.js'
import type { Lane } from '../ledger/delivery.js'

export type PaceSettings = {
  /** Mails per second of a project in sandbox. */
  readonly sandboxRatePerSecond: number
  /** Mails per second of the whole server, where the operator sets a limit below the provider's. */
  readonly mailRatePerSecond?: number | undefined
}

type Deps = {
  readonly counters: Counters
  readonly mailer: Pick<Mailer, 'ratePerSecond'>
  readonly clock: Clock
  readonly settings: PaceSettings
}

/** What is kept free for transactional mail, of a rate that can be shared at all. */
const transactionalShare = 0.1

/** Whole mails in a second: at least one, where any may be sent at all. */
const wholeMails = (rate: number): number => (rate <= 0 ? 0 : Math.max(1, Math.floor(rate)))

/** A channel that was told "too fast": how much is asked of it until it has recovered. */
type Ceiling = { readonly perSecond: number; readonly recovered: number; readonly since: number }

/**
 * Stage 5 of a sending: how many mails may leave now. Rates are shared by all workers through the counters, in windows of one second.
 * A throttle answer halves the pace, at most once a second; every second without one restores a tenth of it.
 */
export const pacing = ({ counters, mailer, clock, settings }: Deps) => {
  const ceilings = new Map<string, Ceiling>()
  const handed = new Map<string, { second: number; n: number }>()

  const channelOf = (project: Pick<Project, '_id' | 'status'>) =>
    project.status === 'sandbox' ? `sandbox:${project._id}` : 'shared'

  const secondNow = () => Math.floor(clock().getTime() / 1000)

  const ceilingOf = (channel: string): number => {
    const ceiling = ceilings.get(channel)
    if (!ceiling) return Number.POSITIVE_INFINITY
    const now = Math.ceil(ceiling.perSecond * 1.1 ** (secondNow() - ceiling.since))
    if (now < ceiling.recovered) return now
    ceilings.delete(channel)
    return Number.POSITIVE_INFINITY
  }

  const allowedTo = async ({ status }: Pick<Project, 'status'>): Promise<number> =>
    Math.min(
      status === 'sandbox' ? settings.sandboxRatePerSecond : Number.POSITIVE_INFINITY,
      settings.mailRatePerSecond ?? Number.POSITIVE_INFINITY,
      (await mailer.ratePerSecond()) ?? Number.POSITIVE_INFINITY,
    )

  const rateOf = async (project: Pick<Project, '_id' | 'status'>): Promise<number> =>
    Math.min(await allowedTo(project), ceilingOf(channelOf(project)))

  return {
    /** Whole mails per second that the project may send, whatever the relay says meanwhile; 0: none; undefined: no limit is known. */
    allowed: async (project: Pick<Project, 'status'>): Promise<number | undefined> => {
      const rate = await allowedTo(project)
      return Number.isFinite(rate) ? wholeMails(rate) : undefined
    },

    /** Takes leave for up to `n` mails of the project in this second, and answers for how many. What is not used is lost. */
    take: async (project: Pick<Project, '_id' | 'status'>, lane: Lane, n: number): Promise<number> => {
      const channel = channelOf(project)
      const second = secondNow()
      const rate = await rateOf(project)
      const limit = lane === 'bulk' && rate >= 10 ? Math.floor(rate * (1 - transactionalShare)) : rate
      const granted = Number.isFinite(limit)
        ? await counters.takeUpTo(
            { key: `pace:${channel}:${second}`, n, limit: wholeMails(limit) },
            new Date((second + 60) * 1000),
          )
        : n
      const sofar = handed.get(channel)
      handed.set(channel, { second, n: sofar?.second === second ? sofar.n + granted : granted })
      return granted
    },

    /** The provider said "too fast". */
    throttled: (project: Pick<Project, '_id' | 'status'>): void => {
      const channel = channelOf(project)
      const second = secondNow()
      const standing = ceilings.get(channel)
      if (standing?.since === second) return
      const perSecond = standing ? ceilingOf(channel) : (handed.get(channel)?.n ?? 1)
      const before = Number.isFinite(perSecond) ? perSecond : (handed.get(channel)?.n ?? 1)
      ceilings.set(channel, {
        perSecond: Math.max(1, Math.floor(before / 2)),
        recovered: Math.max(standing?.recovered ?? 0, before * 2),
        since: second,
      })
    },
  }
}
export type Pace = ReturnType<typeof pacing>
