import type { Clock, Counters } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import { channelKey, type Lane, type SendingChannel } from './channel.js'
import type { SendingChannelState, SendingChannelStates } from './channel-states.js'
import { type CongestionMeter, channelCongestionMeter, channelRateBoost } from './congestion.js'
import type { MailOutcome } from './mailer.js'

type MailRateSettings = {
  readonly sandboxRatePerSecond: number
  /** The operator’s limit for each of the server’s channels. */
  readonly mailRatePerSecond?: number | undefined
}

type Deps = {
  readonly counters: Counters
  readonly states: SendingChannelStates
  readonly clock: Clock
  readonly throttled?: ((channel: SendingChannel) => void) | undefined
  readonly settings: MailRateSettings
}

/** Share kept for transactional mail; it shrinks to 0 over the first `keptFor` ms of each second. */
const transactionalShare = 0.1
const keptFor = 750

/** At least one if the rate is above 0. */
const wholeMails = (rate: number): number => (rate <= 0 ? 0 : Math.max(1, Math.floor(rate)))

export type ChannelRate = {
  readonly channel: SendingChannel
  readonly ratePerSecond?: number
  readonly handedPerSecond: number
}

type Used = {
  readonly channel: SendingChannel
  readonly meter: CongestionMeter
  /** The last second with requests, and the permits granted in it. */
  second: number
  handed: number
  limitedAt: number
}

const rememberedFor = 60

const unlimited = Number.POSITIVE_INFINITY

/**
 * How many mails a channel may send now. Workers share the rate through counters, in windows of one second. A channel tries more than its rate,
 * because throttled mails do not use it up.
 */
export const channelRateLimiter = ({ counters, states, clock, throttled, settings }: Deps) => {
  const used = new Map<string, Used>()

  const secondOf = (now: Date) => Math.floor(now.getTime() / 1000)

  const useOf = (channel: SendingChannel, second: number): Used => {
    const key = channelKey(channel)
    const known = used.get(key)
    if (known) return known
    if (used.size >= 1_000) for (const [old, one] of used) if (second - one.second > rememberedFor) used.delete(old)
    const made = { channel, meter: channelCongestionMeter(), second, handed: 0, limitedAt: Number.NEGATIVE_INFINITY }
    used.set(key, made)
    return made
  }

  const channelRate = ({ account }: SendingChannel, state: SendingChannelState | undefined): number => {
    if (state?.kind !== 'ready') return 0
    const ownLimit = account === 'server' ? settings.mailRatePerSecond : undefined
    return Math.min(ownLimit ?? unlimited, state.ratePerSecond ?? unlimited)
  }

  const projectRate = ({ status }: Pick<Project, 'status'>): number =>
    status === 'sandbox' ? settings.sandboxRatePerSecond : unlimited

  const laneLimit = (rate: number, lane: Lane, now: Date): number => {
    if (lane === 'transactional' || rate < 10) return rate
    const kept = transactionalShare * Math.max(0, 1 - (now.getTime() % 1000) / keptFor)
    return Math.floor(rate * (1 - kept))
  }

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
    /** Mails per second, ignoring throttling; undefined: no limit is known. */
    allowed: async (channel: SendingChannel, project: Pick<Project, 'status'>): Promise<number | undefined> => {
      const state = await states.current(channel)
      if (!state) return undefined
      return finite(Math.min(projectRate(project), channelRate(channel, state))).ratePerSecond
    },

    shutBy: async (channel: SendingChannel): Promise<string | undefined> => {
      const state = await states.current(channel)
      if (!state) return 'The mailer does not answer.'
      if (state.kind !== 'ready') return state.reason
      if (channelRate(channel, state) > 0) return undefined
      return state.waitsFor ?? 'Its mailer sends nothing now.'
    },

    isLimited: (channel: SendingChannel): boolean => {
      const { limitedAt } = used.get(channelKey(channel)) ?? {}
      return limitedAt !== undefined && secondOf(clock()) - limitedAt <= rememberedFor
    },

    /** Up to `n` permits; unused ones expire. A channel that needs a person is not limited: sending reports the reason. */
    take: async (
      channel: SendingChannel,
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
      // Before the first await: lanes request permits concurrently.
      use.handed += asked
      const own = await within(projectRate(project), `sandbox:${project._id}`, lane, asked, now)
      const boosted = congestion ? rate * channelRateBoost(congestion) : rate
      const granted = await within(boosted, channelKey(channel), lane, own, now)
      if (use.second === second) use.handed -= asked - granted
      if (granted < n) use.limitedAt = second
      return granted
    },

    answered: (channel: SendingChannel, outcome: MailOutcome): void => {
      const second = secondOf(clock())
      const isThrottled = outcome.kind === 'deferred' && outcome.throttled
      useOf(channel, second).meter.answered(second, isThrottled)
      if (isThrottled) throttled?.(channel)
    },

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
export type ChannelRateLimiter = ReturnType<typeof channelRateLimiter>
