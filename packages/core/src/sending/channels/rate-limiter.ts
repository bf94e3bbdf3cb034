import type { Clock, Counters } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import type { Lane } from './channel.js'
import { type Channel, channelKey } from './channel.js'
import type { ChannelState, ChannelStates } from './channel-states.js'
import { type AnswerMeter, answerMeter, boostOf } from './congestion.js'
import type { MailOutcome } from './mailer.js'

export type RateLimitSettings = {
  /** Mails per second of a project in sandbox. */
  readonly sandboxRatePerSecond: number
  /** Mails per second of each of the server's own channels, where the operator sets a limit below the provider's. */
  readonly mailRatePerSecond?: number | undefined
}

type Deps = {
  readonly counters: Counters
  readonly states: ChannelStates
  readonly clock: Clock
  /** Told of each mail that a provider throttled. */
  readonly throttled?: ((channel: Channel) => void) | undefined
  readonly settings: RateLimitSettings
}

/** What is kept free for transactional mail, of a rate that can be shared at all; less and less, until so much of a second has passed. */
const transactionalShare = 0.1
const keptFor = 750

/** Whole mails in a second: at least one, where any may be sent at all. */
const wholeMails = (rate: number): number => (rate <= 0 ? 0 : Math.max(1, Math.floor(rate)))

/** How fast a channel is: what it may send in a second, as far as that is limited, and what it was last given leave for in one. */
export type ChannelRate = {
  readonly channel: Channel
  readonly ratePerSecond?: number
  readonly handedPerSecond: number
}

/** What this process does by a channel. */
type Used = {
  readonly channel: Channel
  readonly meter: AnswerMeter
  /** The last second in which it asked for leave, and what it got in it. */
  second: number
  handed: number
  /** The last second in which it was given less leave than it asked for. */
  limitedAt: number
}

/** What was done by a channel counts as long in seconds, and is then forgotten. */
const rememberedFor = 60

const unlimited = Number.POSITIVE_INFINITY

/**
 * Stage 5 of a sending: how many mails may leave by a channel now. Rates are shared by all workers through the counters, in windows of
 * one second. What a provider throttles takes nothing of its rate, so a channel with a rate is tried somewhat more often than that; what
 * it throttles for the pace's sake slows the process that it is told (`congestion.ts`).
 */
export const rateLimiter = ({ counters, states, clock, throttled, settings }: Deps) => {
  const used = new Map<string, Used>()

  const secondOf = (now: Date) => Math.floor(now.getTime() / 1000)

  const useOf = (channel: Channel, second: number): Used => {
    const key = channelKey(channel)
    const known = used.get(key)
    if (known) return known
    if (used.size >= 1_000) for (const [old, one] of used) if (second - one.second > rememberedFor) used.delete(old)
    const made = { channel, meter: answerMeter(), second, handed: 0, limitedAt: Number.NEGATIVE_INFINITY }
    used.set(key, made)
    return made
  }

  const channelRate = ({ account }: Channel, state: ChannelState | undefined): number => {
    if (state?.kind !== 'ready') return 0
    const ownLimit = account === 'server' ? settings.mailRatePerSecond : undefined
    return Math.min(ownLimit ?? unlimited, state.ratePerSecond ?? unlimited)
  }

  const projectRate = ({ status }: Pick<Project, 'status'>): number =>
    status === 'sandbox' ? settings.sandboxRatePerSecond : unlimited

  /** Of that rate, the lane's part at this moment. */
  const laneLimit = (rate: number, lane: Lane, now: Date): number => {
    if (lane === 'transactional' || rate < 10) return rate
    const kept = transactionalShare * Math.max(0, 1 - (now.getTime() % 1000) / keptFor)
    return Math.floor(rate * (1 - kept))
  }

  /** Of `n`, as many as that rate leaves to the lane in this second. */
  const within = async (rate: number, key: string, lane: Lane, n: number, now: Date): Promise<number> => {
    const limit = laneLimit(rate, lane, now)
    if (!Number.isFinite(limit) || n === 0) return n
    const second = secondOf(now)
    const take = { key: `pace:${key}:${second}`, n, limit: wholeMails(limit) }
    return counters.takeUpTo(take, new Date((second + 60) * 1000))
  }

  const finite = (rate: number): { readonly ratePerSecond?: number } =>
    Number.isFinite(rate) ? { ratePerSecond: wholeMails(rate) } : {}

  return {
    /**
     * Whole mails per second that the project may send by the channel, whatever the relay says meanwhile; 0: none; undefined: no limit is
     * known.
     */
    allowed: async (channel: Channel, project: Pick<Project, 'status'>): Promise<number | undefined> => {
      const state = await states.current(channel)
      if (!state) return undefined
      return finite(Math.min(projectRate(project), channelRate(channel, state))).ratePerSecond
    },

    /** Why nothing leaves by the channel now; undefined where mails do. */
    shutBy: async (channel: Channel): Promise<string | undefined> => {
      const state = await states.current(channel)
      if (!state) return 'The mailer does not answer.'
      if (state.kind !== 'ready') return state.reason
      if (channelRate(channel, state) > 0) return undefined
      return state.waitsFor ?? 'Its mailer sends nothing now.'
    },

    /** Whether this process, in the last minute, had more to send by the channel than the pace let through. */
    isLimited: (channel: Channel): boolean => {
      const { limitedAt } = used.get(channelKey(channel)) ?? {}
      return limitedAt !== undefined && secondOf(clock()) - limitedAt <= rememberedFor
    },

    /**
     * Takes leave for up to `n` mails of the project in this second, and answers for how many. What is not used is lost. A channel
     * that somebody has to mend limits nothing: whoever comes to send by it is to hear of that.
     */
    take: async (
      channel: Channel,
      project: Pick<Project, '_id' | 'status'>,
      lane: Lane,
      n: number,
    ): Promise<number> => {
      const state = await states.current(channel)
      if (state?.kind === 'unavailable' || state?.kind === 'stopped') return n
      const now = clock()
      const second = secondOf(now)
      const use = useOf(channel, second)
      if (use.second !== second) Object.assign(use, { second, handed: 0 })
      const rate = channelRate(channel, state)
      const congestion = rate > 0 ? use.meter.congestion(second, rate) : undefined
      const here = congestion ? wholeMails(laneLimit(congestion.limit, lane, now)) : unlimited
      const asked = rate > 0 ? Math.max(0, Math.min(n, here - use.handed)) : 0
      // Before anything is waited for: the lanes ask at the same time.
      use.handed += asked
      const own = await within(projectRate(project), `sandbox:${project._id}`, lane, asked, now)
      const boosted = congestion ? rate * boostOf(congestion) : rate
      const granted = await within(boosted, channelKey(channel), lane, own, now)
      if (use.second === second) use.handed -= asked - granted
      if (granted < n) use.limitedAt = second
      return granted
    },

    /** What became of a mail. The provider said "too fast", or it did not. */
    answered: (channel: Channel, outcome: MailOutcome): void => {
      const second = secondOf(clock())
      const isThrottled = outcome.kind === 'deferred' && outcome.throttled
      useOf(channel, second).meter.answered(second, isThrottled)
      if (isThrottled) throttled?.(channel)
    },

    /** Of the channels by which this process sent in the last minute. */
    now: async (): Promise<readonly ChannelRate[]> => {
      const second = secondOf(clock())
      const lately = [...used.values()].filter((one) => second - one.second <= rememberedFor)
      return Promise.all(
        lately.map(async ({ channel, meter, second: then, handed }) => {
          const rate = channelRate(channel, await states.current(channel))
          const limit = meter.known()?.limit ?? unlimited
          return { channel, handedPerSecond: second - then <= 1 ? handed : 0, ...finite(Math.min(rate, limit)) }
        }),
      )
    },
  }
}
export type RateLimiter = ReturnType<typeof rateLimiter>
